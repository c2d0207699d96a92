import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OpenWatch, WatchHub } from './watch-hub.ts'

function fakeWatch(hub: WatchHub, storage: string): OpenWatch & { bookmarks: number } {
  const watch = {
    storage,
    bookmarks: 0,
    bookmark: () => {
      watch.bookmarks += 1
    },
    end: () => hub.remove(watch),
  }
  return watch
}

describe('WatchHub', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('sends bookmarks once a minute, and keeps no timer without watches', () => {
    const hub = new WatchHub()
    const watch = fakeWatch(hub, 'pods')
    hub.add(watch)
    vi.advanceTimersByTime(125_000)
    expect(watch.bookmarks).toBe(2)
    hub.remove(watch)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends the watches of one resource, then all, and takes none after that', () => {
    const hub = new WatchHub()
    const [pods, nodes, late] = ['pods', 'nodes', 'pods'].map((storage) => fakeWatch(hub, storage))
    if (pods === undefined || nodes === undefined || late === undefined) throw new Error('three watches')
    hub.add(pods)
    hub.add(nodes)
    hub.endAll('pods')
    expect(hub.size).toBe(1)
    hub.close()
    hub.add(late)
    expect(hub.size).toBe(0)
  })
})
