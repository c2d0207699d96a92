/** How a pod behaves: its annotations, with the timings of the world as defaults. All times in milliseconds. */
import { annotationOf, durationMs, isSet, POD_ANNOTATIONS } from '../annotations.ts'
import type { Timings } from '../engine/timings.ts'
import type { Pod } from '../kinds.ts'

export interface PodScript {
  readonly startDelayMs: number
  readonly readyDelayMs: number
  readonly stopDelayMs: number
  readonly neverReady: boolean
  readonly ignoreTermination: boolean
  /** After so long its containers end, with this code; absent: they run for ever. */
  readonly end?: { readonly afterMs: number; readonly exitCode: number }
}

export function scriptOf(pod: Pod, timings: Timings): PodScript {
  const duration = (name: string) => durationMs(annotationOf(pod, name))
  const end = endOf(pod, timings)
  return {
    startDelayMs: duration(POD_ANNOTATIONS.startDelay) ?? timings.startDelayMs,
    readyDelayMs: duration(POD_ANNOTATIONS.readyDelay) ?? timings.readyDelayMs,
    stopDelayMs: duration(POD_ANNOTATIONS.stopDelay) ?? timings.stopDelayMs,
    neverReady: isSet(pod, POD_ANNOTATIONS.neverReady),
    ignoreTermination: isSet(pod, POD_ANNOTATIONS.ignoreTermination),
    ...(end === undefined ? {} : { end }),
  }
}

/** Whatever comes first; a pod that is not restarted for ever is taken for one that has an end. */
function endOf(pod: Pod, timings: Timings): PodScript['end'] {
  const code = Number(annotationOf(pod, POD_ANNOTATIONS.exitCode) ?? Number.NaN)
  const exitCode = (otherwise: number) => (Number.isInteger(code) && code >= 0 && code <= 255 ? code : otherwise)
  const crashAfter = durationMs(annotationOf(pod, POD_ANNOTATIONS.crashAfter))
  const runFor =
    durationMs(annotationOf(pod, POD_ANNOTATIONS.runFor)) ?? (isLasting(pod) ? undefined : timings.runForMs)
  if (crashAfter !== undefined && crashAfter <= (runFor ?? crashAfter)) {
    return { afterMs: crashAfter, exitCode: exitCode(1) }
  }
  return runFor === undefined ? undefined : { afterMs: runFor, exitCode: exitCode(0) }
}

function isLasting({ spec }: Pod): boolean {
  return (spec.restartPolicy ?? 'Always') === 'Always'
}
