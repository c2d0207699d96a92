import { expect, it } from 'vitest'
import { errorOfAnswer } from './response-error.ts'

const VERBOSE = `[+]ping ok
${'[+]poststarthook/start-something-with-a-long-name ok\n'.repeat(20)}[-]etcd failed: reason withheld
[-]shutdown failed: reason withheld
readyz check failed
`

it.each([
  [
    'checks of a health endpoint that fail',
    VERBOSE,
    '[-]etcd failed: reason withheld; [-]shutdown failed: reason withheld',
  ],
  ['a text, cut off', ` ${'x'.repeat(300)}`, 'x'.repeat(200)],
  ['nothing', '', 'no explanation in the answer'],
  ['a Status', { kind: 'Status', message: 'etcdserver: leader changed' }, 'etcdserver: leader changed'],
])('an error says what the server said: %s', (_, body, said) => {
  expect(errorOfAnswer('GET /readyz', { status: 500, body }).message).toBe(`GET /readyz: 500: ${said}`)
})
