import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedServer, sendJson, startScriptedServer } from '../../test/support/scripted-server.ts'
import { createApi } from './api.ts'
import type { KobeError } from './errors.ts'
import { followOperation } from './follow-operation.ts'

const RUNNING = { name: 'op', cluster: 'demo', phase: 'Running', ended: false, message: 'one node is worked on' }
const DONE = { ...RUNNING, phase: 'Succeeded', ended: true }
const text = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

let server: ScriptedServer
beforeEach(async () => {
  server = await startScriptedServer(() => undefined)
})
afterEach(() => server.close())

const api = () => createApi({ endpoint: server.url, source: 'the test' })

describe('an operation is followed', () => {
  test('over an operator that lets go, refuses for a moment and cuts: each change is told once', async () => {
    const turns = [
      text('operation', RUNNING),
      503,
      text('operation', RUNNING),
      'cut',
      text('operation', RUNNING) + text('operation', DONE) + text('end', {}),
    ]
    server.answer(({ cut }, response) => {
      const turn = turns.shift()
      if (turn === 'cut') return cut()
      if (typeof turn === 'number') return sendJson(response, turn, { error: 'starting', reason: 'starting' })
      return response.writeHead(200).end(turn)
    })
    const told: string[] = []
    const ended = await followOperation(api(), 'op', {
      onOperation: ({ phase }) => told.push(phase),
      onTrouble: (error) => told.push(error === undefined ? 'back' : (error.reason ?? error.code)),
    })
    expect(ended.phase).toBe('Succeeded')
    expect(told.filter((word) => word !== 'back')).toEqual(['Running', 'starting', 'unreachable', 'Succeeded'])
    expect(told.at(-2)).toBe('Succeeded')
  })

  test('until it is no longer there, or no longer to be seen', async () => {
    server.answer((_, response) => sendJson(response, 404, { error: 'gone', reason: 'operation_not_found' }))
    await expect(followOperation(api(), 'op')).rejects.toMatchObject({ reason: 'operation_not_found' })
    expect(server.requests).toHaveLength(1)
  })

  test('as long as the patience lasts, and then the last trouble is thrown', async () => {
    server.answer(({ cut }) => cut())
    const troubles: (KobeError | undefined)[] = []
    await expect(
      followOperation(api(), 'op', { patienceMs: 500, onTrouble: (error) => troubles.push(error) }),
    ).rejects.toMatchObject({ code: 'unreachable' })
    expect(troubles.length).toBeGreaterThan(0)
  })

  test('as long as asked, and then it is said what it was doing', async () => {
    server.answer((_, response) => response.writeHead(200).write(text('operation', RUNNING)))
    await expect(followOperation(api(), 'op', { timeoutMs: 2_000 })).rejects.toMatchObject({
      code: 'timeout',
      why: 'one node is worked on',
    })
  })
})
