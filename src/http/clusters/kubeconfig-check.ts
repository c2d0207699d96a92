/**
 * A kubeconfig that somebody sends. It is used by the operator, so it may neither run a program nor read a file there: only what
 * stands in the text itself counts.
 */
import { parse } from 'yaml'
import { systemClock } from '../../kube/clock.ts'
import { KubeconfigError } from '../../kube/connection.ts'
import { kubeconfigConnection } from '../../kube/kubeconfig.ts'

/** What may not stand in an entry, and what may stand there instead. */
const REFUSED: Readonly<Record<'users' | 'clusters', Readonly<Record<string, string>>>> = {
  users: {
    exec: 'it would run a program: give a token or a client certificate',
    'auth-provider': 'it would run the login of a cloud: give a token or a client certificate',
    tokenFile: 'it names a file: put the token itself under token',
    'client-certificate': 'it names a file: put the certificate itself under client-certificate-data',
    'client-key': 'it names a file: put the key itself under client-key-data',
  },
  clusters: {
    'certificate-authority': 'it names a file: put the certificate itself under certificate-authority-data',
  },
}

const PARTS = { users: 'user', clusters: 'cluster' } as const

/** Why the operator will not use it; undefined: it will. Never quotes the text. Every entry counts, used or not. */
export function refuseKubeconfig(text: string): string | undefined {
  const config = parsed(text)
  if (config === undefined) return 'neither YAML nor JSON'
  const found = (['users', 'clusters'] as const).flatMap((list) =>
    entriesOf(config[list]).flatMap((entry) => refusedFields(list, fieldsOf(entry[PARTS[list]]))),
  )
  return found[0] ?? unusable(text)
}

function refusedFields(list: 'users' | 'clusters', fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(REFUSED[list])
    .filter(([name]) => fields[name] !== undefined && fields[name] !== null && fields[name] !== '')
    .map(([name, why]) => `${list}[].${PARTS[list]}.${name} is refused: ${why}`)
}

function unusable(text: string): string | undefined {
  try {
    const { server } = kubeconfigConnection({ text }, systemClock)
    return server.startsWith('https://') ? undefined : 'clusters[].cluster.server must begin with https://'
  } catch (error) {
    if (error instanceof KubeconfigError) return error.message
    throw error
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return fieldsOf(parse(text))
  } catch {
    // The parser's message quotes the line it stumbled over, which may hold a key.
    return undefined
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const entriesOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(fieldsOf) : []
