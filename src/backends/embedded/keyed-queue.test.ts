import { expect, test } from 'vitest'
import { createKeyedQueue } from './keyed-queue.ts'

test('tasks of one key run one after another, those of two keys side by side', async () => {
  const queue = createKeyedQueue()
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = queue.run('a', async () => {
    await gate.promise
    log.push('a1')
  })
  const second = queue.run('a', async () => log.push('a2'))
  await queue.run('b', async () => log.push('b1'))
  gate.resolve()
  await Promise.all([first, second])
  expect(log).toEqual(['b1', 'a1', 'a2'])
})

test('a failed task fails its caller only', async () => {
  const queue = createKeyedQueue()
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', async () => 'fine')
  await expect(failed).rejects.toThrow('broken')
  expect(await next).toBe('fine')
})

test('is idle when nothing is left, also after failures', async () => {
  const queue = createKeyedQueue()
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  expect(queue.isBusy()).toBe(true)
  await queue.idle()
  expect(queue.isBusy()).toBe(false)
  await expect(failed).rejects.toThrow('broken')
})
