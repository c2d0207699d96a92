/** Paths that are not about a resource: discovery, OpenAPI, health, version. */
import { type ApiError, NoSuchPage, noSuchPath, notAcceptable } from '../errors.ts'
import { type Answer, JSON_TYPE, jsonAnswer } from '../handlers/api-request.ts'
import type { Core } from '../registry/core.ts'
import type { TokenService } from '../tokens/token-service.ts'

export interface PathRequest {
  readonly core: Core
  readonly path: string
  readonly accept: string
  readonly query: URLSearchParams
  /** Such as `v1.36.3`. */
  readonly version: string
  readonly tokens: TokenService
  /** Where the server was reached. */
  readonly url: string
}

/** @throws ApiError 404, 406 */
export async function answerPath(request: PathRequest): Promise<Answer> {
  const root = request.path.split('/')[1] ?? ''
  switch (root) {
    case '':
      return jsonAnswer(200, { paths: pathList(request.core) })
    case 'version':
      return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(versionInfo(request.version), null, 2) }
    case 'healthz':
    case 'livez':
    case 'readyz':
      return health(request, root)
    case 'api':
    case 'apis':
      return await discovery(request)
    case 'openapi':
      return await openapi(request)
    case '.well-known':
    case 'openid':
      return await openid(request)
    default:
      throw new NoSuchPage()
  }
}

const ROOTS: ReadonlySet<string> = new Set([
  '',
  'version',
  'healthz',
  'livez',
  'readyz',
  'api',
  'apis',
  'openapi',
  '.well-known',
  'openid',
])

/** Something is served at or below the first part of the path. */
export function isServedRoot(path: string): boolean {
  return ROOTS.has(path.split('/')[1] ?? '')
}

/** How to check tokens of ServiceAccounts elsewhere. */
async function openid({ path, tokens, url }: PathRequest): Promise<Answer> {
  const { KEY_SET, keySet, OPENID_CONFIGURATION, openidConfiguration } = await import('../tokens/openid.ts')
  const { signingKey } = await tokens.load()
  if (path === OPENID_CONFIGURATION) return openidConfiguration(signingKey(), url)
  if (path === KEY_SET) return keySet(signingKey())
  throw noSuchPath()
}

/** Below a group that the server itself brings along a Status says that nothing is there; elsewhere plain text does. */
export function nothingAt(core: Core, group: string): ApiError {
  const isOwn = /^v\d/.test(group) || core.registry.all().some((one) => one.group === group && one.origin === 'builtin')
  return isOwn ? noSuchPath() : new NoSuchPage()
}

function pathList(core: Core): string[] {
  const groups = new Set<string>()
  for (const { group, version } of core.registry.all()) {
    if (group === '') groups.add(`/api/${version}`)
    else groups.add(`/apis/${group}`).add(`/apis/${group}/${version}`)
  }
  const others = [
    '/.well-known/openid-configuration',
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/openid/v1/jwks',
    '/readyz',
    '/version',
  ]
  return [...groups, ...others, ...CHECKS.map((check) => `/healthz/${check}`)].sort()
}

function versionInfo(gitVersion: string): Record<string, string> {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? []
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Math.max(0, Number(minor) - 1)),
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: `${process.platform === 'win32' ? 'windows' : process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  }
}

/** A server that answers is well: it listens only after its store is loaded and its resources are served. */
const CHECKS = ['ping', 'log', 'etcd', 'poststarthook/start-apiextensions-controllers']

function health({ path, query }: PathRequest, root: string): Answer {
  const [, , ...rest] = path.split('/')
  const check = rest.join('/')
  if (check !== '') {
    if (!CHECKS.includes(check)) throw noSuchPath()
    return text('ok')
  }
  if (!query.has('verbose')) return text('ok')
  return text(`${CHECKS.map((name) => `[+]${name} ok\n`).join('')}${root} check passed\n`)
}

function text(body: string): Answer {
  return { status: 200, contentType: 'text/plain; charset=utf-8', body }
}

/** Answers about everything that is served are made once per change of it. */
interface Cached {
  readonly epoch: number
  readonly answers: Map<string, Answer>
}

const caches = new WeakMap<Core, Cached>()

async function cached(core: Core, key: string, make: () => Promise<Answer>): Promise<Answer> {
  let cache = caches.get(core)
  if (cache === undefined || cache.epoch !== core.registry.epoch) {
    cache = { epoch: core.registry.epoch, answers: new Map() }
    caches.set(core, cache)
  }
  const { answers } = cache
  const known = answers.get(key)
  if (known !== undefined) return known
  const answer = await make()
  // Accept headers come from clients: a flood of different ones must not fill the memory.
  if (answers.size < 16) answers.set(key, answer)
  return answer
}

function discovery({ core, path, accept, url }: PathRequest): Promise<Answer> {
  return cached(core, `${path} ${accept} ${path === '/api' ? url : ''}`, async () => {
    const { discoveryResponse } = await import('../discovery/discovery.ts')
    const found = discoveryResponse(path, accept, core.registry.all(), new URL(url).host)
    if (found === undefined) throw nothingAt(core, path.split('/')[2] ?? '')
    return found
  })
}

async function openapi(request: PathRequest): Promise<Answer> {
  const [, , version, ...rest] = request.path.split('/')
  if (version === 'v2' && rest.length === 0) return await openapiVersion2(request)
  if (version !== 'v3') throw noSuchPath()
  const { core, path, accept } = request
  if (accept.includes('protobuf') && !accept.includes('json')) throw notAcceptable(['application/json'])
  const { openapiDocument, openapiIndex } = await import('../openapi/openapi.ts')
  const definitions = core.registry.all()
  if (rest.length === 0) {
    return cached(core, path, async () => ({ status: 200, contentType: JSON_TYPE, body: openapiIndex(definitions) }))
  }
  const document = openapiDocument(rest.join('/'), definitions)
  if (document === undefined) return { status: 404, contentType: '', body: '' }
  return { status: 200, contentType: JSON_TYPE, body: document }
}

async function openapiVersion2({ core, accept }: PathRequest): Promise<Answer> {
  const { OPENAPI_V2_PROTOBUF, openapiV2 } = await import('../openapi/openapi-v2.ts')
  const found = openapiV2(accept, core.registry.all())
  if (found === undefined) throw notAcceptable([JSON_TYPE, OPENAPI_V2_PROTOBUF])
  return { status: 200, ...found }
}
