import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[], extra: object = {}) => ({
  test: { name, include, environment: 'node', pool: 'forks' as const, ...extra },
})

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('unit', ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/support/**/*.test.ts'], {
        testTimeout: 10_000,
      }),
      project('integration', ['test/integration/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('e2e', ['test/e2e/**/*.test.ts'], { testTimeout: 180_000, hookTimeout: 120_000, fileParallelism: false }),
    ],
  },
})
