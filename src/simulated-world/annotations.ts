/**
 * Annotations by which a person or a test scripts the simulated world: docs/guides/simulated-nodes.md. A value that cannot
 * be read counts as absent.
 */
import type { KubeObject } from '../api/resource.ts'

const PREFIX = 'sim.kobe.kunobi.ninja'

export const NODE_ANNOTATIONS = {
  /** `simulated`: this Node is run by the simulated kubelet. */
  kubelet: `${PREFIX}/kubelet`,
  /** `on` (default) or `off`. */
  power: `${PREFIX}/power`,
  /** From power on to a kubelet that runs. Duration. */
  bootDelay: `${PREFIX}/boot-delay`,
  /** From a kubelet that runs to Ready. Duration. */
  readyDelay: `${PREFIX}/ready-delay`,
  /** `true`: the kubelet runs, and the node never becomes Ready. */
  neverReady: `${PREFIX}/never-ready`,
  /** Names of static pods, separated by commas. */
  staticPods: `${PREFIX}/static-pods`,
  /** Written by the simulation: `running`, `stopped` or `booting`. */
  machine: `${PREFIX}/machine`,
  /** Written by the simulation: since when. RFC 3339 with milliseconds. */
  machineSince: `${PREFIX}/machine-since`,
} as const

export const POD_ANNOTATIONS = {
  /** From the pod's start on its node until its containers run. Duration. */
  startDelay: `${PREFIX}/start-delay`,
  /** From running to Ready. Duration. */
  readyDelay: `${PREFIX}/ready-delay`,
  /** From the request to end until the containers have ended. Duration, at most the grace period. */
  stopDelay: `${PREFIX}/stop-delay`,
  /** `true`: the containers run and never become ready. */
  neverReady: `${PREFIX}/never-ready`,
  /** `true`: the containers only end when the grace period is over. */
  ignoreTermination: `${PREFIX}/ignore-termination`,
  /** The containers end after so long, exit code 0. Duration. */
  runFor: `${PREFIX}/run-for`,
  /** The containers end after so long, exit code 1. Duration. */
  crashAfter: `${PREFIX}/crash-after`,
  /** Another exit code. */
  exitCode: `${PREFIX}/exit-code`,
} as const

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

/** `500ms`, `2s`, `1m30s`; milliseconds. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined || !DURATION.test(text)) return undefined
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)
  return [...parts].reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0), 0)
}

export function annotationOf({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[name]
}

export function isSet(object: KubeObject, name: string): boolean {
  return annotationOf(object, name) === 'true'
}
