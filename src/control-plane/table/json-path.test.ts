import { expect, test } from 'vitest'
import { evaluateJsonPath, JsonPathError, parseJsonPath } from './json-path.ts'

const object = {
  metadata: { labels: { 'app.kubernetes.io/name': 'web', a: 'b' } },
  spec: { replicas: 3, hosts: ['x', 'y', 'z'], ports: [{ port: 80 }, { port: 443 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False', count: 2 },
    ],
  },
}

test.each([
  ['.spec.replicas', [3]],
  ['spec.replicas', [3]],
  ['{.spec.replicas}', [3]],
  ['$.spec.replicas', [3]],
  ['.spec.missing', []],
  ['.spec.replicas.deeper', []],
  ['.spec.hosts[0]', ['x']],
  ['.spec.hosts[-1]', ['z']],
  ['.spec.hosts[7]', []],
  ['.spec.hosts[1:]', ['y', 'z']],
  ['.spec.hosts[0:2]', ['x', 'y']],
  ['.spec.hosts[*]', ['x', 'y', 'z']],
  ['.spec.ports[*].port', [80, 443]],
  ['.metadata.labels.app\\.kubernetes\\.io/name', ['web']],
  [".metadata.labels['app.kubernetes.io/name']", ['web']],
  ['.metadata.labels["a"]', ['b']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Synced')].status", ['False']],
  ['.status.conditions[?(@.type != "Ready")].type', ['Synced']],
  ['.status.conditions[?(@.count)].type', ['Synced']],
  ['.status.conditions[?(@.count>=2)].type', ['Synced']],
  ['.status.conditions[?(@.count<2)].type', []],
])('%s finds %j', (path, values) => {
  expect(evaluateJsonPath(parseJsonPath(path), object)).toEqual(values)
})

test.each(['.spec[', '.a[?(@.b==c)]', '.a b', '.a[process.exit()]', '.a()'])('%s is refused', (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError)
})

test('inherited properties are never found', () => {
  expect(evaluateJsonPath(parseJsonPath('.constructor.name'), {})).toEqual([])
  expect(evaluateJsonPath(parseJsonPath('.__proto__'), {})).toEqual([])
})

test('a long hostile path is refused at once', () => {
  const started = performance.now()
  expect(() => parseJsonPath(`.a[?(@${"'".repeat(900)}`)).toThrow(JsonPathError)
  expect(() => parseJsonPath('.a'.repeat(100_000))).toThrow(JsonPathError)
  expect(performance.now() - started).toBeLessThan(500)
})
