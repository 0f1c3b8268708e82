/**
 * Returns memory to the operating system after a load peak. V8 keeps unused heap pages, and only its last-resort
 * garbage collection releases them. That collection stops the process for 1 to 2 ms per MB in use, and discards
 * compiled code. The next few hundred quotes then take two to three times the CPU time, and full throughput returns
 * after about 20 s. So it runs only after a long idle time, and only if it can release more memory than is in use.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLoopMeter } from '@sluice/rpc'

/** Maximum event loop utilization over an interval at which the service counts as idle. */
const MAX_IDLE_UTILIZATION = 0.1
/** Interval between two checks of the load. */
const INTERVAL_MS = 10_000
/**
 * Minimum consecutive idle intervals before a collection. A short pause between two peaks of load must not trigger one.
 */
const MIN_IDLE_INTERVALS = 5
/**
 * Minimum memory that a collection must be able to release. A load of 32 connections on one chain leaves up to 440 MB
 * of compiled code, young generation, and garbage. Freeing that much justifies slower requests at the next load peak.
 */
const MIN_RELEASABLE_BYTES = 300e6

/**
 * Disables V8's pretenuring in the whole process, so that all objects are allocated in the young generation. Under
 * load, many objects of a request, such as its listeners, outlive a minor collection. With pretenuring, V8 then
 * allocates such objects in the old generation directly. There they keep the whole request alive until the next major
 * collection. With 32 connections, this caused 80 % of the bytes that were promoted to the old generation.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

type CollectGarbage = (options: {
  readonly type: 'major'
  readonly execution: 'sync'
  readonly flavor: 'last-resort'
}) => void

/**
 * Checks the load regularly and runs a collection when the service is idle.
 *
 * @returns a function that stops the checks
 */
export function releaseMemoryWhenIdle(intervalMs = INTERVAL_MS): () => void {
  const measureUtilization = createLoopMeter()
  measureUtilization()
  /** Resident memory after the last collection, or at the start. Only memory above it can be released. */
  let baselineBytes = process.memoryUsage().rss
  let idleIntervals = 0
  const checkIdle = () => {
    idleIntervals = measureUtilization() > MAX_IDLE_UTILIZATION ? 0 : idleIntervals + 1
    if (idleIntervals < MIN_IDLE_INTERVALS) return
    const { rss, heapUsed } = process.memoryUsage()
    if (rss - baselineBytes < Math.max(MIN_RELEASABLE_BYTES, heapUsed)) return
    exposeCollector()({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    baselineBytes = process.memoryUsage().rss
  }
  const timer = setInterval(checkIdle, intervalMs).unref()
  return () => clearInterval(timer)
}

/** Returns V8's `gc` function. Sets the flag for it at runtime, so that the service needs no command-line option. */
function exposeCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as CollectGarbage
}
