import { describe, expect, it } from 'vitest'
import { parseResourcePath } from './request-path.ts'

describe('parseResourcePath', () => {
  it.each([
    ['/api/v1/pods', { group: '', version: 'v1', plural: 'pods', subresource: '', watch: false }],
    ['/api/v1/namespaces', { plural: 'namespaces' }],
    ['/api/v1/namespaces/a', { plural: 'namespaces', name: 'a' }],
    ['/api/v1/namespaces/a/status', { plural: 'namespaces', name: 'a', subresource: 'status' }],
    ['/api/v1/namespaces/a/finalize', { plural: 'namespaces', name: 'a', subresource: 'finalize' }],
    ['/api/v1/namespaces/a/pods', { plural: 'pods', namespace: 'a' }],
    ['/api/v1/namespaces/a/pods/p', { plural: 'pods', namespace: 'a', name: 'p' }],
    ['/api/v1/namespaces/a/pods/p/log', { plural: 'pods', namespace: 'a', name: 'p', subresource: 'log' }],
    ['/api/v1/namespaces/a/pods/p/proxy/x/y', { name: 'p', subresource: 'proxy/x/y' }],
    ['/apis/apps/v1/deployments', { group: 'apps', version: 'v1', plural: 'deployments' }],
    [
      '/apis/example.com/v1/namespaces/a/things/t/scale',
      { group: 'example.com', namespace: 'a', name: 't', subresource: 'scale' },
    ],
    ['/api/v1/nodes/n%3A1', { plural: 'nodes', name: 'n:1' }],
    ['/api/v1/watch/namespaces/a/pods', { plural: 'pods', namespace: 'a', watch: true }],
  ])('reads %s', (path, expected) => {
    expect(parseResourcePath(path)).toMatchObject(expected)
  })

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/healthz', '/version', '/api/v1/pods/%zz'])(
    'sees no resource in %s',
    (path) => {
      expect(parseResourcePath(path)).toBeUndefined()
    },
  )
})
