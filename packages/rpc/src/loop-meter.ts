import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Part of its time, from 0 to 1, for which the event loop has worked since it was last asked. */
export function loopMeter(): () => number {
  let last: EventLoopUtilization | undefined
  return () => {
    const since = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return since.utilization
  }
}
