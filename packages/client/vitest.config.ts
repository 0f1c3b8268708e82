/** Vitest configuration. The first test that uses the local chain builds it, so the hook timeout is long. */
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 180_000 } })
