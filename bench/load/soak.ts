/**
 * `npm run bench -- load soak [minutes] [requests per second]`: measures if the service's memory stays constant. By
 * default, it runs for thirty minutes, with a block every two seconds. The load is a mix of swaps, simulations, prices,
 * depth, and malformed requests. Some callers disconnect early, and senders, tokens, and integrators are always new.
 * Once a minute, the service collects garbage, and its memory is read. Results in `results/soak.json`.
 */
import { randomBytes } from 'node:crypto'
import { request as requestNode } from '@sluice/devnet'
import { startLocalService } from '../lib/world.ts'
import { record, rounded } from '../record.ts'
import { EXPOSED_GC, memoryOf } from './memory.ts'

const [minutes = 30, requestsPerSecond = 20] = process.argv.slice(2).map(Number)
const BLOCK_MS = 2_000
const SAMPLE_MS = 60_000
/** Milliseconds after which some callers disconnect without waiting for the response. */
const DISCONNECT_MS = 3
/** Number of samples at the start that do not count, because caches still fill and code is still compiled. */
const WARM_UP_SAMPLES = Math.min(5, Math.ceil(minutes / 4))

const address = () => `0x${randomBytes(20).toString('hex')}`
const { devnet, service, nextPath, stop } = await startLocalService(EXPOSED_GC)
const { tokens } = devnet.info
const swapOfNewSender = () => nextPath().replace(/from=0x[0-9a-fA-F]{40}/, `from=${address()}`)
const tokenAddresses = Object.values(tokens).map((token) => token.address)

/** Kinds of requests, each with its percentage of the load. */
const mix: readonly (readonly [number, () => Promise<Response>])[] = [
  [40, () => get(swapOfNewSender())],
  [15, () => get(`/prices/31337?token=${tokenAddresses.slice(0, 10).join()}`)],
  [5, () => get(`/liquidity/31337?token=${tokenAddresses.slice(0, 5).join()}&curve=1`)],
  [5, () => get(`/prices/31337?token=${address()}`)],
  [5, () => get('/chains')],
  [10, simulate],
  [10, () => get(`/aggregator/31337?src=${randomBytes(9).toString('hex')}&amount=${randomBytes(3).toString('hex')}`)],
  [5, () => get(`/${randomBytes(6).toString('hex')}`)],
  [5, () => get(swapOfNewSender(), AbortSignal.timeout(DISCONNECT_MS))],
]
const schedule = mix.flatMap(([share, work]) => Array.from({ length: share }, () => work))

const answers: Record<string, number> = {}
const samples: { minute: number; heapMB: number; residentMB: number }[] = []
const start = performance.now()
const end = start + minutes * 60_000
const blockTimer = setInterval(() => void requestNode(devnet.url, 'evm_mine', []).catch(report), BLOCK_MS)
const sampleTimer = setInterval(() => void sample().catch(report), SAMPLE_MS)
const pending = new Set<Promise<void>>()
for (let sentCount = 0; performance.now() < end; sentCount++) {
  const dueAt = start + (sentCount * 1000) / requestsPerSecond
  const waitMs = dueAt - performance.now()
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  const call = countOutcome(schedule[(sentCount * 37) % schedule.length]!)
  pending.add(call)
  call.finally(() => pending.delete(call))
}
clearInterval(blockTimer)
clearInterval(sampleTimer)
await Promise.all(pending)
await sample()
await stop()

const laterSamples = samples.slice(WARM_UP_SAMPLES)
const third = Math.max(1, Math.floor(laterSamples.length / 3))
const mean = (part: typeof samples, key: 'heapMB' | 'residentMB') =>
  rounded(part.reduce((sum, memorySample) => sum + memorySample[key], 0) / part.length)
const compare = (key: 'heapMB' | 'residentMB') => ({
  firstThird: mean(laterSamples.slice(0, third), key),
  lastThird: mean(laterSamples.slice(-third), key),
})
record('soak', {
  minutes,
  requestsPerSecond,
  blocks: Math.round((minutes * 60_000) / BLOCK_MS),
  answers,
  afterSettling: { heapMB: compare('heapMB'), residentMB: compare('residentMB') },
  samples,
})

async function countOutcome(work: () => Promise<Response>): Promise<void> {
  let outcome: string
  try {
    const answer = await work()
    await answer.arrayBuffer()
    outcome = String(answer.status)
  } catch (error) {
    outcome = (error as Error).name === 'TimeoutError' ? 'hung up' : (error as Error).message
  }
  answers[outcome] = (answers[outcome] ?? 0) + 1
}

function get(path: string, signal?: AbortSignal): Promise<Response> {
  const headers = { referer: `https://${randomBytes(4).toString('hex')}.example/` }
  return fetch(service.url + path, { headers, ...(signal && { signal }) })
}

function simulate(): Promise<Response> {
  const { WETH, USDC } = tokens
  const fields = {
    from: address(),
    to: address(),
    data: `0x${randomBytes(68).toString('hex')}`,
    tokenIn: WETH!.address,
    amountIn: '1000000000000000000',
    tokenOut: USDC!.address,
  }
  const headers = { 'content-type': 'application/json' }
  return fetch(`${service.url}/simulate/31337`, { method: 'POST', headers, body: JSON.stringify(fields) })
}

async function sample(): Promise<void> {
  const memory = await memoryOf(service)
  const minute = rounded((performance.now() - start) / 60_000)
  samples.push({ minute, ...memory })
  console.error(`minute ${minute}: heap ${memory.heapMB} MB, resident ${memory.residentMB} MB`)
}

function report(error: unknown): void {
  console.error(error)
}
