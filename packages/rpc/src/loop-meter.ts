/** Measures the load of the event loop. */
import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Creates a meter that returns the event loop utilization, from 0 to 1, since its previous call. */
export function createLoopMeter(): () => number {
  let last: EventLoopUtilization | undefined
  return () => {
    const current = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return current.utilization
  }
}
