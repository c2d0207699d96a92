import { describe, expect, it } from 'vitest'
import { attributesOf } from './request-attributes.ts'
import { parseResourcePath } from './request-path.ts'

const user = { name: 'u', groups: [] }

function attributes(method: string, url: string) {
  const [path = '', query = ''] = url.split('?')
  const { verb, resource } = attributesOf({
    user,
    method,
    path,
    query: new URLSearchParams(query),
    address: parseResourcePath(path),
  })
  const { plural, subresource, namespace, name } = resource ?? { plural: path }
  return [verb, subresource === undefined ? plural : `${plural}/${subresource}`, namespace, name]
}

describe('attributesOf', () => {
  it.each([
    ['GET', '/api/v1/pods', ['list', 'pods', undefined, undefined]],
    ['GET', '/api/v1/namespaces/a/pods?watch=true', ['watch', 'pods', 'a', undefined]],
    ['GET', '/api/v1/watch/namespaces/a/pods', ['watch', 'pods', 'a', undefined]],
    ['HEAD', '/api/v1/namespaces/a/pods/x', ['get', 'pods', 'a', 'x']],
    ['POST', '/api/v1/namespaces/a/pods', ['create', 'pods', 'a', undefined]],
    ['POST', '/api/v1/namespaces/a/pods/x/eviction', ['create', 'pods/eviction', 'a', 'x']],
    ['GET', '/api/v1/namespaces/a/pods/x/proxy/some/path', ['get', 'pods/proxy', 'a', 'x']],
    ['PUT', '/api/v1/namespaces/a/pods/x', ['update', 'pods', 'a', 'x']],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/x/scale', ['patch', 'deployments/scale', 'a', 'x']],
    ['DELETE', '/api/v1/namespaces/a/pods', ['deletecollection', 'pods', 'a', undefined]],
    ['DELETE', '/api/v1/nodes/n', ['delete', 'nodes', undefined, 'n']],
    ['GET', '/metrics', ['get', '/metrics', undefined, undefined]],
    ['POST', '/apis/apps', ['post', '/apis/apps', undefined, undefined]],
  ])('takes %s %s for %j', (method, url, expected) => {
    expect(attributes(method, url)).toEqual(expected)
  })

  it('places a namespace in itself', () => {
    expect(attributes('GET', '/api/v1/namespaces/a')).toEqual(['get', 'namespaces', 'a', 'a'])
    expect(attributes('PUT', '/api/v1/namespaces/a/finalize')).toEqual(['update', 'namespaces/finalize', 'a', 'a'])
  })

  it.each([
    ['metadata.name=x', 'x'],
    ['metadata.name==x', 'x'],
    ['metadata.namespace=a,metadata.name=x,spec.nodeName=n', 'x'],
    ['metadata.name!=x', undefined],
    ['metadata.name=', undefined],
    ['metadata.name=a/b', undefined],
    ['xmetadata.name=x', undefined],
  ])('takes a list of fieldSelector %s for one of %s', (selector, name) => {
    const url = `/api/v1/namespaces/a/pods?fieldSelector=${encodeURIComponent(selector)}`
    expect(attributes('GET', url)[3]).toBe(name)
    expect(attributes('DELETE', url)[3]).toBe(name)
    expect(attributes('POST', url)[3]).toBeUndefined()
  })
})
