import { describe, expect, it } from 'vitest'
import { negotiate } from './negotiate.ts'

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

describe('negotiate', () => {
  it.each([
    [undefined, 'object v1 json'],
    ['', 'object v1 json'],
    ['*/*', 'object v1 json'],
    ['application/json', 'object v1 json'],
    ['application/yaml', 'object v1 yaml'],
    ['application/vnd.kubernetes.protobuf,application/json', 'object v1 json'],
    [`${TABLE},application/json`, 'table v1 json'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'table v1beta1 json'],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'metadata v1 json'],
    ['application/json;as=Other;v=v1;g=meta.k8s.io, application/json', 'object v1 json'],
    ['application/yaml;q=0.5, application/json', 'object v1 json'],
    ['APPLICATION/JSON; charset=utf-8', 'object v1 json'],
  ])('takes %j as %s', (accept, expected) => {
    const { form, version, encoding } = negotiate(accept, true)
    expect(`${form} ${version} ${encoding}`).toBe(expected)
  })

  it.each(['text/html', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v2;g=meta.k8s.io'])(
    'refuses %s',
    (accept) => {
      expect(() => negotiate(accept, true)).toThrowError(expect.objectContaining({ code: 406 }))
    },
  )

  it('offers tables only of what has metadata', () => {
    expect(() => negotiate(TABLE, false)).toThrowError(expect.objectContaining({ code: 406 }))
  })
})
