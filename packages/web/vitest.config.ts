/** Vitest configuration of the web app. */
import { defineConfig } from 'vitest/config'

/** Long timeouts that allow the first test to build the local chain. */
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 180_000 } })
