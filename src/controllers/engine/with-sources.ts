/** A controller that listens only while it runs, so that leading a second time does not leave the listeners of the first. */
import type { Controller } from './controller.ts'

/** `connect` subscribes to whatever wakes the controller and answers how to end each subscription. */
export function withSources(controller: Controller, connect: () => readonly (() => void)[]): Controller {
  return {
    name: controller.name,
    enqueue: (key) => controller.enqueue(key),
    enqueueFirst: (key) => controller.enqueueFirst(key),
    enqueueAfter: (key, ms) => controller.enqueueAfter(key, ms),
    run: async (signal) => {
      const disconnect = connect()
      try {
        await controller.run(signal)
      } finally {
        for (const end of disconnect) end()
      }
    },
  }
}
