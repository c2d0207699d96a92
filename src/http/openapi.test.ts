import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHttpWorld } from '../../test/support/http-world.ts'
import { KOBE_VERSION } from '../version.ts'
import { describeApi } from './describe-api.ts'
import { API_ERRORS } from './errors.ts'

const FILE = new URL('../../deploy/openapi.json', import.meta.url)
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

interface Operation {
  operationId?: string
  summary?: string
  security?: object[]
  responses: Record<string, { description: string }>
}

let document: { paths: Record<string, Record<string, Operation>> }
beforeAll(async () => {
  document = (await describeApi(KOBE_VERSION)) as typeof document
})

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )

/** `GET /a/:b` of the router as `GET /a/{b}`. */
function routesOf(printed: string): string[] {
  const stack: string[] = []
  return printed.split('\n').flatMap((line) => {
    const match = /^([│ ]*)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (match === null) return []
    const depth = (match[1] ?? '').length / 4
    stack.length = depth
    stack.push(match[2] ?? '')
    const path = stack.join('').replace(/:(\w+)/g, '{$1}')
    const methods = (match[3] ?? '').split(', ').filter((method) => METHODS.includes(method.toLowerCase()))
    return methods.map((method) => `${method} ${path}`)
  })
}

describe('the OpenAPI document', () => {
  it('describes every route, and nothing else', async () => {
    const world = await createHttpWorld()
    await world.app.ready()
    const routes = routesOf(world.app.printRoutes({ commonPrefix: false }))
    await world[Symbol.asyncDispose]()
    expect(routes.length).toBeGreaterThan(15)
    expect(
      operations()
        .map(([route]) => route)
        .sort(),
    ).toEqual(routes.sort())
  })

  it('gives each operation a unique id, a summary and described answers', () => {
    const ids = operations().map(([, operation]) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [route, { summary, responses }] of operations()) {
      expect(summary, route).toBeTruthy()
      for (const answer of Object.values(responses)) expect(answer.description, route).not.toBe('Default Response')
    }
  })

  it('says of every route under /v1 that it answers 401 without a credential, except of the status', () => {
    for (const [route, { security, responses }] of operations()) {
      const needsCredential = route.includes('/v1/') && !route.endsWith('/v1/status')
      expect(security !== undefined, route).toBe(needsCredential)
      expect('401' in responses, route).toBe(needsCredential)
    }
  })

  it('names every reason under some route, but those of the framework', () => {
    const text = JSON.stringify(document.paths)
    const unnamed = Object.keys(API_ERRORS).filter((reason) => !text.includes(`\`${reason}\``))
    expect(unnamed).toEqual(['bad_request', 'route_not_found', 'headers_too_large'])
  })

  it('is the committed file', () => {
    expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)))
  })
})
