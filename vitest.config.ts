import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'

export default defineConfig({
  test: {
    // Two cores are the yardstick: with a third worker, files that hold answers to seconds wait for one another.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 180_000,
    setupFiles: ['test/src/fast-check.ts', 'test/src/cpu-time.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    projects: [
      // Tests beside their sources leave nothing behind: their files share workers, and what those have loaded.
      { extends: true, test: { name: 'units', include: ['packages/*/src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: { name: 'systems', include: ['{packages/*/test,contracts,test,bench,scripts}/**/*.test.{ts,tsx}'] },
      },
    ],
  },
})
