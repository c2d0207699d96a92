/** Who wants to hear of which object, by its name. */
export interface NameSignals {
  on(name: string, listener: () => void): () => void
  onAny(listener: (name: string) => void): () => void
  announce(name: string): void
}

export function createNameSignals(): NameSignals {
  const listeners = new Map<string, Set<() => void>>()
  const anyListeners = new Set<(name: string) => void>()
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0 && listeners.get(name) === set) listeners.delete(name)
      }
    },
    onAny(listener) {
      anyListeners.add(listener)
      return () => anyListeners.delete(listener)
    },
    announce(name) {
      for (const listener of [...(listeners.get(name) ?? [])]) listener()
      for (const listener of [...anyListeners]) listener(name)
    },
  }
}
