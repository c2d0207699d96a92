/** A directory with the kubeconfig of a server, and programs that are run with it as a user would. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KUBECTL, type Result, ROOT, run } from '../../support/run.ts'

const HELM = join(ROOT, '.cache', 'tools', 'helm')
export const hasHelm = existsSync(HELM)

export interface Workspace {
  kubectl(args: string, input?: string): Promise<Result>
  helm(args: string): Promise<Result>
  close(): Promise<void>
}

export async function openWorkspace(kubeconfig: string): Promise<Workspace> {
  const dir = await mkdtemp(join(tmpdir(), 'kobe-clients-'))
  const path = join(dir, 'kubeconfig')
  await writeFile(path, kubeconfig)
  const env = { KUBECONFIG: path, HOME: dir }
  const options = { cwd: import.meta.dirname, env, timeoutMs: 60_000 }
  return {
    kubectl: (args, input) => run(KUBECTL, args.split(' '), { ...options, ...(input === undefined ? {} : { input }) }),
    helm: (args) => run(HELM, args.split(' '), options),
    close: () => rm(dir, { recursive: true, force: true }),
  }
}

/** Exit code 0, or what was printed as an error. */
export async function succeed(command: Promise<Result>): Promise<string> {
  const { code, stdout, stderr } = await command
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`)
  return stdout
}
