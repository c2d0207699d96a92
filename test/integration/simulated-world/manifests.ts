/** Workloads for the tests: one container, label `app` with the name. */

export interface PodOptions {
  readonly annotations?: Readonly<Record<string, string>>
  readonly graceSeconds?: number
}

function template(name: string, { annotations, graceSeconds }: PodOptions = {}) {
  return {
    metadata: { labels: { app: name }, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      containers: [{ name: 'main', image: `${name}:1` }],
      ...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds }),
    },
  }
}

function workload(kind: string, name: string, options?: PodOptions) {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: template(name, options) },
  }
}

export function deployment(name: string, replicas: number, options?: PodOptions): object {
  const made = workload('Deployment', name, options)
  return { ...made, spec: { ...made.spec, replicas } }
}

export function daemonSet(name: string): object {
  return workload('DaemonSet', name)
}

/** With one claim for each pod. */
export function statefulSet(name: string, replicas: number): object {
  const made = workload('StatefulSet', name)
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  return { ...made, spec: { ...made.spec, replicas, serviceName: name, volumeClaimTemplates: [claim] } }
}
