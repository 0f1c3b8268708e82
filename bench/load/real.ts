/**
 * `npm run bench -- load real [--trades <count> --seed <n> --tokens <count>]`: requests random trades on recorded
 * Ethereum state (`npm run mainnet`), one after the other, each by a sender that neither the service nor the node has
 * seen. Measures the response time, the time of the service's stages, such as the search, and the processor time per
 * request. Requests for other trades load the pools before the measurement. Results in `results/real.json`.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startEthereumService } from '../lib/ethereum.ts'
import { pricedTokens } from '../lib/prices.ts'
import { cpuMs, nodeProcessIdOf } from '../lib/processor.ts'
import { quantile } from '../lib/statistics.ts'
import { drawTrades, type Trade, type TradedToken } from '../lib/trades.ts'
import { record, rounded } from '../record.ts'

const { values } = parseArgs({
  options: {
    trades: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '20261128' },
    tokens: { type: 'string', default: '40' },
  },
})
const [count, seed, tokenCount] = [values.trades, values.seed, values.tokens].map(Number) as [number, number, number]
const MAX_LISTED_SLOWEST = 10

type Answer = {
  readonly trade: Trade
  readonly code: string
  readonly ms: number
  /** Milliseconds by stage of the service, from `Server-Timing`. */
  readonly stages: ReadonlyMap<string, number>
  readonly legs: number
}

const { chainId, url, service, stop } = await startEthereumService()
try {
  const { native, all, busy } = await pricedTokens(service.url, url)
  // Sorts tokens that are traded in the recorded blocks first.
  const busyRank = ({ token }: TradedToken) => Number(busy.some((busyToken) => busyToken.token === token))
  const tokensWithPrice = all.toSorted((a, b) => busyRank(b) - busyRank(a) || (a.token < b.token ? -1 : 1))
  const drawnTokens = tokensWithPrice.slice(0, tokenCount)
  const tokens = { native, all: drawnTokens, busy: drawnTokens }
  for (const trade of drawTrades(seed + 1, count, tokens)) await requestQuote(service.url, chainId, trade)
  const answers: Answer[] = []
  const [servicePid, nodePid] = [service.child.pid!, nodeProcessIdOf(Number(new URL(url).port))]
  const startMs = { service: cpuMs(servicePid), node: cpuMs(nodePid) }
  for (const trade of drawTrades(seed, count, tokens)) answers.push(await requestQuote(service.url, chainId, trade))
  const perRequest = (ms: number) => rounded(ms / count, 2)
  report(answers, drawnTokens.length, {
    service: perRequest(cpuMs(servicePid) - startMs.service),
    node: perRequest(cpuMs(nodePid) - startMs.node),
  })
} finally {
  await stop()
}

async function requestQuote(api: string, chainId: number, trade: Trade): Promise<Answer> {
  const { src, dst, amount } = trade
  const query = new URLSearchParams({ src, dst, amount: String(amount), from: `0x${randomBytes(20).toString('hex')}` })
  const start = performance.now()
  const response = await fetch(`${api}/aggregator/${chainId}?${query}`)
  const body = (await response.json()) as { readonly code?: string; readonly swaps?: readonly unknown[] }
  const ms = performance.now() - start
  const timing = response.headers.get('server-timing') ?? ''
  const stages = new Map([...timing.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, stage, dur]) => [stage!, Number(dur)]))
  const code = response.ok ? 'answered' : (body.code ?? String(response.status))
  return { trade, code, ms, stages, legs: body.swaps?.length ?? 0 }
}

/** @param processorMs - mean processor time per request of each process, including all of its threads */
function report(
  answers: readonly Answer[],
  tokensDrawn: number,
  processorMs: { readonly service: number; readonly node: number },
): void {
  const outcomes: Record<string, number> = {}
  for (const { code } of answers) outcomes[code] = (outcomes[code] ?? 0) + 1
  const slowest = answers.toSorted((a, b) => b.ms - a.ms).slice(0, MAX_LISTED_SLOWEST)
  record('real', {
    seed,
    trades: answers.length,
    tokens: tokensDrawn,
    outcomes,
    processorMs,
    allMs: quantiles(answers.map(({ ms }) => ms)),
    answeredMs: quantiles(answers.filter(({ code }) => code === 'answered').map(({ ms }) => ms)),
    searchMs: quantiles(answers.map(searchMsOf)),
    stagesMs: stageQuantiles(answers.filter(({ code }) => code === 'answered')),
    refusedTokens: countRefusedTokens(answers),
    slowest: slowest.map(({ trade: { src, dst, usd }, code, ms, stages, legs }) => ({
      ...{ src, dst, usd, code, legs },
      ...{ ms: rounded(ms), searchMs: searchMsOf({ stages }) },
    })),
  })
}

function searchMsOf({ stages }: Pick<Answer, 'stages'>): number {
  return stages.get('route') ?? 0
}

/** Returns the quantiles of the time of each stage. */
function stageQuantiles(answers: readonly Answer[]): Record<string, ReturnType<typeof quantiles>> {
  const names = new Set(answers.flatMap(({ stages }) => [...stages.keys()]))
  return Object.fromEntries(
    [...names].map((name) => [name, quantiles(answers.map(({ stages }) => stages.get(name) ?? 0))]),
  )
}

/** Returns the input tokens of rejected trades by error code. Tokens with most rejections come first. */
function countRefusedTokens(answers: readonly Answer[]): Record<string, readonly string[]> {
  const counts = new Map<string, Map<string, number>>()
  for (const { code, trade } of answers) {
    if (code === 'answered') continue
    const tokens = counts.get(code) ?? new Map<string, number>()
    counts.set(code, tokens.set(trade.src, (tokens.get(trade.src) ?? 0) + 1))
  }
  const byCount = (tokens: ReadonlyMap<string, number>) => [...tokens].toSorted((a, b) => b[1] - a[1])
  return Object.fromEntries(
    [...counts].map(([code, tokens]) => [code, byCount(tokens).map(([token, refusals]) => `${refusals} ${token}`)]),
  )
}

function quantiles(values: readonly number[]) {
  const quantileAt = (part: number) => rounded(quantile(values, part))
  return { p50: quantileAt(0.5), p95: quantileAt(0.95), p99: quantileAt(0.99), worst: quantileAt(1) }
}
