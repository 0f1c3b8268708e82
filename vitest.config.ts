import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Two cores are the yardstick; whole-system files start a node each.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    setupFiles: ['test/src/fast-check.ts'],
    include: ['{packages/*,contracts,test,bench,scripts}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
})
