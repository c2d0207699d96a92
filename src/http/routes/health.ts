/** Probes and metrics: no credential, nothing about leases. */
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'

/** A probe that waits longer has failed in the eyes of whoever asks. */
const READY_TIMEOUT_MS = 3_000

const health = (operationId: string, summary: string, response: object) => ({
  tags: ['health'],
  operationId,
  summary,
  response,
})
const text = (description: string) => ({ description, content: { 'text/plain': { schema: { type: 'string' } } } })
const ALIVE = { 200: text('Empty: the process answers. Depends on nothing else.') }

export function healthRoutes(app: FastifyInstance, context: HttpContext): void {
  const { deps } = context
  app.get('/livez', { schema: health('getLive', 'Whether the process lives', ALIVE) }, async (_request, reply) =>
    reply.type('text/plain').send(''),
  )
  app.get('/healthz', { schema: health('getHealth', 'The same as /livez', ALIVE) }, async (_request, reply) =>
    reply.type('text/plain').send(''),
  )
  app.get(
    '/readyz',
    {
      schema: health('getReady', 'Whether requests can be served', {
        200: text('`ok`'),
        503: text('What is missing, as `part: why`.'),
      }),
    },
    async (_request, reply) => {
      const problems = await problemsOf(context)
      return reply
        .status(problems.length === 0 ? 200 : 503)
        .type('text/plain')
        .send(problems.join('; ') || 'ok')
    },
  )
  app.get(
    '/metrics',
    { schema: health('getMetrics', 'Metrics in the Prometheus text format', { 200: text('Metrics.') }) },
    async (_request, reply) => reply.type(deps.registry.contentType).send(await deps.registry.metrics()),
  )
}

async function problemsOf({ deps, closing }: HttpContext): Promise<string[]> {
  const kubernetes = await reachKubernetes(deps)
  const cache = deps.notReady?.()
  return [
    ...(kubernetes === undefined ? [] : [`kubernetes: ${kubernetes}`]),
    ...(cache === undefined ? [] : [`cache: ${cache}`]),
    ...(closing.aborted ? ['server: shutting down'] : []),
  ]
}

async function reachKubernetes({ client, clock }: HttpContext['deps']): Promise<string | undefined> {
  const stop = new AbortController()
  const late = clock.after(READY_TIMEOUT_MS, stop.signal).then(() => `no answer within ${READY_TIMEOUT_MS / 1000} s`)
  const reached = client.raw('GET', '/version').then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const problem = await Promise.race([reached, late])
  stop.abort()
  return problem
}
