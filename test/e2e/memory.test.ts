/** `kobe up --memory`: nothing on disk after it has stopped, and a crash of the operator loses nothing while it runs. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestKobe, ON_REAL_HOST, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, kubectl, run } from '../support/run.ts'

describe.skipIf(ON_REAL_HOST)('kobe up --memory', () => {
  let kobe: TestKobe
  beforeEach(() => {
    kobe = createTestKobe()
  })
  afterEach(() => kobe.dispose())

  test('keeps leases over a crash of the operator, and leaves nothing behind when it is stopped', async () => {
    const first = await kobe.up(['--memory'])
    const { id } = await kobe.json<{ id: string }>('lease', 'ci-small')
    first.child.kill('SIGKILL')
    await first.exited
    const second = await kobe.up(['--memory'])
    expect(await kobe.cliOk('list')).toContain(id)
    second.child.kill('SIGINT')
    expect(await second.exited).toBe(0)
    expect(existsSync(kobe.stateDir)).toBe(false)
    expect((await run('pgrep', ['-f', kobe.dir])).stdout).toBe('')
  })

  test('does not turn a kept state into a forgetful one', async () => {
    const kept = await kobe.up()
    kept.child.kill('SIGINT')
    await kept.exited
    const result = await kobe.cli('up', '--memory')
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('--state-dir')
    expect(existsSync(kobe.stateDir)).toBe(true)
  })

  test.skipIf(!hasKubectl)('shared members of a pool are leased and replaced like others', async () => {
    await kobe.up(['--memory', '--no-pool'])
    const file = join(kobe.dir, 'pool.yaml')
    writeFileSync(
      file,
      [
        'apiVersion: kobe.kunobi.ninja/v1alpha1',
        'kind: ClusterPool',
        'metadata: {name: many, namespace: kobe-system}',
        'spec:',
        '  size: 5',
        '  backend: {type: embedded, embedded: {isolation: shared, storage: memory}}',
        '  cluster: {version: v1.35.0}',
      ].join('\n'),
    )
    await kubectl(kobe.hostKubeconfig, ['apply', '-f', file], { env: kobe.env })
    const warm = () =>
      eventually('five warm members', 20_000, async () => /many +Healthy +5 +0/.test(await kobe.cliOk('pools')))
    await warm()
    const lease = await kobe.json<{ id: string; kubeconfigPath: string }>('lease', 'many')
    expect(await kubectl(lease.kubeconfigPath, ['version'], { env: kobe.env })).toContain('v1.35.0')
    await kobe.cliOk('release', lease.id)
    await warm()
  })
})
