/** Defaults of a pod's spec, in a Pod and in every pod template [k8s core/v1 defaults]. */
import { at, ensureFields, type Fields, isFields, listAt, numberAt, setDefault, textAt } from '../fields.ts'

export function defaultPodTemplate(owner: Fields): void {
  const template = ensureFields(owner, 'template')
  defaultPodSpec(ensureFields(template, 'spec'))
}

export function defaultPodSpec(spec: Fields): void {
  setDefault(spec, 'restartPolicy', 'Always')
  setDefault(spec, 'terminationGracePeriodSeconds', 30)
  setDefault(spec, 'dnsPolicy', 'ClusterFirst')
  setDefault(spec, 'securityContext', {})
  setDefault(spec, 'schedulerName', 'default-scheduler')
  mirrorServiceAccount(spec)
  for (const container of containersOf(spec)) defaultContainer(container)
  for (const volume of listAt(spec, 'volumes').filter(isFields)) defaultVolume(volume)
  if (spec['hostNetwork'] === true) exposeHostPorts(spec)
}

/** All containers: init ones, the main ones, ephemeral ones. */
export function containersOf(spec: unknown): Fields[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => listAt(spec, list).filter(isFields))
}

/** `serviceAccount` is the old name of the same field. */
function mirrorServiceAccount(spec: Fields): void {
  const name = textAt(spec, 'serviceAccountName', textAt(spec, 'serviceAccount'))
  if (name === '') return
  spec['serviceAccountName'] = name
  spec['serviceAccount'] = name
}

function defaultContainer(container: Fields): void {
  setDefault(container, 'resources', {})
  setDefault(container, 'terminationMessagePath', '/dev/termination-log')
  setDefault(container, 'terminationMessagePolicy', 'File')
  setDefault(container, 'imagePullPolicy', pullPolicy(textAt(container, 'image')))
  for (const port of listAt(container, 'ports').filter(isFields)) setDefault(port, 'protocol', 'TCP')
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(container[probe])
  defaultHandler(at(container, 'lifecycle.postStart'))
  defaultHandler(at(container, 'lifecycle.preStop'))
  for (const variable of listAt(container, 'env')) defaultFieldRef(at(variable, 'valueFrom'))
}

/** An image without a tag, or tagged `latest`, is pulled each time; one with a digest or another tag is not. */
export function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent'
  const tag = /:([^/:]+)$/.exec(image)?.[1] ?? 'latest'
  return tag === 'latest' ? 'Always' : 'IfNotPresent'
}

function defaultProbe(probe: unknown): void {
  if (!isFields(probe)) return
  defaultHandler(probe)
  for (const [name, value] of [
    ['timeoutSeconds', 1],
    ['periodSeconds', 10],
    ['successThreshold', 1],
    ['failureThreshold', 3],
  ] as const) {
    if (numberAt(probe, name) === 0) probe[name] = value
  }
}

function defaultHandler(handler: unknown): void {
  const get = at(handler, 'httpGet')
  if (isFields(get)) {
    setDefault(get, 'path', '/')
    setDefault(get, 'scheme', 'HTTP')
  }
  const grpc = at(handler, 'grpc')
  if (isFields(grpc)) setDefault(grpc, 'service', '')
}

function defaultFieldRef(source: unknown): void {
  const fieldRef = at(source, 'fieldRef')
  if (isFields(fieldRef)) setDefault(fieldRef, 'apiVersion', 'v1')
  const resource = at(source, 'resourceFieldRef')
  if (isFields(resource)) setDefault(resource, 'divisor', '0')
}

/** rw-r--r--, as the decimal number that JSON takes. */
const READABLE = 0o644

const WITH_MODE = ['secret', 'configMap', 'downwardAPI', 'projected']

function defaultVolume(volume: Fields): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume['emptyDir'] = {}
  for (const kind of WITH_MODE) {
    const source = volume[kind]
    if (isFields(source)) setDefault(source, 'defaultMode', READABLE)
  }
  const hostPath = volume['hostPath']
  if (isFields(hostPath)) setDefault(hostPath, 'type', '')
  const image = volume['image']
  if (isFields(image)) setDefault(image, 'pullPolicy', pullPolicy(textAt(image, 'reference')))
  for (const item of listAt(volume, 'downwardAPI.items')) defaultFieldRef(item)
  for (const source of listAt(volume, 'projected.sources')) defaultProjection(source)
}

function defaultProjection(source: unknown): void {
  const token = at(source, 'serviceAccountToken')
  if (isFields(token)) setDefault(token, 'expirationSeconds', 3600)
  for (const item of listAt(source, 'downwardAPI.items')) defaultFieldRef(item)
}

/** On the host's network a container's ports are the host's. */
function exposeHostPorts(spec: Fields): void {
  for (const container of containersOf(spec)) {
    for (const port of listAt(container, 'ports').filter(isFields)) {
      if (numberAt(port, 'hostPort') === 0) port['hostPort'] = port['containerPort']
    }
  }
}
