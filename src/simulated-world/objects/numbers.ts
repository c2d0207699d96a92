/** Whole numbers or percentages, and quantities. */
export { quantityOf, resolveIntOrPercent } from '../../api/quantity.ts'
