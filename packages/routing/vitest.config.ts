import { defineConfig } from 'vitest/config'

/** Searches take as long as the machine lets them: the limit is for those that hang. */
export default defineConfig({ test: { testTimeout: 60_000 } })
