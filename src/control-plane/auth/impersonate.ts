/**
 * `Impersonate-User` and its companions: one user acts as another. Modes are tried in turn - constrained ones (the verb
 * `impersonate:MODE` on the identity and `impersonate-on:MODE:VERB` on the request), then the plain verb `impersonate` -
 * and the first that is allowed wins; when none is, the error of the first is told. The mode that a user was allowed last
 * is tried first. `[k8s endpoints/filters/impersonation]`
 */
import { badRequest } from '../errors.ts'
import { type Attributes, type Authorizer, denied, type ResourceAttributes } from './authorize.ts'
import {
  ANONYMOUS,
  AUTHENTICATED_GROUP,
  MASTERS_GROUP,
  parseServiceAccountUser,
  serviceAccountGroups,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
} from './user.ts'

interface Wanted {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

const EXTRA_PREFIX = 'impersonate-extra-'

/** How many users' last modes are remembered. */
const REMEMBERED_USERS = 1000

export class Impersonation {
  readonly #authorize: Authorizer
  readonly #lastMode = new Map<string, Mode>()

  constructor(authorize: Authorizer) {
    this.#authorize = authorize
  }

  /**
   * Who the request acts as. `headers`: name and value in turn, as they were sent. `attributes` are those of the request
   * as its sender.
   * @throws ApiError 400 (no user named), 403
   */
  actingAs(headers: readonly string[], attributes: Attributes): UserInfo {
    const wanted = readHeaders(headers)
    if (wanted === undefined) return attributes.user
    const sender = attributes.user.name
    const last = this.#lastMode.get(sender)
    const modes = last === undefined ? MODES : [last, ...MODES.filter((mode) => mode !== last)]
    const failures: Error[] = []
    for (const mode of modes) {
      if (!mode.applies(wanted, attributes.user)) continue
      const denial = this.#firstDenial(mode.checks(wanted, attributes))
      if (denial === undefined) {
        this.#remember(sender, mode)
        return userFrom(wanted, mode)
      }
      failures.push(denial)
    }
    throw failures[0] ?? badRequest('nobody can be impersonated this way')
  }

  #firstDenial(checks: Iterable<Check>): Error | undefined {
    for (const { attributes, refusal } of checks) {
      if (refusal !== undefined) return denied(attributes, refusal)
      const { allowed, reason } = this.#authorize(attributes)
      if (!allowed) return denied(attributes, reason)
    }
    return undefined
  }

  #remember(user: string, mode: Mode): void {
    if (this.#lastMode.size >= REMEMBERED_USERS) this.#lastMode.clear()
    this.#lastMode.set(user, mode)
  }
}

/** @throws ApiError 400 */
function readHeaders(headers: readonly string[]): Wanted | undefined {
  const pairs = pairsOf(headers)
  const valuesOf = (name: string) => pairs.flatMap(([header, value]) => (header === name ? [value] : []))
  const [name = ''] = valuesOf('impersonate-user')
  const [uid = ''] = valuesOf('impersonate-uid')
  const groups = valuesOf('impersonate-group')
  const extra: Record<string, string[]> = {}
  for (const [header, value] of pairs) {
    if (header.startsWith(EXTRA_PREFIX)) addTo(extra, unescapeKey(header.slice(EXTRA_PREFIX.length)), value)
  }
  const wanted = { name, uid, groups, extra }
  if (name !== '') return wanted
  if (onlyNamed(wanted)) return undefined
  throw badRequest(`requested ${describe(wanted)} without impersonating a user name`)
}

function pairsOf(headers: readonly string[]): Array<readonly [string, string]> {
  return headers.flatMap((header, at) => (at % 2 === 0 ? [[header.toLowerCase(), headers[at + 1] ?? ''] as const] : []))
}

function addTo(extra: Record<string, string[]>, key: string, value: string): void {
  const known = Object.hasOwn(extra, key) ? extra[key] : undefined
  if (known === undefined) Object.defineProperty(extra, key, { value: [value], enumerable: true })
  else known.push(value)
}

/** A key that is not escaped properly means itself. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function describe({ uid, groups, extra }: Wanted): string {
  const texts = (values: readonly string[]) => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${texts(values)}`)
  const groupText = groups.length === 0 ? '[]string(nil)' : texts(groups)
  const extraText =
    entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.sort().join(', ')}}`
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}}`
}

interface Check {
  readonly attributes: Attributes
  /** Why it is refused whatever the rules say. */
  readonly refusal?: string
}

interface Mode {
  readonly constrained: boolean
  applies(wanted: Wanted, sender: UserInfo): boolean
  checks(wanted: Wanted, attributes: Attributes): Iterable<Check>
}

const LEGACY: Mode = {
  constrained: false,
  applies: () => true,
  checks: (wanted, { user }) => identityChecks({ sender: user, verb: 'impersonate', constrained: false }, wanted),
}

function constrainedMode(name: string, applies: Mode['applies']): Mode {
  return {
    constrained: true,
    applies,
    *checks(wanted, attributes) {
      const sender = withoutValues(name, attributes.user)
      yield { attributes: { ...attributes, user: sender, verb: `impersonate-on:${name}:${attributes.verb}` } }
      yield* identityChecks({ sender, verb: `impersonate:${name}`, constrained: true }, wanted)
    },
  }
}

const ASSOCIATED_NODE = 'associated-node'

/** What is allowed for the node of one pod is allowed for that of each: the values say nothing. */
function withoutValues(mode: string, user: UserInfo): UserInfo {
  return mode === ASSOCIATED_NODE ? { name: user.name, groups: user.groups } : user
}

const MODES: readonly Mode[] = [
  constrainedMode(ASSOCIATED_NODE, (wanted, sender) => onlyNamed(wanted) && isNodeOf(sender, wanted.name)),
  constrainedMode('arbitrary-node', (wanted) => onlyNamed(wanted) && nodeOf(wanted.name) !== undefined),
  constrainedMode(
    'serviceaccount',
    (wanted) => onlyNamed(wanted) && parseServiceAccountUser(wanted.name) !== undefined,
  ),
  constrainedMode('user-info', ({ name }) => nodeOf(name) === undefined && parseServiceAccountUser(name) === undefined),
  LEGACY,
]

function onlyNamed({ uid, groups, extra }: Wanted): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0
}

function nodeOf(user: string): string | undefined {
  return /^system:node:([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(user)?.[1]
}

function isNodeOf({ name, extra }: UserInfo, user: string): boolean {
  const node = nodeOf(user)
  const known = extra?.['authentication.kubernetes.io/node-name'] ?? []
  return node !== undefined && parseServiceAccountUser(name) !== undefined && known.length === 1 && known[0] === node
}

interface IdentityCheck {
  readonly sender: UserInfo
  readonly verb: string
  readonly constrained: boolean
}

const AUTHENTICATION = 'authentication.k8s.io'

function* identityChecks(check: IdentityCheck, { name, uid, groups, extra }: Wanted): Iterable<Check> {
  const ask = (resource: Omit<ResourceAttributes, 'version'>): Check => ({
    attributes: { user: check.sender, verb: check.verb, resource: { version: 'v1', ...resource } },
  })
  const group = check.constrained ? AUTHENTICATION : ''
  yield ask({ group, ...userResource(check, name) })
  if (uid !== '') yield ask({ group: AUTHENTICATION, plural: 'uids', name: uid })
  yield* groupChecks(check, groups, ask)
  yield* extraChecks(check, extra, ask)
}

function userResource(
  { constrained, verb }: IdentityCheck,
  user: string,
): Omit<ResourceAttributes, 'version' | 'group'> {
  const node = nodeOf(user)
  if (constrained && node !== undefined) {
    return { plural: 'nodes', name: verb.endsWith(ASSOCIATED_NODE) ? '*' : node }
  }
  const account = parseServiceAccountUser(user)
  return account === undefined ? { plural: 'users', name: user } : { plural: 'serviceaccounts', ...account }
}

type Ask = (resource: Omit<ResourceAttributes, 'version'>) => Check

function* groupChecks({ constrained }: IdentityCheck, groups: readonly string[], ask: Ask): Iterable<Check> {
  const group = constrained ? AUTHENTICATION : ''
  if (constrained && groups.includes('')) {
    const refusal = 'impersonating the empty string group is not allowed'
    yield { ...ask({ group, plural: 'groups' }), refusal }
  }
  if (constrained && groups.includes(MASTERS_GROUP)) {
    const refusal = `impersonating the ${MASTERS_GROUP} group is not allowed`
    yield { ...ask({ group, plural: 'groups', name: MASTERS_GROUP }), refusal }
  }
  for (const name of groups) yield ask({ group, plural: 'groups', name })
}

function* extraChecks({ constrained }: IdentityCheck, extra: Wanted['extra'], ask: Ask): Iterable<Check> {
  const resource = { group: AUTHENTICATION, plural: 'userextras' }
  for (const [key, values] of constrained ? Object.entries(extra) : []) {
    const refusal = refusedExtra(key, values)
    if (refusal !== undefined) yield { ...ask(resource), refusal }
  }
  for (const [subresource, values] of Object.entries(extra)) {
    for (const name of values) yield ask({ ...resource, subresource, name })
  }
}

/** Keys are lower case already: headers are. */
function refusedExtra(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(key)) {
    const rule = `extra.key: Invalid value: ${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
    return `impersonating an invalid key in extra is not allowed: ${rule}`
  }
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined
}

function userFrom({ name, uid, groups, extra }: Wanted, { constrained }: Mode): UserInfo {
  const own = [...(groups.length > 0 ? groups : ownGroups(name, constrained))]
  if (name === ANONYMOUS.name) addGroup(own, UNAUTHENTICATED_GROUP)
  else if (!own.includes(UNAUTHENTICATED_GROUP)) addGroup(own, AUTHENTICATED_GROUP)
  return { name, groups: own, ...(uid === '' ? {} : { uid }), extra }
}

function ownGroups(name: string, constrained: boolean): readonly string[] {
  const account = parseServiceAccountUser(name)
  if (account !== undefined) return serviceAccountGroups(account.namespace)
  return constrained && nodeOf(name) !== undefined ? ['system:nodes'] : []
}

function addGroup(groups: string[], group: string): void {
  if (!groups.includes(group)) groups.push(group)
}
