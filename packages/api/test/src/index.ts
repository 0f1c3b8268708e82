/** Test helpers for tests and benchmarks of other packages. */
export { BROWSER_ARGS, findBrowser } from './browser.ts'
export { digestOf, falsify, memoized } from './certificates.ts'
export { devnetDir, SHUTDOWN_GRACE_MS, SLOW_MACHINE_LIMITS, startChain, startOver } from './devnet.ts'
export { deployCoin } from './permits.ts'
export { warmUp } from './service.ts'
