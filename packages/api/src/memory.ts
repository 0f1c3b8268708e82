/**
 * Memory that a flood took goes back to the system once the service rests. V8 keeps the pages of its heap for later use,
 * however little of them is in use; only its last-resort collection lets go of them. That one stops the process for 1 to 2 ms
 * per MB in use, and throws away compiled code: the next few hundred quotes take the processor two to three times as long, and under
 * full load it is some twenty seconds until it does as many as before. So it waits for a long rest, and for more to be had than is
 * in use.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loopMeter } from '@sluice/rpc'

/** A service with no more of its time in use over a whole interval is at rest. */
const RESTING = 0.1
const INTERVAL_MS = 10_000
/** Intervals in a row: between bursts of a busy service there are pauses, after which it should be as fast as before. */
const LONG = 5
/**
 * Quotes of one chain on 32 connections leave up to 440 MB: code, the young generations, and garbage not yet collected. After so long
 * a rest that counts for more than the first seconds of the next ones.
 */
const LEAST_BYTES = 300e6

/**
 * Lets everything begin in the young generation, for the whole process. V8 makes objects in the old one at places where most have
 * outlived a collection, as much of a request does under load: listeners of its answer, for one. All that such an object leads to,
 * the whole request, then lives until the next collection of the old generation. On 32 connections that were four fifths of the bytes
 * that grew old.
 */
export function beginYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

type Collect = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

/** Looks at every interval until it is stopped by what it returns. */
export function returnMemoryAtRest(intervalMs = INTERVAL_MS): () => void {
  const utilization = loopMeter()
  utilization()
  /** Resident bytes when all had been returned; more is only had from what came on top. */
  let least = process.memoryUsage().rss
  let rested = 0
  const look = () => {
    rested = utilization() > RESTING ? 0 : rested + 1
    if (rested < LONG) return
    const { rss, heapUsed } = process.memoryUsage()
    if (rss - least < Math.max(LEAST_BYTES, heapUsed)) return
    collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    least = process.memoryUsage().rss
  }
  const timer = setInterval(look, intervalMs).unref()
  return () => clearInterval(timer)
}

/** The engine's own, which stands behind a flag of the command line that every way of starting the service would have to name. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}
