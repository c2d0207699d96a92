/** A file of `NAME=value` lines for later steps: `.env`, or the file that a CI system takes environment variables from. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LeaseDetail } from '../client/api.ts'
import { writePrivate } from '../client/kubeconfig-file.ts'

/** What commands that use the cluster find in their environment. */
export function leaseVariables(
  lease: Pick<LeaseDetail, 'id' | 'profile' | 'cluster_name' | 'expires_at'>,
  kubeconfigPath: string,
): Readonly<Record<string, string>> {
  return {
    KUBECONFIG: kubeconfigPath,
    KOBE_LEASE_ID: lease.id,
    KOBE_POOL: lease.profile,
    ...(lease.cluster_name === undefined ? {} : { KOBE_CLUSTER: lease.cluster_name }),
    ...(lease.expires_at === undefined ? {} : { KOBE_EXPIRES_AT: lease.expires_at }),
  }
}

/** Lines of other variables stay as they are; ours are replaced. Throws `KobeError` `file`. */
export function writeDotenv(cwd: string, file: string, variables: Readonly<Record<string, string>>): string {
  const path = resolve(cwd, file)
  const before = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const others = before.filter((line) => !(line.split('=', 1)[0]?.trim() ?? '').match(namePattern(variables)))
  while (others.at(-1) === '') others.pop()
  const ours = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  writePrivate(path, `${[...others, ...ours].join('\n')}\n`)
  return path
}

function namePattern(variables: Readonly<Record<string, string>>): RegExp {
  return new RegExp(`^(export +)?(${Object.keys(variables).join('|')})$`)
}
