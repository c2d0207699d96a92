/** Bootstraps strictly in order: the files of one, then its job, then the next. */

import { contentHash } from '../content-hash.ts'
import { applyManifest } from '../manifest/apply-manifest.ts'
import type { SetupContext } from '../setup-context.ts'
import type { BootstrapRequest } from '../setup-request.ts'
import { DONE, failed, runStep, type StepResult, type UnfinishedStep, waiting } from '../step-result.ts'
import { type BootstrapJobRun, bootstrapJobName } from './run-job.ts'
import { substitute, substituteJob } from './substitute.ts'

export type BootstrapsResult =
  | { readonly state: 'done' }
  | (UnfinishedStep & {
      /** The one that is not done. */
      readonly bootstrap: string
    })

export async function runBootstraps(context: SetupContext): Promise<BootstrapsResult> {
  for (const bootstrap of context.request.bootstraps) {
    const result = await runBootstrap(context, bootstrap)
    if (result.state !== 'done') return { ...result, bootstrap: bootstrap.name }
  }
  return { state: 'done' }
}

async function runBootstrap(context: SetupContext, bootstrap: BootstrapRequest): Promise<StepResult> {
  if (bootstrap.config === undefined) return waiting(`bootstrap ${bootstrap.name}: waiting for its BootstrapConfig`)
  const { done } = context.guest
  const key = `bootstrap/${bootstrap.name}/${contentHash(JSON.stringify([bootstrap.config.spec, bootstrap.params]))}`
  if (done.has(key)) return DONE
  const applied = await applyFiles(context, bootstrap)
  if (applied.state !== 'done') return applied
  const result = await runJob(context, bootstrap)
  if (result.state !== 'done') return result
  done.add(key)
  context.log.info({ instance: context.request.name, bootstrap: bootstrap.name }, 'bootstrap done')
  return DONE
}

const MANIFEST_FILE = /\.ya?ml$/

async function applyFiles(context: SetupContext, { name, config, params }: BootstrapRequest): Promise<StepResult> {
  const files = Object.entries(config?.spec.files ?? {}).filter(([file]) => MANIFEST_FILE.test(file))
  files.sort(([left], [right]) => (left < right ? -1 : 1))
  for (const [file, text] of files) {
    const result = await applyManifest(context, `bootstrap ${name}, file ${file}`, substitute(text, params))
    if (result.state !== 'done') return result
  }
  return DONE
}

async function runJob(context: SetupContext, { name, config, params }: BootstrapRequest): Promise<StepResult> {
  const job = config?.spec.job
  if (job === undefined) return DONE
  const { runJob: start } = context
  if (start === undefined) return failed(noJobRunner(name))
  const { uid, name: instance } = context.request
  const run: BootstrapJobRun = {
    uid,
    instance,
    bootstrap: name,
    jobName: bootstrapJobName(instance, name),
    job: substituteJob(job, params),
  }
  return runStep(`bootstrap ${name}`, async () => {
    const result = await start(run)
    return result.state === 'done' ? DONE : { ...result, message: `bootstrap ${name}: ${result.message}` }
  })
}

/** Known before anything is applied: why a bootstrap can never be done here. */
export function unsupportedJob(
  bootstraps: readonly BootstrapRequest[],
  support: { readonly backend: boolean; readonly operator: boolean },
): string | undefined {
  const withJob = bootstraps.find(({ config }) => config?.spec.job !== undefined)
  if (withJob === undefined) return undefined
  if (!support.backend) {
    return `bootstrap ${withJob.name} has a job, and this backend runs no bootstrap jobs: leave spec.job out of it, or choose a backend with nodes`
  }
  return support.operator ? undefined : noJobRunner(withJob.name)
}

function noJobRunner(bootstrap: string): string {
  return `bootstrap ${bootstrap} has a job, and this operator has no host cluster to run it on: leave spec.job out of it`
}
