/** `<kind> <name>`: a pool, or a lease by whatever names it. */
import type { ArgumentDefinition } from './define-command.ts'

export const SUBJECT_ARGUMENTS: readonly ArgumentDefinition[] = [
  { name: 'kind', description: 'what kind of thing', required: true, choices: ['pool', 'lease'] },
  {
    name: 'name',
    description: 'name of the pool; id, alias or pool of the lease',
    required: true,
    complete: 'lease',
  },
]
