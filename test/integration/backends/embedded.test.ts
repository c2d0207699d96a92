import { backendContract } from '../../contract/backend-contract.ts'
import { embeddedHarness } from '../../contract/server-harness.ts'

backendContract('embedded, a process each, SQLite', () =>
  embeddedHarness({ type: 'embedded', embedded: { isolation: 'process', storage: 'sqlite' } }),
)

backendContract('embedded, shared process, SQLite', () =>
  embeddedHarness({ type: 'embedded', embedded: { isolation: 'shared', storage: 'sqlite' } }),
)
