/** Label selectors as they stand inside objects. */
export { isMet, labelsMatch, selectorMatches } from '../../api/label-selector.ts'
