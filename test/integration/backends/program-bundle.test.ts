/** What set-up makes of the sources runs like them, what it loads late included. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundlePrograms } from '../../../scripts/bundle/bundle-programs.ts'
import { type HostHandle, startHost } from '../../../src/backends/embedded/host-process.ts'
import { findByArgument } from '../../../src/backends/embedded/process-identity.ts'
import { currentBundle } from '../../../src/backends/embedded/program-bundle.ts'
import { sourceStack } from '../../../src/backends/embedded/source-stack.ts'
import { requestWithKubeconfig } from '../../contract/server-harness.ts'

const root = join(import.meta.dirname, '../../..')
let folder: string
let host: HostHandle

const call = (method: string, path: string, body?: unknown) =>
  requestWithKubeconfig(host.kubeconfig, method, path, body)

beforeAll(async () => {
  // Where packages are found.
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'kobe-bundle-test-'))
  await bundlePrograms(root, folder)
  host = await startHost({ stateDir: join(folder, 'host'), storage: 'sqlite', bundleFolder: folder })
})
afterAll(async () => {
  await host?.destroy()
  await rm(folder, { recursive: true, force: true })
})

test('a member runs from the bundle', async () => {
  const path = currentBundle(folder, 'member-process')
  expect((await findByArgument(path ?? ''))?.pid).toBe(host.pid)
})

test('what is loaded late is in it: rules, patterns, access, documents, tokens', async () => {
  const schema = {
    type: 'object',
    'x-kubernetes-validations': [{ rule: "self.metadata.name.matches('^a+$')", message: 'not an a' }],
  }
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
  const thing = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name } })
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  }
  const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const answers = [
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd),
    await call('POST', '/apis/example.com/v1/things', thing('bbb')),
    await call('POST', '/apis/example.com/v1/things', thing('aaa')),
    await call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review),
    await call('GET', '/openapi/v3/apis/apps/v1'),
    await call('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', token),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 201, 200, 201])
})

test('its stack traces are told in terms of the sources', async () => {
  const path = currentBundle(folder, 'member-process') ?? ''
  const lines = (await readFile(path, 'utf8')).split('\n')
  const line = lines.findIndex((text) => text.includes('async function startMemberServer(')) + 1
  const stack = sourceStack(`    at startMemberServer (file://${path}:${line}:1)`, path)
  expect(stack).toContain(join(root, 'src/backends/embedded/member-server.ts'))
})
