/**
 * Returns memory to the operating system after a load peak. V8 keeps unused heap pages; only its last-resort collection
 * releases them. That collection stops the process for 1 to 2 ms per used MB, and discards compiled code. The next few
 * hundred quotes take two to three times the CPU time; full throughput returns after about 20 s. So it runs only after
 * a long idle time, and only if it can release more memory than is in use.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLoopMeter } from '@sluice/rpc'

/** Maximum event loop utilization over an interval at which the service counts as idle. */
const MAX_IDLE_UTILIZATION = 0.1
const INTERVAL_MS = 10_000
/** Consecutive idle intervals before a collection, so that a pause between bursts of load does not trigger a collection. */
const MIN_IDLE_INTERVALS = 5
/**
 * Minimum releasable memory. A load of 32 connections on one chain leaves up to 440 MB of code, young generation, and
 * garbage. Freeing them is worth a slow start of the next load.
 */
const MIN_RELEASABLE_BYTES = 300e6

/**
 * Disables V8's pretenuring for the whole process, so all objects are allocated in the young generation. Under load many objects
 * of a request, such as its listeners, outlive a collection. V8 would then allocate them in the old generation, and they would
 * keep the whole request alive until the next major collection. On 32 connections this caused four fifths of the promoted bytes.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

type Collect = (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

/** Checks the load at every interval and collects memory if idle. @returns a function that stops the checks */
export function releaseMemoryWhenIdle(intervalMs = INTERVAL_MS): () => void {
  const utilization = createLoopMeter()
  utilization()
  /** Resident bytes after the last collection, or at the start; only memory above it can be released. */
  let baselineBytes = process.memoryUsage().rss
  let idleIntervals = 0
  const checkIdle = () => {
    idleIntervals = utilization() > MAX_IDLE_UTILIZATION ? 0 : idleIntervals + 1
    if (idleIntervals < MIN_IDLE_INTERVALS) return
    const { rss, heapUsed } = process.memoryUsage()
    if (rss - baselineBytes < Math.max(MIN_RELEASABLE_BYTES, heapUsed)) return
    collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    baselineBytes = process.memoryUsage().rss
  }
  const timer = setInterval(checkIdle, intervalMs).unref()
  return () => clearInterval(timer)
}

/** Returns V8's `gc` function. Sets its flag at runtime, so the service starts without command line options. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}
