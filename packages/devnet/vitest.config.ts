/** Test configuration of the local chain. */
import { defineConfig } from 'vitest/config'

// Files that start nodes or build the chain wait for processes.
export default defineConfig({ test: { maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000 } })
