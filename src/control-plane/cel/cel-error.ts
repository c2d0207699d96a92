/** A fault while an expression is evaluated: `no such key: x`. Logical operators may absorb it. */
export class CelError extends Error {
  readonly code: 'evaluation' | 'noSuchOverload'

  constructor(message: string, code: CelError['code'] = 'evaluation') {
    super(message)
    this.name = 'CelError'
    this.code = code
  }
}

/** The expression costs more than it may. Nothing absorbs it. */
export class CelCostError extends Error {
  readonly code = 'costExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CelCostError'
  }
}

export const noSuchOverload = (): CelError => new CelError('no such overload', 'noSuchOverload')
