/** Credentials that client-node knows how to get: exec plugins, OIDC and cloud providers, proxies. */
import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { type Credentials, KubeconfigError } from './connection.ts'

async function load(source: { readonly text: string; readonly directory?: string }): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromString(source.text)
  if (source.directory !== undefined) config.makePathsAbsolute(source.directory)
  return config
}

function headersOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value)
  if (options.auth) headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  return headers
}

function pem(value: RequestOptions['cert'] | RequestOptions['key']): string | undefined {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined
}

/** client-node keeps a token until it ends and runs the plugin again then. */
async function ask(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {}
  try {
    await config.applyToHTTPSOptions(options)
  } catch (cause) {
    // A plugin's output may hold a token, so only the fact is told.
    throw new KubeconfigError('kubeconfig: the credential plugin of the user failed; run it by hand to see why', {
      cause: new Error((cause as Error).name),
    })
  }
  const cert = pem(options.cert)
  const key = pem(options.key)
  const proxied = config.getCurrentCluster()?.proxyUrl !== undefined
  return {
    headers: headersOf(options),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(proxied && options.agent ? { agent: options.agent as Agent } : {}),
  }
}

/** Imports client-node at the first request, not before. */
export function pluginCredentials(source: {
  readonly text: string
  readonly directory?: string
}): () => Promise<Credentials> {
  let loading: Promise<KubeConfig> | undefined
  return async () => {
    loading ??= load(source)
    return ask(await loading)
  }
}
