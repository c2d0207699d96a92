import { describe, expect, test } from 'vitest'
import { bootstrapJobName } from './run-job.ts'
import { substitute, substituteJob } from './substitute.ts'

describe('substitute', () => {
  test.each([
    ['parameters are put in, everywhere', '{{a}} and {{ a }} and {{b-1}}', 'x and x and y'],
    ['placeholders of other names stay', '{{other}} {{ .Values.a }} {{a}}', '{{other}} {{ .Values.a }} x'],
    ['a value is not looked through again', '{{c}}', '{{a}}'],
    ['names of object members are no parameters', '{{constructor}} {{__proto__}}', '{{constructor}} {{__proto__}}'],
    ['dollar signs of a value mean nothing', '{{d}}', '$& $1'],
    ['an empty value is a value', '[{{e}}]', '[]'],
  ])('%s', (_rule, text, expected) => {
    expect(substitute(text, { a: 'x', 'b-1': 'y', c: '{{a}}', d: '$& $1', e: '' })).toBe(expected)
  })

  test('parameters of a job are put into image, command, args and values of env', () => {
    const job = { image: 'i:{{v}}', command: ['{{v}}'], args: ['--v={{v}}'], env: { '{{v}}': '{{v}}' } }
    expect(substituteJob(job, { v: '1' })).toEqual({
      image: 'i:1',
      command: ['1'],
      args: ['--v=1'],
      env: { '{{v}}': '1' },
    })
  })
})

describe('bootstrapJobName', () => {
  test('names the instance and the bootstrap', () => {
    expect(bootstrapJobName('pool-ci-1', 'seed')).toBe('pool-ci-1-bootstrap-seed')
  })

  test('is cut to 63 characters and stays unique', () => {
    const first = bootstrapJobName('pool-ci-1', `${'x'.repeat(60)}a`)
    const second = bootstrapJobName('pool-ci-1', `${'x'.repeat(60)}b`)
    expect(first).toHaveLength(63)
    expect(first).toMatch(/^pool-ci-1-bootstrap-x+-[0-9a-f]{8}$/)
    expect(first).not.toBe(second)
  })
})
