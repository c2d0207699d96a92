/** Every command printed in the README and the guides works as it stands there, in that order. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, KUBECTL, NODE, ok, ROOT, run } from '../support/run.ts'
import { say } from '../support/say.ts'

/** What a guide is read beside, where that is not what it begins with. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'docs/guides/runbook-rollout-stopped.md': ['--demo', 'nodes'],
}
const UP = 'npx kobe up'
const ROLLING_GUIDE = 'docs/guides/change-node-settings.md'
/** A minute of rollouts, and what needs them, is for `npm run e2e -- docs`: test/integration/nodes is their share of every run. */
const isLong = process.env['KOBE_E2E_LONG'] === '1'
const waitsForRollouts = (command: string): boolean => / node (rollout|status|explain|cancel) /.test(command)
const DOCUMENTS = [
  'README.md',
  'docs/guides/getting-started.md',
  'docs/guides/pools.md',
  ROLLING_GUIDE,
  'docs/guides/runbook-rollout-stopped.md',
]
const LONGEST_MS = 170_000
const KINDS = /cluster(pool|instance|lease)/

/** Lines of the fenced blocks without a language: those are commands; output and manifests have one. */
function commandsOf(document: string): string[] {
  const commands: string[] = []
  let fence: string | undefined
  for (const line of readFileSync(join(ROOT, document), 'utf8').split('\n')) {
    if (line.startsWith('```')) fence = fence === undefined ? line.slice(3) : undefined
    else if (fence === '') commands.push(line.replace(/\s+#.*$/, '').trim())
  }
  return commands.filter((line) => line !== '')
}

describe.skipIf(!hasKubectl).each(DOCUMENTS)('%s', (document) => {
  let kobe: TestKobe
  let bin: string
  let kubeconfig = ''
  let leaseId = ''

  beforeAll(async () => {
    kobe = createTestKobe()
    bin = join(kobe.dir, 'bin')
    mkdirSync(bin)
    const program = (name: string, line: string) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    program('kubectl', `exec ${KUBECTL} "$@"`)
    program('npx', `[ "$1" = kobe ] && shift && exec ${NODE} ${join(ROOT, 'bin', 'kobe.js')} "$@"`)
    const own = commandsOf(document).find((command) => command.startsWith(UP))
    const args = own?.slice(UP.length).split(' ').filter(Boolean) ?? BESIDE[document] ?? []
    await kobe.up(args)
    if (args.includes('nodes')) await readyForNodes()
  })
  afterAll(() => kobe.dispose())

  const scripts: Record<string, string> = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts

  async function shell(line: string): Promise<string> {
    const onHost = KINDS.test(line) && !line.includes('--kubeconfig')
    const env = {
      ...kobe.env,
      PATH: `${bin}:${process.env['PATH']}`,
      KUBECONFIG: onHost ? kobe.hostKubeconfig : kubeconfig,
    }
    // A watch goes on for ever; that it starts and prints is what can be shown.
    const endless = / -w$/.test(line)
    const result = await run('bash', ['-c', endless ? `timeout 3 ${line}` : line], {
      cwd: kobe.dir,
      env,
      timeoutMs: LONGEST_MS,
    })
    say(`$ ${line}`, result.stdout.split('\n').slice(0, 4).join('\n'))
    const expected = endless ? 124 : 0
    if (result.code !== expected) throw new Error(`${line}: exit code ${result.code}\n${result.stdout}${result.stderr}`)
    return result.stdout
  }

  const commands = commandsOf(document).filter(
    (command) => isLong || document !== ROLLING_GUIDE || !waitsForRollouts(command),
  )

  test.each(commands)('%s', async (command) => {
    if (command.startsWith('npm ')) {
      expect(Object.keys(scripts)).toContain(command.split(' ').filter((word) => word !== 'run')[1])
      return
    }
    if (command.startsWith(UP)) return
    if (command.startsWith('export KUBECONFIG=')) {
      expect(kubeconfig).not.toBe('')
      return
    }
    if (command.includes('release') || command.includes('extend')) await oneLease()
    const output = await shell(command.replace('<lease id>', leaseId))
    if (command.startsWith('npx kobe lease')) {
      kubeconfig = /^Kubeconfig +(\S+)$/m.exec(output)?.[1] ?? ''
      leaseId = /^Lease +(\S+)$/m.exec(output)?.[1] ?? ''
      expect(kubeconfig).toContain(kobe.dir)
    }
    if (command.includes('patch clusterpool')) await settled()
  })

  async function oneLease(): Promise<void> {
    await eventually('the lease is bound', 10_000, async () => (await kobe.cliOk('list')).includes('Bound'))
  }

  /** Machines that are as quick as the test is impatient, and an operation to look at. */
  async function readyForNodes(): Promise<void> {
    const quick = ['stop-time=100ms', 'start-time=100ms'].map((time) => `sim.kobe.kunobi.ninja/${time}`)
    const on = ['--kubeconfig', kobe.hostKubeconfig, '-n', 'kobe-system']
    await ok(KUBECTL, [...on, 'annotate', 'configmap', 'machines', ...quick])
    await eventually('the cluster is Running', 60_000, async () =>
      (await kobe.cliOk('cluster', 'list')).includes('Running'),
    )
    if (document.includes('runbook')) await kobe.cliOk('node', 'rollout', 'demo')
  }

  /** The next command is typed when the pool is at rest again. */
  async function settled(): Promise<void> {
    await eventually('the pool is warm', 60_000, async () =>
      /ci-small +Healthy +2 +\d+ +0 +0/.test(await kobe.cliOk('pools')),
    )
  }
})
