import { defineConfig } from 'vitest/config'

/** The first test that needs the local chain builds it. */
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 180_000 } })
