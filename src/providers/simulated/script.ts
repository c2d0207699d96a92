/**
 * Annotations of the ConfigMap of a simulated cloud, by which a person or a test makes things go wrong:
 * docs/guides/change-node-settings.md. A value that cannot be read counts as absent.
 */

import type { KubeObject } from '../../api/resource.ts'
import { annotationOf, durationMs } from '../../simulated-world/annotations.ts'
import type { LifeTimes, LifeTroubles } from '../machine-life.ts'
import type { MachineSettings } from '../provider.ts'

const PREFIX = 'sim.kobe.kunobi.ninja'

export const CLOUD_ANNOTATIONS = {
  /** From a request until the machine is off. Duration, default 300ms. */
  stopTime: `${PREFIX}/stop-time`,
  /** From a request until the machine has power. Duration, default 300ms; its boot comes on top. */
  startTime: `${PREFIX}/start-time`,
  /** From a request until a new machine has power. Duration, default 1s. */
  createTime: `${PREFIX}/create-time`,
  /** Names, separated by commas: their jobs never end. */
  stuck: `${PREFIX}/stuck`,
  /** Names or offerings: starting one finds no room. */
  noRoom: `${PREFIX}/no-room`,
  /** Names: they have power, and their Node never becomes Ready again. */
  neverReturns: `${PREFIX}/never-returns`,
  /** Offerings whose disks cannot be resized. */
  fixedDisks: `${PREFIX}/fixed-disks`,
  /** Offering that the cluster as a whole was made with: that of groups which never had settings of their own. */
  clusterOffering: `${PREFIX}/cluster-offering`,
  /** Names: their etcd member does not answer. */
  etcdDown: `${PREFIX}/etcd-down`,
  /** Names: their API server does not answer. */
  apiDown: `${PREFIX}/api-down`,
  /** `true`: every call is answered with "too many requests". */
  throttled: `${PREFIX}/throttled`,
  /** `true`: no call is answered. */
  unavailable: `${PREFIX}/unavailable`,
} as const

export interface CloudScript extends LifeTroubles {
  readonly times: LifeTimes
  readonly neverReturns: ReadonlySet<string>
  readonly fixedDiskOfferings: ReadonlySet<string>
  readonly clusterSettings?: MachineSettings
  readonly etcdDown: ReadonlySet<string>
  readonly apiDown: ReadonlySet<string>
  readonly throttled: boolean
  readonly unavailable: boolean
}

export function scriptOf(configMap: KubeObject): CloudScript {
  const names = (annotation: string) => namesIn(annotationOf(configMap, annotation))
  const ms = (annotation: string, otherwise: number) => durationMs(annotationOf(configMap, annotation)) ?? otherwise
  const stuck = names(CLOUD_ANNOTATIONS.stuck)
  const clusterOffering = annotationOf(configMap, CLOUD_ANNOTATIONS.clusterOffering)
  const noRoom = names(CLOUD_ANNOTATIONS.noRoom)
  return {
    times: {
      stopMs: ms(CLOUD_ANNOTATIONS.stopTime, 300),
      startMs: ms(CLOUD_ANNOTATIONS.startTime, 300),
      createMs: ms(CLOUD_ANNOTATIONS.createTime, 1_000),
    },
    isStuck: (name) => stuck.has(name),
    hasNoRoom: (name, { settings }) => noRoom.has(name) || noRoom.has(settings.offering ?? ''),
    neverReturns: names(CLOUD_ANNOTATIONS.neverReturns),
    fixedDiskOfferings: names(CLOUD_ANNOTATIONS.fixedDisks),
    ...(clusterOffering === undefined ? {} : { clusterSettings: { offering: clusterOffering } }),
    etcdDown: names(CLOUD_ANNOTATIONS.etcdDown),
    apiDown: names(CLOUD_ANNOTATIONS.apiDown),
    throttled: annotationOf(configMap, CLOUD_ANNOTATIONS.throttled) === 'true',
    unavailable: annotationOf(configMap, CLOUD_ANNOTATIONS.unavailable) === 'true',
  }
}

function namesIn(text = ''): ReadonlySet<string> {
  return new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
}
