import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'

/** Folders that `npm test` leaves out, since their tests passed with the same inputs. */
const UNCHANGED = (process.env.UNCHANGED_FOLDERS ?? '').split(',').filter((folder) => folder !== '')

export default defineConfig({
  test: {
    // Two cores are the yardstick. Half of a file's time is spent waiting for nodes and services, not computing.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 300_000,
    tags: [{ name: 'long', description: 'Runs only with `npm test -- --long`, or when its file is named.' }],
    setupFiles: ['test/src/fast-check.ts', 'test/src/cpu-time.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', ...UNCHANGED.map((folder) => `${folder}/**`)],
    // Tests that start vitest themselves leave nothing out.
    env: { UNCHANGED_FOLDERS: '' },
    projects: [
      // Files share workers and the modules that those loaded. Loading them again costs 1 to 2 s per file.
      { extends: true, test: { name: 'units', include: ['packages/*/src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'systems',
          include: ['{packages/*/test,contracts,test,scripts}/**/*.test.{ts,tsx}'],
          isolate: false,
        },
      },
    ],
  },
})
