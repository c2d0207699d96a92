/** The OpenAPI document, made from the schemas of the routes. */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { API_ERRORS, type ApiErrorReason } from './errors.ts'
import { ErrorView } from './schemas/error.ts'

export function installOpenApi(app: FastifyInstance, version: string): void {
  app.addSchema(ErrorView)
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kobe',
        version,
        description:
          'Lease warm Kubernetes clusters, and change the nodes of standing ones. Every answer carries `x-request-id`. Every error under /v1 has the shape `Error`. The proxy to leased clusters, `/connect/{lease}/...`, speaks the Kubernetes API and is not described here.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'leases', description: 'Ask for a cluster, use it, give it back.' },
        { name: 'pools', description: 'What there is to lease.' },
        { name: 'clusters', description: 'Standing clusters and the settings of their nodes.' },
        { name: 'operations', description: 'Runs over the nodes of standing clusters.' },
        { name: 'status', description: 'What this server is.' },
        { name: 'health', description: 'For probes and monitoring.' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token that an AccessPolicy accepts.' },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema${index}`) },
  })
  app.register((scope, _options, done) => {
    scope.get('/openapi.json', { schema: OPENAPI_SCHEMA }, async () => app.swagger())
    done()
  })
}

const OPENAPI_SCHEMA: FastifySchema = {
  tags: ['status'],
  operationId: 'getOpenApi',
  summary: 'This document',
  response: { 200: { description: 'OpenAPI 3.1.', type: 'object', additionalProperties: true } },
}

/** The error answers of a route: one entry per status, naming the reasons. Every authenticated route can answer 401 and 503. */
export function errorResponses(...reasons: ApiErrorReason[]): Record<number, object> {
  const byStatus = new Map<number, ApiErrorReason[]>()
  for (const reason of reasons) {
    const { status } = API_ERRORS[reason]
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((reason) => `\`${reason}\`: ${API_ERRORS[reason].meaning}`).join(' '),
        content: { 'application/json': { schema: { $ref: 'Error#' } } },
      },
    ]),
  )
}

export const BEARER = [{ bearer: [] }]
