/**
 * `npm run bench -- load stream [streams] [blocks]`: measures the cost of open streams. One process serves 1,000
 * streams, and a block changes prices every 2 s. Compares the service's CPU time per block with that of 1,000 quotes at
 * one block, for streams of different requests and for streams of the same request. Also measures the delay from a
 * block to its last event. Results in `results/stream.json`.
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
const CONCURRENT_QUOTES = 16
const CONCURRENT_OPENINGS = 100
const RETRY_MS = 50
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const maxStreams = String(2 * STREAMS)
const limits = {
  MAX_STREAMS: maxStreams,
  MAX_STREAMS_PER_CALLER: maxStreams,
  MAX_CONNECTIONS_PER_CALLER: maxStreams,
  MAX_QUEUED: maxStreams,
}
const longTimeouts = {
  MAX_WAIT_MS: '60000',
  REQUEST_TIMEOUT_MS: '120000',
  LOG_LEVEL: 'silent',
  DRIFT_SAMPLE_PERCENT: '0',
}
const { devnet, service, stop } = await startLocalService({ ...limits, ...longTimeouts })
const { info, url: node } = devnet
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Returns the service's processor time so far in milliseconds. */
const serviceMs = () => cpuMs(service.child.pid!)

const token = (symbol: string) => info.tokens[symbol]!.address
/** Returns the query of the k-th request. Queries with different offsets have different amounts. */
const queryOf = (k: number, offset = 0) => {
  const [src, dst, amount] = PAIRS[k % PAIRS.length]!
  return new URLSearchParams({ src: token(src), dst: token(dst), amount: String(amount + BigInt(k + offset)) })
}
async function getJson<T>(path: string): Promise<T> {
  const answer = await fetch(service.url + path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/**
 * Mines a block in which the native token is sold, so that prices change. The transaction is the same in every block.
 */
async function mineTrade(): Promise<void> {
  const from = info.accounts[1]!.address
  const query = new URLSearchParams({ src: NATIVE, dst: token('USDC'), amount: `${10n ** 17n}`, from, slippage: '5' })
  const { tx } = await getJson<{ tx: { to: string; data: string; value: string } }>(`/aggregator/31337?${query}`)
  const value = `0x${BigInt(tx.value).toString(16)}`
  await request(node, 'eth_sendTransaction', [{ from, to: tx.to, data: tx.data, value, gas: '0x1c9c380' }])
}

/** Returns the processor time of `count` different quotes at one block, in milliseconds. */
async function measureQuotes(count: number, round: number): Promise<number> {
  await mineTrade()
  await getJson(`/quote/31337?${queryOf(0, (round + 1) * 10 * STREAMS)}`)
  const before = serviceMs()
  let nextIndex = 0
  const worker = async () => {
    for (let k = nextIndex++; k < count; k = nextIndex++)
      await getJson(`/quote/31337?${queryOf(k, (round + 1) * STREAMS)}`)
  }
  await Promise.all(Array.from({ length: CONCURRENT_QUOTES }, worker))
  return serviceMs() - before
}

type StreamFigures = {
  readonly cpuMsPerBlock: number
  readonly lastEventMs: { readonly median: number; readonly most: number }
  readonly eventsPerBlock: number
  readonly ended: number
}

/** Opens the streams, mines a trade every two seconds, and closes the streams. */
async function measureStreams(query: (k: number) => URLSearchParams): Promise<StreamFigures> {
  let [events, ended, lastAt] = [0, 0, 0]
  let isOver = false
  const openRequests = new Set<{ destroy: () => void }>()
  /** Opens a stream, and resolves at its first event. Opens it again if the connection fails. */
  const openStream = (k: number) =>
    new Promise<void>((resolve, reject) => {
      const call = get(`${service.url}/stream/31337?${query(k)}`, { agent }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`stream ${k}: ${answer.statusCode}`))
        answer.on('data', (chunk: Buffer) => {
          // Skips comments, which start with a colon.
          if (chunk[0] === 0x3a) return
          events++
          lastAt = performance.now()
          resolve()
        })
        answer.on('end', () => ended++)
        answer.on('error', () => {})
      })
      openRequests.add(call)
      call.on('error', () => {
        openRequests.delete(call)
        if (!isOver) setTimeout(() => openStream(k).then(resolve, reject), RETRY_MS)
      })
    })
  for (let k = 0; k < STREAMS; k += CONCURRENT_OPENINGS)
    await Promise.all(Array.from({ length: Math.min(CONCURRENT_OPENINGS, STREAMS - k) }, (_, n) => openStream(k + n)))
  await sleep(BLOCK_MS)
  const lags: number[] = []
  const start = { cpu: serviceMs(), events }
  for (let block = 0; block < BLOCKS; block++) {
    const blockStart = performance.now()
    await mineTrade()
    await sleep(Math.max(0, BLOCK_MS - (performance.now() - blockStart)))
    // If the last event belongs to an earlier block, no event of this block arrived in time.
    lags.push(lastAt > blockStart ? lastAt - blockStart : BLOCK_MS)
  }
  const figures = {
    cpuMsPerBlock: rounded((serviceMs() - start.cpu) / BLOCKS),
    eventsPerBlock: rounded((events - start.events) / BLOCKS),
    lastEventMs: { median: rounded(median(lags)), most: rounded(Math.max(...lags)) },
    ended,
  }
  isOver = true
  for (const call of openRequests) call.destroy()
  await sleep(BLOCK_MS)
  return figures
}

try {
  await measureQuotes(Math.min(100, STREAMS), 0)
  const rounds = [await measureQuotes(STREAMS, 1), await measureQuotes(STREAMS, 2), await measureQuotes(STREAMS, 3)]
  const quotesMs = median(rounds)
  const different = await measureStreams((k) => queryOf(k))
  const sameRequest = await measureStreams(() => queryOf(0))
  record('stream', {
    streams: STREAMS,
    blocks: BLOCKS,
    blockMs: BLOCK_MS,
    quotes: { cpuMs: quotesMs },
    different,
    same: sameRequest,
    /** Processor time of all streams for a block, divided by the processor time of the same number of quotes. */
    shareOfQuotes: {
      different: rounded(different.cpuMsPerBlock / quotesMs, 3),
      same: rounded(sameRequest.cpuMsPerBlock / quotesMs, 3),
    },
  })
} finally {
  agent.destroy()
  await stop()
}
