/** `{{name}}` placeholders of a BootstrapConfig. */
import type { BootstrapJob } from '../../../../api/v1alpha1/bootstrap-config.ts'

export type Params = Readonly<Record<string, string>>

/**
 * Puts in the parameters, once: a value that looks like a placeholder stays as it is. Placeholders of other names stay too, as
 * they may be the text of another template language.
 */
export function substitute(text: string, params: Params): string {
  return text.replaceAll(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g, (placeholder: string, name: string) =>
    Object.hasOwn(params, name) ? (params[name] ?? placeholder) : placeholder,
  )
}

export function substituteJob(job: BootstrapJob, params: Params): BootstrapJob {
  const put = (text: string): string => substitute(text, params)
  return {
    ...job,
    image: put(job.image),
    command: job.command.map(put),
    args: job.args.map(put),
    env: Object.fromEntries(Object.entries(job.env).map(([name, value]) => [name, put(value)])),
  }
}
