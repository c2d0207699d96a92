/** `kobe with-lease` and its endings, the plugin of kubectl, and the client of programs, with the real kubectl. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createApi, type KobeApi } from '../../src/client/api.ts'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, KUBECTL, NODE, ok, ROOT, type Running, run, start } from '../support/run.ts'
import { say } from '../support/say.ts'

const BIN = join(ROOT, 'bin', 'kobe.js')

describe.skipIf(!hasKubectl)('the command line at work', () => {
  let kobe: TestKobe
  let api: KobeApi
  let path: string
  let tmp: string
  let running: Running[] = []

  beforeAll(async () => {
    kobe = createTestKobe()
    const bin = join(kobe.dir, 'bin')
    tmp = join(kobe.dir, 'tmp')
    await run('mkdir', [bin, tmp])
    symlinkSync(KUBECTL, join(bin, 'kubectl'))
    symlinkSync(NODE, join(bin, 'node'))
    for (const name of ['kubectl-kobe', 'kubectl_complete-kobe']) {
      symlinkSync(join(ROOT, 'bin', `${name}.js`), join(bin, name))
    }
    path = `${bin}:${process.env['PATH']}`
    await kobe.up()
    api = createApi({ ...JSON.parse(readFileSync(join(kobe.stateDir, 'client.json'), 'utf8')), source: 'test' })
  })
  afterAll(() => kobe.dispose())
  afterEach(() => {
    for (const { child } of running) child.kill('SIGKILL')
    running = []
  })

  const env = () => ({ ...kobe.env, PATH: path, TMPDIR: tmp })
  const withLease = (...args: string[]) =>
    run(NODE, [BIN, 'with-lease', 'ci-small', ...args], { cwd: kobe.dir, env: env() })
  const leases = async () =>
    (await api.call('listLeases', {})).filter(({ phase }) => ['Pending', 'Bound'].includes(phase))
  const leasesLeft = async () => (await leases()).length
  const filesLeft = () => readdirSync(tmp).filter((name) => name.startsWith('kobe-'))

  /** Starts a command that says `up` and then stays; resolves once it is there. */
  async function staying(script: string, ...options: string[]): Promise<Running> {
    const args = [BIN, 'with-lease', 'ci-small', ...options, '--', 'sh', '-c', script]
    const command = start(NODE, args, { cwd: kobe.dir, env: env() })
    running.push(command)
    await eventually('the command runs', 60_000, async () => command.output().includes('up\n'))
    return command
  }

  async function nothingLeft(): Promise<void> {
    expect(await leasesLeft()).toBe(0)
    expect(filesLeft()).toEqual([])
  }

  test('`kobe with-lease ci-small -- sh -c "kubectl get ns"` sees the namespaces of the cluster and gives it back', async () => {
    const result = await withLease('--', 'sh', '-c', 'kubectl get ns')
    say('kobe with-lease ci-small -- sh -c "kubectl get ns"', result.stdout)
    expect(result.code).toBe(0)
    expect(result.stdout).toMatch(/^default +Active/m)
    await nothingLeft()
  })

  test.each([
    ['a command that fails', ['sh', '-c', 'exit 7'], 7],
    ['a command that is killed', ['sh', '-c', 'kill -KILL $$'], 137],
    ['a command that is not there', ['no-such-command'], 127],
  ])('%s gives the cluster back and passes its code on', async (_title, command, code) => {
    expect((await withLease('--', ...command)).code).toBe(code)
    await nothingLeft()
  })

  test.each([
    ['SIGINT', 'trap "exit 42" INT', 42],
    ['SIGTERM', 'trap "exit 43" TERM', 43],
    ['SIGHUP', ':', 129],
  ] as const)('%s goes to the command, and the cluster is given back', async (signal, trap, code) => {
    const command = await staying(`${trap}; echo up; while :; do sleep 0.1; done`)
    command.child.kill(signal)
    expect(await command.exited).toBe(code)
    await nothingLeft()
  })

  test('after kill -9 of kobe the lease ends by missed heartbeats', async () => {
    // The command ends with its parent, as nobody else would end it.
    const command = await staying(
      'echo up; while kill -0 $PPID 2>/dev/null; do sleep 0.2; done',
      '--idle-timeout',
      '5s',
    )
    const [lease] = await leases()
    expect(lease?.phase).toBe('Bound')
    command.child.kill('SIGKILL')
    await command.exited
    await eventually('the lease is over', 60_000, async () => (await leasesLeft()) === 0)
    say(`${lease?.id} ended by itself`)
    await run('rm', ['-rf', ...filesLeft().map((name) => join(tmp, name))])
  })

  test('heartbeats keep a lease for longer than its idle timeout', async () => {
    const command = await staying('echo up; sleep 7; kubectl get ns default -o name', '--idle-timeout', '5s')
    expect(await command.exited).toBe(0)
    expect(command.output()).toContain('namespace/default')
  })

  test('kubectl finds the plugin, its usage, and completes leases, pools and options through it', async () => {
    await kobe.cliOk('lease', 'ci-small', '--name', 'mine')
    const inFolder = { cwd: kobe.dir, env: env() }
    expect(await ok(KUBECTL, ['kobe', 'list', '--help'], inFolder)).toContain('Usage: kubectl kobe list [options]')
    const complete = (...words: string[]) => ok(KUBECTL, ['__complete', 'kobe', ...words], inFolder)
    expect(await complete('release', '')).toMatch(/^mine\t.*\nlease-[0-9a-f]+\t.*\n:4\n$/)
    expect(await complete('lease', 'ci')).toMatch(/^ci-small\t/)
    expect(await complete('lease', 'ci-small', '-o', 'j')).toBe('json\n:4\n')
    const plugins = await run(KUBECTL, ['plugin', 'list'], {
      ...inFolder,
      env: { ...env(), PATH: join(kobe.dir, 'bin') },
    })
    expect(plugins.stdout).toContain('kubectl-kobe')
    expect(plugins.stderr).not.toContain('warning')
    await kobe.cliOk('release', 'mine')
  })

  test('a reader that goes away is borne, and a cluster whose kubeconfig cannot be written is given back', async () => {
    const shell = (line: string, more: Record<string, string> = {}) =>
      run('bash', ['-c', `kobe() { ${NODE} ${BIN} "$@"; }; ${line}`], { cwd: kobe.dir, env: { ...env(), ...more } })
    const piped = await shell('kobe status > >(head -c 1 >/dev/null); echo "$?"')
    expect(piped.stdout.trim()).toBe('0')
    expect(piped.stderr).toBe('')
    const unwritable = await shell('kobe lease ci-small', { HOME: '/sys/nowhere' })
    expect(unwritable.code).toBe(1)
    expect(unwritable.stderr).toMatch(/is given up\nkobe: cannot write .*\n {2}why: .*\n {2}fix: /)
    expect(await leasesLeft()).toBe(0)
  })

  test('a program gets a cluster for a scope: alive inside, given back after it, also when it throws', async () => {
    const program = join(kobe.dir, 'program.ts')
    writeFileSync(
      program,
      `import { execFileSync } from 'node:child_process'
import { leaseCluster } from ${JSON.stringify(join(ROOT, 'src', 'client', 'index.ts'))}

async function useCluster(): Promise<never> {
  await using cluster = await leaseCluster({ pool: 'ci-small', ttl: '10m', idleTimeout: '30s' })
  console.log(execFileSync('kubectl', ['--kubeconfig', cluster.kubeconfigPath, 'get', 'ns', '-o', 'name'], { encoding: 'utf8' }))
  console.log(cluster.kubeconfigPath)
  throw new Error('the end of the scope')
}

await useCluster().catch((error: Error) => console.log(error.message))
`,
    )
    const output = await ok(NODE, [program], { cwd: kobe.dir, env: env() })
    expect(output).toContain('namespace/default')
    expect(output).toContain('the end of the scope')
    const kubeconfig = /^\/.*\.yaml$/m.exec(output)?.[0] ?? ''
    expect(kubeconfig).toContain(tmp)
    expect(existsSync(kubeconfig)).toBe(false)
    await nothingLeft()
  })
})
