/** Validation rules of custom resources in the Common Expression Language. Loaded with the first rule: see `load.ts`. */
export { compileErrors } from './compile-errors.ts'
export { evaluateRules, type RuleRequest } from './rules.ts'
