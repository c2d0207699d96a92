import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { kubeconfigText } from '../../test/support/kubeconfig.ts'
import { type ScriptedAnswer, sendStatus, startScriptedServer } from '../../test/support/scripted-server.ts'
import { CONFIG_MAPS } from '../api/core-resources.ts'
import type { WatchOptions } from './client.ts'
import { createKubeClient } from './kube-client.ts'
import { WatchEventError } from './response-error.ts'
import { createLineSplitter } from './watch-stream.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const line = (type: string, name: string, version: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion: version } } })}\n`

async function watching(answer: ScriptedAnswer, options: WatchOptions = {}, requestTimeoutMs = 30_000) {
  const server = await startScriptedServer(answer)
  const client = createKubeClient({ kubeconfig: kubeconfigText(server.url), requestTimeoutMs })
  cleanups.push(server.close, client.close)
  const seen: string[] = []
  const run = async (): Promise<void> => {
    for await (const { type, object } of client.watch(CONFIG_MAPS, options)) {
      seen.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`)
    }
  }
  return { server, client, seen, done: run() }
}

describe('a line splitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const text = 'eins\nzwölf\n\n日本語 💡\nrest'
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const splitter = createLineSplitter()
      const lines: string[] = []
      for (let at = 0; at < bytes.length; at += size) lines.push(...splitter.push(bytes.subarray(at, at + size)))
      expect([...lines, splitter.rest()], `pieces of ${size}`).toEqual(text.split('\n'))
    }
  })

  it('refuses a line that never ends', () => {
    const splitter = createLineSplitter(10)
    splitter.push(Buffer.from('12345'))
    expect(() => splitter.push(Buffer.from('678901'))).toThrow(RangeError)
  })
})

describe('a watch', () => {
  it('asks for what its options say', async () => {
    const { server, done } = await watching((_, response) => response.end(), {
      namespace: 'work',
      labelSelector: 'a=b',
      resourceVersion: '5',
      allowBookmarks: true,
      timeoutSeconds: 300,
    })
    await done
    expect(server.requests[0]!.path).toBe('/api/v1/namespaces/work/configmaps')
    expect(Object.fromEntries(server.requests[0]!.query)).toEqual({
      labelSelector: 'a=b',
      resourceVersion: '5',
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '300',
    })
  })

  it('delivers events and bookmarks in order, skips empty lines, and ends when the server ends it', async () => {
    const { seen, done } = await watching((_, response) => {
      response.write(`${line('ADDED', 'a', '1')}\n${line('MODIFIED', 'a', '2')}`)
      response.end(line('BOOKMARK', '', '9') + line('DELETED', 'a', '10'))
    })
    await done
    expect(seen).toEqual(['ADDED a 1', 'MODIFIED a 2', 'BOOKMARK  9', 'DELETED a 10'])
  })

  it('survives a character that arrives in two pieces', async () => {
    const bytes = Buffer.from(line('ADDED', 'müller-日本', '1'))
    const { seen, done } = await watching(async (_, response) => {
      for (const byte of bytes) await new Promise((resolve) => response.write(Buffer.of(byte), resolve))
      response.end()
    })
    await done
    expect(seen).toEqual(['ADDED müller-日本 1'])
  })

  it('delivers whole events at once, while a later one is half written', async () => {
    const controller = new AbortController()
    const { seen, done } = await watching(
      (_, response) => {
        response.write(`${line('ADDED', 'a', '1')}{"type":"ADD`)
      },
      { signal: controller.signal },
    )
    await expect.poll(() => seen).toEqual(['ADDED a 1'])
    controller.abort()
    await done
  })

  it.each([
    ['between two events', line('ADDED', 'a', '1')],
    ['in the middle of an event', `${line('ADDED', 'a', '1')}{"type":"MODI`],
  ])('cut %s throws Unreachable after what was whole', async (_, text) => {
    const { seen, done } = await watching((request, response) => {
      response.write(text, () => request.cut())
    })
    await expect(done).rejects.toMatchObject({ code: 'Unreachable' })
    expect(seen.length).toBeLessThanOrEqual(1)
  })

  it('that ends in the middle of an event throws Unreachable', async () => {
    const { done } = await watching((_, response) => response.end('{"type":"MODI'))
    await expect(done).rejects.toMatchObject({ code: 'Unreachable' })
  })

  it('throws what an ERROR event says, as an error of the event', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
    const { seen, done } = await watching((_, response) => {
      response.end(`${line('ADDED', 'a', '1')}${JSON.stringify({ type: 'ERROR', object: status })}\n`)
    })
    const error = await done.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WatchEventError)
    expect(error).toMatchObject({ code: 'Gone', details: { status: 410, reason: 'Expired' } })
    expect(seen).toEqual(['ADDED a 1'])
  })

  it('that is refused throws the code of the answer', async () => {
    const { done } = await watching((_, response) => sendStatus(response, 410, 'Expired'))
    const error = await done.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'Gone' })
    expect(error).not.toBeInstanceOf(WatchEventError)
  })

  it.each([
    ['an event of an unknown type', '{"type":"NEW","object":{"metadata":{}}}\n'],
    ['an event without an object', '{"type":"ADDED"}\n'],
  ])('throws ServerError for %s', async (_, text) => {
    const { done } = await watching((_request, response) => response.end(text))
    await expect(done).rejects.toMatchObject({ code: 'ServerError' })
  })

  it('ends without an error when its signal aborts, and leaves no connection', async () => {
    const controller = new AbortController()
    const closed = Promise.withResolvers<void>()
    const { done } = await watching(
      (_, response) => {
        response.on('close', closed.resolve)
        response.write(line('ADDED', 'a', '1'))
        controller.abort()
      },
      { signal: controller.signal },
    )
    await done
    await closed.promise
  })

  it('outlives the time that a request may take', async () => {
    const { seen, done } = await watching(
      (_, response) => {
        response.write(line('ADDED', 'a', '1'))
        setTimeout(() => response.end(line('ADDED', 'b', '2')), 250)
      },
      {},
      100,
    )
    await done
    expect(seen).toEqual(['ADDED a 1', 'ADDED b 2'])
  })

  it('whose head does not come in time throws Timeout', async () => {
    const { done } = await watching(() => undefined, {}, 50)
    await expect(done).rejects.toMatchObject({ code: 'Timeout' })
  })

  it('closes its connection when the consumer stops reading', async () => {
    const closed = Promise.withResolvers<void>()
    const server = await startScriptedServer((_, response) => {
      response.on('close', closed.resolve)
      response.write(line('ADDED', 'a', '1') + line('ADDED', 'b', '2'))
    })
    const client = createKubeClient({ kubeconfig: kubeconfigText(server.url) })
    cleanups.push(server.close, client.close)
    for await (const event of client.watch(CONFIG_MAPS, {})) {
      expect(event.object.metadata.name).toBe('a')
      break
    }
    await closed.promise
  })

  it('does not take a connection from the requests', async () => {
    const controller = new AbortController()
    const { server, client, seen, done } = await watching(
      ({ query }, response) => {
        if (query.get('watch')) response.write(line('ADDED', 'a', '1'))
        else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      },
      { signal: controller.signal },
    )
    await expect.poll(() => seen.length).toBe(1)
    await client.get(CONFIG_MAPS, { namespace: 'work', name: 'a' })
    await nextTurn()
    await client.get(CONFIG_MAPS, { namespace: 'work', name: 'a' })
    expect(server.connections()).toBe(2)
    controller.abort()
    await done
  })
})
