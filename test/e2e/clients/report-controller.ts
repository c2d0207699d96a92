/**
 * A small controller as an operator's author writes it: plain informers and object API of the official client. Each Gadget
 * gets a ConfigMap `<name>-report`, owned by it, with what its spec says; its condition Reported tells of which generation.
 */
import {
  ApiException,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  type ObjectCache,
  type V1ConfigMap,
} from '@kubernetes/client-node'

interface Gadget extends KubernetesObject {
  spec: { size: number; color?: string }
  status?: { conditions?: { type: string; status: string; reason: string }[] }
}

type Watched<T extends KubernetesObject> = Informer<T> & ObjectCache<T>

const LABELS = { 'app.kubernetes.io/managed-by': 'gadget-reports' }
const SELECTOR = 'app.kubernetes.io/managed-by=gadget-reports'

export class ReportController {
  readonly #api: KubernetesObjectApi
  readonly #custom: CustomObjectsApi
  readonly #gadgets: Watched<Gadget>
  readonly #reports: Watched<V1ConfigMap>
  readonly #namespace: string
  /** Names whose turn comes; a name that is queued again while it is handled is handled again. */
  readonly #queue = new Set<string>()
  readonly #failures: unknown[] = []
  #working = Promise.resolve()

  constructor(kubeconfig: string, namespace: string) {
    const config = new KubeConfig()
    config.loadFromString(kubeconfig)
    this.#namespace = namespace
    this.#api = KubernetesObjectApi.makeApiClient(config)
    this.#custom = config.makeApiClient(CustomObjectsApi)
    this.#gadgets = makeInformer<Gadget>(config, `/apis/parity.example.com/v1/namespaces/${namespace}/gadgets`, () =>
      this.#list('parity.example.com/v1', 'Gadget'),
    )
    this.#reports = makeInformer<V1ConfigMap>(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => this.#list('v1', 'ConfigMap', SELECTOR),
      SELECTOR,
    )
  }

  /** What went wrong and was not an expected conflict. */
  get failures(): readonly unknown[] {
    return this.#failures
  }

  async start(): Promise<void> {
    this.#gadgets.on('change', (gadget) => this.#enqueue(gadget.metadata?.name))
    this.#reports.on('change', (report) => this.#enqueue(ownerOf(report)))
    for (const watched of [this.#gadgets, this.#reports]) {
      watched.on('error', (error) => this.#failures.push(error))
      await watched.start()
    }
  }

  async stop(): Promise<void> {
    await this.#gadgets.stop()
    await this.#reports.stop()
    await this.#working
  }

  async #list<T extends KubernetesObject>(apiVersion: string, kind: string, selector?: string) {
    const list = await this.#api.list<T>(
      apiVersion,
      kind,
      this.#namespace,
      undefined,
      undefined,
      undefined,
      undefined,
      selector,
    )
    return list as KubernetesListObject<T>
  }

  #enqueue(name: string | undefined): void {
    if (name === undefined || this.#queue.has(name)) return
    this.#queue.add(name)
    this.#working = this.#working.then(() => this.#work(name))
  }

  async #work(name: string): Promise<void> {
    this.#queue.delete(name)
    try {
      const gadget = this.#gadgets.get(name, this.#namespace)
      if (gadget !== undefined && gadget.metadata?.deletionTimestamp === undefined) await this.#reconcile(name, gadget)
    } catch (error) {
      // Of a cache that is behind: the event that tells what was missed brings the name back.
      if (!(error instanceof ApiException && [404, 409].includes(error.code))) this.#failures.push(error)
    }
  }

  async #reconcile(name: string, gadget: Gadget): Promise<void> {
    const data = { size: String(gadget.spec.size), color: gadget.spec.color ?? '' }
    const report = this.#reports.get(`${name}-report`, this.#namespace)
    if (report === undefined) await this.#api.create(this.#render(name, gadget, data))
    else if (JSON.stringify(report.data) !== JSON.stringify(data))
      await this.#api.replace({ ...report, ...typeOf('v1', 'ConfigMap'), data })
    const reason = `Generation${gadget.metadata?.generation ?? 0}`
    if (gadget.status?.conditions?.[0]?.reason !== reason) await this.#writeStatus(name, gadget, reason)
  }

  #render(name: string, gadget: Gadget, data: Record<string, string>): V1ConfigMap {
    const owner = {
      ...typeOf('parity.example.com/v1', 'Gadget'),
      name,
      uid: gadget.metadata?.uid ?? '',
      controller: true,
    }
    const metadata = { name: `${name}-report`, namespace: this.#namespace, labels: LABELS, ownerReferences: [owner] }
    return { ...typeOf('v1', 'ConfigMap'), metadata, data }
  }

  async #writeStatus(name: string, gadget: Gadget, reason: string): Promise<void> {
    const status = { conditions: [{ type: 'Reported', status: 'True', reason }] }
    const body = { ...gadget, ...typeOf('parity.example.com/v1', 'Gadget'), status }
    const place = { group: 'parity.example.com', version: 'v1', plural: 'gadgets', namespace: this.#namespace }
    await this.#custom.replaceNamespacedCustomObjectStatus({ ...place, name, body })
  }
}

function typeOf(apiVersion: string, kind: string): { apiVersion: string; kind: string } {
  return { apiVersion, kind }
}

function ownerOf(report: V1ConfigMap): string | undefined {
  return report.metadata?.ownerReferences?.[0]?.name
}
