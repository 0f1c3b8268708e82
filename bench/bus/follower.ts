/** One worker of the benchmark: URL in its arguments. Told by messages when to begin and when to tell what it saw. */
import { Follower, keysOf } from '@sluice/bus/testing'
import { Semaphore } from '@sluice/rpc'

const [url] = process.argv.slice(2) as [string]
const started = performance.now()
let lags: number[] = []
let cpu = process.cpuUsage()
let since = performance.now()
let number = -1
/** Milliseconds of CPU for measuring the heap, which are not the follower's. */
let measuringMs = 0

const cpuMs = () => {
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1_000
}
const follower = new Follower({
  ...{ url, keys: keysOf(1), joins: new Semaphore(1) },
  onShown: ({ block, pools }, ids) => {
    number = block.number
    if (ids) lags.push(Date.now() - block.timestamp)
    else process.send?.({ joinMs: performance.now() - started, cpuMs: cpuMs(), pools: pools.size })
  },
})
follower.start()
process.on('message', (ask) => {
  if (ask === 'begin') {
    lags = []
    cpu = process.cpuUsage()
    measuringMs = 0
    since = performance.now()
    return
  }
  const seconds = (performance.now() - since) / 1_000
  const before = cpuMs()
  const used = before - measuringMs
  globalThis.gc?.()
  measuringMs += cpuMs() - before
  const heapMB = process.memoryUsage().heapUsed / 1e6
  process.send?.({
    number,
    lags,
    cpuPercent: used / 10 / seconds,
    cpuMsPerBlock: used / Math.max(1, lags.length),
    heapMB,
  })
})
process.on('disconnect', () => process.exit())
