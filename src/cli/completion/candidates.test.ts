import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../command-table.ts'
import { complete, type Names } from './candidates.ts'
import { COMPLETION_SCRIPTS, SHELLS } from './scripts.ts'

const names: Names = async (kind, given) => [
  { value: `${kind}-1` },
  { value: `${kind}-2`, description: given['--target'] ?? 'none' },
]
const values = async (...words: string[]) => {
  const answer = await complete(words, COMMANDS, names)
  return answer === 'files' ? answer : answer.map(({ value }) => value)
}

describe('what is offered', () => {
  test.each<[string[], string[] | 'files']>([
    [['ver'], ['version']],
    [['with'], ['with-lease']],
    [
      ['lease', ''],
      ['pool-1', 'pool-2'],
    ],
    [['lease', 'pool-2'], ['pool-2']],
    [
      ['-o', 'json', 'lease', ''],
      ['pool-1', 'pool-2'],
    ],
    [
      ['lease', '--ttl', '5m', ''],
      ['pool-1', 'pool-2'],
    ],
    [['lease', '--ttl', ''], []],
    [['lease', 'x', '-o', 'y'], ['yaml']],
    [['lease', 'x', '--output=w'], ['--output=wide']],
    [['lease', 'x', '--kubec'], ['--kubeconfig']],
    [['lease', 'x', '--kubeconfig', ''], 'files'],
    [
      ['release', ''],
      ['lease-1', 'lease-2'],
    ],
    [
      ['diagnostics', ''],
      ['any-lease-1', 'any-lease-2'],
    ],
    [['diagnostics', 'x', '--output-dir', ''], 'files'],
    [
      ['plan', 'pool', ''],
      ['pool-1', 'pool-2'],
    ],
    [
      ['explain', ''],
      ['pool', 'lease'],
    ],
    [
      ['explain', 'pool', ''],
      ['pool-1', 'pool-2'],
    ],
    [
      ['explain', 'lease', ''],
      ['lease-1', 'lease-2'],
    ],
    [
      ['cluster', 'show', ''],
      ['cluster-1', 'cluster-2'],
    ],
    [['node', 'ro'], ['rollout']],
    [
      ['node', 'cancel', 'operation-'],
      ['operation-1', 'operation-2'],
    ],
    [
      ['node', 'rollout', 'prod-1', '--group', ''],
      ['group-1', 'group-2'],
    ],
    [['cluster', 'set', 'prod-1', '--unset', 'r'], ['root-disk']],
    [['config', 'u'], ['use']],
    [
      ['config', 'use', ''],
      ['target-1', 'target-2'],
    ],
    [['completion', 'b'], ['bash']],
    [
      ['--target', ''],
      ['target-1', 'target-2'],
    ],
    [['with-lease', 'ci', '--', 'kubectl', ''], 'files'],
    [['nonsense', ''], []],
  ])('after %j: %j', async (words, expected) => {
    const offered = await values(...words)
    if (words[0] === 'nonsense') expect(offered).not.toContain('pool-1')
    else expect(offered).toEqual(expected)
  })

  test('options that choose the endpoint count, wherever they stand', async () => {
    const answer = await complete(['--target', 'ci', 'release', ''], COMMANDS, names)
    expect(answer).toContainEqual({ value: 'lease-2', description: 'ci' })
  })
})

test('groups are those of the cluster that is named before', async () => {
  const asked: (readonly string[])[] = []
  const spy: Names = async (_kind, _given, values) => {
    asked.push(values)
    return []
  }
  await complete(['node', 'plan', '--max-unavailable', '2', 'prod-1', '--group', ''], COMMANDS, spy)
  expect(asked).toEqual([['prod-1']])
})

test.each(SHELLS)('the script for %s asks the installed program', (shell) => {
  expect(COMPLETION_SCRIPTS[shell]).toContain('__complete')
})
