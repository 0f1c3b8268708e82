/** Vitest configuration. Hooks have a long timeout because the first test that needs the local chain builds it. */
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 180_000 } })
