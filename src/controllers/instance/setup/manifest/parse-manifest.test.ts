import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createManifestParser, type Manifest, parseManifest } from './parse-manifest.ts'

const objectsOf = async (text: string) => {
  const manifest: Manifest = await parseManifest(text)
  if (!manifest.valid) throw new Error(manifest.reason)
  return manifest.objects
}
const data = async (body: string) =>
  (await objectsOf(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${body}`))[0]?.object

test('documents keep their order and number; empty ones count and are left out', async () => {
  const text = `# only a comment
---
apiVersion: v1
kind: Namespace
metadata: {name: one}
---
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: two, namespace: one}
`
  expect(
    (await objectsOf(text)).map(({ position, kind, name, namespace }) => ({ position, kind, name, namespace })),
  ).toEqual([
    { position: 'document 1', kind: 'Namespace', name: 'one', namespace: undefined },
    { position: 'document 3', kind: 'Deployment', name: 'two', namespace: 'one' },
  ])
})

test.each(['', '# nothing\n', '---\n---\n', 'null\n'])('%j holds no objects', async (text) => {
  expect(await parseManifest(text)).toEqual({ valid: true, objects: [] })
})

test('a List stands for its items', async () => {
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      {
        apiVersion: 'v1',
        kind: 'ConfigMapList',
        items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }],
      },
    ],
  })
  expect((await objectsOf(text)).map(({ position, name }) => [position, name])).toEqual([
    ['document 1, item 1', 'a'],
    ['document 1, item 2, item 1', 'b'],
  ])
})

describe('an invalid manifest says which document and why', () => {
  const good = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
  test.each([
    ['kind: [', 'document 2 cannot be parsed: '],
    ['a: 1\na: 2', 'document 2 cannot be parsed: line 6: Map keys must be unique'],
    ['a: *unknown', 'document 2 cannot be parsed: '],
    ['text', 'document 2 is not an object'],
    ['- 1', 'document 2 is not an object'],
    ['kind: ConfigMap', 'document 2 has no apiVersion'],
    ['apiVersion: v1', 'document 2 has no kind'],
    ['apiVersion: v1\nkind: ""', 'document 2 has no kind'],
    ['apiVersion: ../../x\nkind: A\nmetadata: {name: a}', 'document 2: apiVersion "../../x" is not valid'],
    ['apiVersion: v1\nkind: ConfigMap', 'document 2 (ConfigMap): metadata has no name'],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}', 'document 2 (ConfigMap): metadata has no name'],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: 1}',
      'document 2 (ConfigMap a): metadata.namespace',
    ],
    ['apiVersion: v1\nkind: List\nitems: [{kind: A}]', 'document 2, item 1 has no apiVersion'],
  ])('%j: %s', async (bad, reason) => {
    const manifest = await parseManifest(`${good}---\n${bad}\n`)
    expect(manifest).toMatchObject({ valid: false, reason: expect.stringContaining(reason) })
  })

  test('and quotes nothing of the document, which may be a Secret', async () => {
    const manifest = await parseManifest('kind: Secret\ndata: {key: "hunter2" oops')
    expect(manifest).toMatchObject({ valid: false })
    expect(JSON.stringify(manifest)).not.toContain('hunter2')
  })

  test('and aliases that grow without bound are refused', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level++) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    }
    expect(await parseManifest(lines.join('\n'))).toMatchObject({ valid: false })
  })

  test('and more than 10 MiB are refused before they are read', async () => {
    expect(await parseManifest('#'.repeat(10 * 1024 * 1024 + 1))).toEqual({
      valid: false,
      reason: 'the manifest is larger than 10 MiB',
    })
  })
})

test('scalars mean what kubectl takes them for', async () => {
  expect(
    await data(
      '  mode: 0644\n  yes: yes\n  off: off\n  time: 12:30\n  date: 2020-01-01\n  y: n\n  null: ~\n  version: "1.10"\n  hex: 0x1f\n',
    ),
  ).toMatchObject({
    data: {
      mode: 420,
      true: true,
      false: false,
      time: '12:30',
      date: '2020-01-01',
      y: 'n',
      version: '1.10',
      hex: 31,
    },
  })
})

test('anchors and merge keys are resolved', async () => {
  expect(await data('  a: &a {x: "1"}\n  b: {<<: *a, y: "2"}\n')).toMatchObject({ data: { b: { x: '1', y: '2' } } })
})

test('a large text leaves turns to others while it is parsed', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n'.repeat(8_000)
  let turns = 0
  let parsing = true
  const others = (async () => {
    for (; parsing; turns++) await nextTurn()
  })()
  expect(await objectsOf(text)).toHaveLength(8_000)
  parsing = false
  await others
  expect(turns).toBeGreaterThanOrEqual(6)
})

test('one text is parsed once', async () => {
  const parse = createManifestParser()
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
  expect(await parse(text)).toBe(await parse(text))
})
