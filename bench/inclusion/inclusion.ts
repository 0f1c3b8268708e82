/**
 * `npm run bench -- inclusion [--swaps <count> --seed <n> --cold]`: checks if quotes still succeed when they are sent
 * later. Quotes random trades through all families on the local chain and on recorded Ethereum state, and through pools
 * that were created in the quoted block. Sends each quote with the recommended gas limit in the next block, a minute,
 * half an hour, and a day later, each time from the same state. Results in `results/inclusion.json`. With `--cold`,
 * each quote is the first one of a new service, and is sent only in the next block. Results in
 * `results/inclusion-cold.json`.
 */
import { parseArgs } from 'node:util'
import { Node } from '@sluice/system-test/wallet'
import { startEthereumService } from '../lib/ethereum.ts'
import { pricedTokens, pricesOf } from '../lib/prices.ts'
import { randomOf } from '../lib/random.ts'
import { drawTrades, type TradedToken } from '../lib/trades.ts'
import { startLocalService, startService } from '../lib/world.ts'
import { record } from '../record.ts'
import { assertFunded, NEW_POOLS, newPool } from './new-pools.ts'
import { DELAYS, type Delay, type QuotedChain, quoteAndSend, type SentSwap, type SwapRequest } from './send.ts'
import { summary } from './summary.ts'

const { values } = parseArgs({
  options: {
    swaps: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '20261125' },
    cold: { type: 'boolean', default: false },
  },
})
const delays: readonly Delay[] = values.cold ? [DELAYS[0]] : DELAYS
const seed = Number(values.seed)
/** Number of quotes. Each is sent once per delay, which makes `--swaps` transactions in total. */
const quoteCount = Math.ceil(Number(values.swaps) / delays.length)
/** Number of quotes on the local chain, on Ethereum state, and through pools created in the quoted block (`fresh`). */
const quoteCounts = {
  local: Math.ceil(quoteCount * 0.5),
  ethereum: Math.ceil(quoteCount * 0.35),
  fresh: Math.ceil(quoteCount * 0.15),
}
const MAX_TRIES_PER_QUOTE = 4
const TRADE_USD = { min: 10, max: 100_000 }
const random = randomOf(seed)
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!

const sentSwaps: SentSwap[] = []
const refusals: Record<string, number> = {}

type Env = Readonly<Record<string, string>>

/**
 * Quotes and sends trades until `count` quotes have succeeded. With `--cold` each quote starts a new service.
 *
 * @param draw - returns the `k`-th request
 */
async function runTrades(
  quotedChain: QuotedChain,
  env: Env,
  count: number,
  draw: (k: number) => Promise<SwapRequest>,
): Promise<void> {
  const requestSwap = async (request: SwapRequest) => {
    if (!values.cold) return quoteAndSend(quotedChain, request, delays)
    const service = await startService(env)
    try {
      return await quoteAndSend({ ...quotedChain, api: service.url }, request, delays)
    } finally {
      await service.stop()
    }
  }
  let quotedCount = 0
  for (let tryIndex = 0; quotedCount < count && tryIndex < MAX_TRIES_PER_QUOTE * count; tryIndex++) {
    const outcome = await requestSwap(await draw(tryIndex))
    if ('code' in outcome) {
      refusals[outcome.code] = (refusals[outcome.code] ?? 0) + 1
      continue
    }
    sentSwaps.push(...outcome.sent)
    if (++quotedCount % 50 === 0) console.error(`${quotedChain.name}: ${quotedCount} of ${count} quotes`)
  }
}

async function runLocalTrades(): Promise<void> {
  const { devnet, service, stop, ...world } = await startLocalService({ LOG_LEVEL: 'error' })
  const env = { ...world.env, LOG_LEVEL: 'error' }
  try {
    const quotedChain = {
      name: 'local',
      api: service.url,
      chainId: 31337,
      node: new Node(devnet.url),
      guard: devnet.info.guard,
    }
    const addresses = Object.values(devnet.info.tokens).map(({ address }) => address)
    const prices = await pricesOf(service.url, addresses, quotedChain.chainId)
    const tokens = Object.values(devnet.info.tokens).flatMap(({ address, decimals }): TradedToken[] => {
      const usd = prices.get(address.toLowerCase())
      return usd ? [{ token: address, decimals, usd }] : []
    })
    const families = [...new Set(devnet.info.pools.map(({ family }) => family))]
    await runTrades(quotedChain, env, quoteCounts.local, async () => {
      const [from, to] = [pick(tokens), pick(tokens)]
      const usd = TRADE_USD.min * (TRADE_USD.max / TRADE_USD.min) ** random()
      const amount = (BigInt(Math.round((usd / from.usd) * 1e6)) * 10n ** BigInt(from.decimals)) / 1_000_000n
      // Half of the trades are restricted to one random family, so that each family occurs.
      const sourceFilter = random() < 0.5 ? { includeSources: pick(families) } : {}
      return { src: from.token, dst: to.token, amount: amount || 1n, query: sourceFilter }
    })
    const freshChain = { ...quotedChain, name: 'fresh' }
    await runTrades(freshChain, env, quoteCounts.fresh, async (k) => {
      const token = await newPool(devnet, NEW_POOLS[k % NEW_POOLS.length]!)
      await assertFunded(devnet)
      const weth = devnet.info.tokens.WETH!.address
      const [src, dst] = random() < 0.5 ? [token.address, weth] : [weth, token.address]
      return { src, dst, amount: 10n ** 16n, query: {}, isFresh: true }
    })
  } finally {
    await stop()
  }
}

async function runEthereumTrades(): Promise<void> {
  const { chainId, url, api, guard, env, stop } = await startEthereumService({ replay: true })
  try {
    const trades = drawTrades(seed, MAX_TRIES_PER_QUOTE * quoteCounts.ethereum, await pricedTokens(api, url))
    const quotedChain = { name: 'ethereum', api, chainId, node: new Node(url), guard }
    await runTrades(quotedChain, env, quoteCounts.ethereum, async (k) => ({ ...trades[k % trades.length]!, query: {} }))
  } finally {
    await stop()
  }
}

await runLocalTrades()
await runEthereumTrades()
const figures = summary(sentSwaps)
record(values.cold ? 'inclusion-cold' : 'inclusion', { seed, refusals, ...figures })
const worstP95 = Math.max(...Object.values(figures.byDelay).map(({ chargedErrorPercent }) => chargedErrorPercent.p95))
const { median } = figures.chargedErrorPercent
if (figures.outOfGas > 0 || worstP95 > 10 || (values.cold && (median > 3 || worstP95 > 8))) process.exitCode = 1
