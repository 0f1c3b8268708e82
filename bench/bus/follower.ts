/**
 * A worker process of bus.ts, with the URL of Redis as its argument. Messages reset its counts and request its results.
 */
import { keysOf, StateFollower } from '@sluice/bus/testing'
import { Semaphore } from '@sluice/rpc'

const [url] = process.argv.slice(2) as [string]
const start = performance.now()
let lags: number[] = []
let cpu = process.cpuUsage()
let blockNumber = -1

const cpuMs = () => {
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1_000
}
const follower = new StateFollower({
  ...{ url, keys: keysOf(1), joinLimit: new Semaphore(1) },
  onState: ({ block, pools }, ids) => {
    blockNumber = block.number
    // `ids` lists the pools that a block changed. It is absent when the worker has just loaded the full state.
    if (ids) lags.push(Date.now() - block.timestamp)
    else process.send?.({ joinMs: performance.now() - start, cpuMs: cpuMs(), pools: pools.size })
  },
})
follower.start()
process.on('message', (message) => {
  if (message === 'begin') {
    lags = []
    cpu = process.cpuUsage()
    return
  }
  if (message === 'number') process.send?.(blockNumber)
  else if (message === 'figures') process.send?.({ lags, cpuMsPerBlock: cpuMs() / Math.max(1, lags.length) })
  else {
    globalThis.gc?.()
    process.send?.(process.memoryUsage().heapUsed / 1e6)
  }
})
process.on('disconnect', () => process.exit())
