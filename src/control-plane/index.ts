/**
 * An embedded Kubernetes API server: storage, discovery, validation and watches, without nodes, containers or
 * schedulers. It stands alone: nothing in here knows who uses it.
 */
import { createAuthenticator } from './auth/authenticate.ts'
import { bootstrap, NamespaceFurniture } from './bootstrap.ts'
import { builtinResources, withPriorityClasses, withServiceAddresses } from './builtin/index.ts'
import { startBackground } from './gc/background.ts'
import type { ControlPlane, ControlPlaneOptions } from './options.ts'
import { Rbac } from './rbac/rbac.ts'
import type { Core } from './registry/core.ts'
import { CRD_RESOURCE } from './registry/crd-conditions.ts'
import { CrdLifecycle } from './registry/crd-lifecycle.ts'
import { withCrdStrategy } from './registry/crd-strategy.ts'
import { storageName } from './registry/kind-traits.ts'
import { Registry } from './registry/registry.ts'
import type { ResourceDefinition } from './registry/resource-definition.ts'
import { priorityClasses, serviceAddresses } from './registry/store-lookups.ts'
import { WatchHub } from './registry/watch-hub.ts'
import { createDispatch } from './server/dispatch.ts'
import { listenHttps } from './server/https-server.ts'
import { createMemoryPersistence, type Persistence } from './store/persistence.ts'
import { Store } from './store/store.ts'
import { TokenService } from './tokens/token-service.ts'

export type { ControlPlane, ControlPlaneOptions, Pki, TokenRecord } from './options.ts'
export { createPki, issueClientCertificate, renderKubeconfig } from './pki/index.ts'
export { StoreError, type StoreErrorCode } from './store/store-error.ts'

const DEFAULT_WATCH_HISTORY = 1024
/** The release that the built-in schemas were taken from. */
const DEFAULT_VERSION = 'v1.36.3'

/**
 * Starts a control plane; it answers requests when the promise resolves.
 * @throws StoreError when the storage file cannot be used; the error of `listen` when the address cannot be
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const onError = options.onError ?? (() => undefined)
  const persistence = await openPersistence(options)
  try {
    return await run(options, persistence, onError)
  } catch (error) {
    persistence.close()
    throw error
  }
}

async function openPersistence({ storage }: ControlPlaneOptions): Promise<Persistence> {
  if (storage.type === 'memory') return createMemoryPersistence()
  const { openSqlitePersistence } = await import('./store/sqlite-persistence.ts')
  return openSqlitePersistence({ path: storage.path })
}

async function run(
  options: ControlPlaneOptions,
  persistence: Persistence,
  onError: (error: unknown, context: string) => void,
): Promise<ControlPlane> {
  const host = options.host ?? '127.0.0.1'
  const crds = new CrdLifecycle()
  const core = createCore(options, persistence, crds, onError)
  await crds.start(core)
  bootstrap(core)
  if (options.furnishNamespaces !== false) new NamespaceFurniture(core, options.clientCa).start()
  const tokens = new TokenService(core, { key: options.serviceAccountKey, rootCa: options.clientCa })
  const rbac = new Rbac(core)
  const dispatch = createDispatch({
    core,
    crds,
    authenticator: createAuthenticator(options.tokens ?? [], tokens),
    rbac,
    tokens,
    version: options.version ?? DEFAULT_VERSION,
  })
  const { cert, key } = options.tls
  const address = { host, port: options.port ?? 0, cert, key, clientCa: options.clientCa, onError }
  const server = await listenHttps(address, dispatch)
  const stopBackground = startBackground(core)
  tokens.start()
  return {
    host,
    port: server.port,
    url: `https://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    close: async () => {
      stopBackground()
      tokens.stop()
      core.watches.close()
      await server.close()
      core.store.close()
    },
  }
}

function createCore(
  options: ControlPlaneOptions,
  persistence: Persistence,
  crds: CrdLifecycle,
  onError: (error: unknown, context: string) => void,
): Core {
  const store = new Store({ persistence, watchHistory: options.watchHistory ?? DEFAULT_WATCH_HISTORY, onError })
  const informed: Readonly<Record<string, (definition: ResourceDefinition) => ResourceDefinition>> = {
    [CRD_RESOURCE]: (definition) => withCrdStrategy(definition, () => crds.modules()),
    pods: (definition) => withPriorityClasses(definition, priorityClasses(store)),
    services: (definition) => withServiceAddresses(definition, serviceAddresses(store)),
  }
  const definitions = builtinResources().map(
    (definition) => informed[storageName(definition)]?.(definition) ?? definition,
  )
  return {
    store,
    registry: new Registry(definitions),
    watches: new WatchHub(),
    now: () => Date.now(),
    onError,
  }
}
