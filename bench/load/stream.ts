/**
 * `npm run bench -- load stream [streams] [blocks]`: measures the cost of open streams. One process serves 1,000
 * streams, and a block moves prices every 2 s. Compares the service's CPU time for different streams and for equal ones
 * with 1,000 quotes of one block, and measures the delay of a block's last event. Results in `results/stream.json`.
 */
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '@sluice/devnet'
import { cpuMs } from '../lib/processor.ts'
import { median } from '../lib/statistics.ts'
import { PAIRS, startLocalService } from '../lib/world.ts'
import { record, rounded } from '../record.ts'

const [STREAMS = 1_000, BLOCKS = 15] = process.argv.slice(2).map(Number)
const BLOCK_MS = 2_000
const AT_ONCE = 16
const OPENED_AT_ONCE = 100
const RETRY_MS = 50
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const maxStreams = String(2 * STREAMS)
const limits = {
  MAX_STREAMS: maxStreams,
  MAX_STREAMS_PER_CALLER: maxStreams,
  MAX_CONNECTIONS_PER_CALLER: maxStreams,
  MAX_QUEUED: maxStreams,
}
const patient = { MAX_WAIT_MS: '60000', REQUEST_TIMEOUT_MS: '120000', LOG_LEVEL: 'silent', DRIFT_SAMPLE_PERCENT: '0' }
const { devnet, service, stop } = await startLocalService({ ...limits, ...patient })
const { info, url: node } = devnet
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Returns the service's processor time so far in milliseconds. */
const serviceMs = () => cpuMs(service.child.pid!)

const token = (symbol: string) => info.tokens[symbol]!.address
const requestOf = (k: number, offset = 0) => {
  const [src, dst, amount] = PAIRS[k % PAIRS.length]!
  return new URLSearchParams({ src: token(src), dst: token(dst), amount: String(amount + BigInt(k + offset)) })
}
async function json<T>(path: string): Promise<T> {
  const answer = await fetch(service.url + path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/**
 * Mines a block with a sale of the native token, which moves prices. The trade is always the same, so that only the
 * block changes.
 */
async function trade(): Promise<void> {
  const from = info.accounts[1]!.address
  const query = new URLSearchParams({ src: NATIVE, dst: token('USDC'), amount: `${10n ** 17n}`, from, slippage: '5' })
  const { tx } = await json<{ tx: { to: string; data: string; value: string } }>(`/aggregator/31337?${query}`)
  const value = `0x${BigInt(tx.value).toString(16)}`
  await request(node, 'eth_sendTransaction', [{ from, to: tx.to, data: tx.data, value, gas: '0x1c9c380' }])
}

/** Returns the processor time of quotes of one block, all different. */
async function quotes(count: number, round: number): Promise<number> {
  await trade()
  await json(`/quote/31337?${requestOf(0, (round + 1) * 10 * STREAMS)}`)
  const before = serviceMs()
  let next = 0
  const worker = async () => {
    for (let k = next++; k < count; k = next++) await json(`/quote/31337?${requestOf(k, (round + 1) * STREAMS)}`)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return serviceMs() - before
}

type StreamCounts = {
  readonly cpuMsPerBlock: number
  readonly lastEventMs: { readonly median: number; readonly most: number }
  readonly eventsPerBlock: number
  readonly ended: number
}

/** Opens streams, trades in a block every two seconds, and closes the streams. */
async function watch(query: (k: number) => URLSearchParams): Promise<StreamCounts> {
  let [events, ended, lastAt] = [0, 0, 0]
  let isOver = false
  const open = new Set<{ destroy: () => void }>()
  /** Opens a stream and resolves with its first event. Retries if the queue is full. */
  const begin = (k: number) =>
    new Promise<void>((resolve, reject) => {
      const call = get(`${service.url}/stream/31337?${query(k)}`, { agent }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`stream ${k}: ${answer.statusCode}`))
        answer.on('data', (chunk: Buffer) => {
          // The line is a comment.
          if (chunk[0] === 0x3a) return
          events++
          lastAt = performance.now()
          resolve()
        })
        answer.on('end', () => ended++)
        answer.on('error', () => {})
      })
      open.add(call)
      call.on('error', () => {
        open.delete(call)
        if (!isOver) setTimeout(() => begin(k).then(resolve, reject), RETRY_MS)
      })
    })
  for (let k = 0; k < STREAMS; k += OPENED_AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(OPENED_AT_ONCE, STREAMS - k) }, (_, n) => begin(k + n)))
  await sleep(BLOCK_MS)
  const lags: number[] = []
  const start = { cpu: serviceMs(), events }
  for (let block = 0; block < BLOCKS; block++) {
    const now = performance.now()
    await trade()
    await sleep(Math.max(0, BLOCK_MS - (performance.now() - now)))
    // If the last event belongs to an earlier block, none arrived in time.
    lags.push(lastAt > now ? lastAt - now : BLOCK_MS)
  }
  const figures = {
    cpuMsPerBlock: rounded((serviceMs() - start.cpu) / BLOCKS),
    eventsPerBlock: rounded((events - start.events) / BLOCKS),
    lastEventMs: { median: rounded(median(lags)), most: rounded(Math.max(...lags)) },
    ended,
  }
  isOver = true
  for (const call of open) call.destroy()
  await sleep(BLOCK_MS)
  return figures
}

try {
  await quotes(Math.min(100, STREAMS), 0)
  const rounds = [await quotes(STREAMS, 1), await quotes(STREAMS, 2), await quotes(STREAMS, 3)]
  const quotesMs = median(rounds)
  const different = await watch((k) => requestOf(k))
  const sameRequest = await watch(() => requestOf(0))
  record('stream', {
    streams: STREAMS,
    blocks: BLOCKS,
    blockMs: BLOCK_MS,
    quotes: { cpuMs: quotesMs },
    different,
    same: sameRequest,
    /** Processor time of a block of streams divided by the time of as many quotes. */
    shareOfQuotes: {
      different: rounded(different.cpuMsPerBlock / quotesMs, 3),
      same: rounded(sameRequest.cpuMsPerBlock / quotesMs, 3),
    },
  })
} finally {
  agent.destroy()
  await stop()
}
