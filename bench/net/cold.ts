/**
 * `npm run bench -- net cold [--quotes <at each price>] [--seed <n>] [--world <name>]`: checks if a new service quotes
 * as much as it could, net of gas. The service has not learned from any simulation. Each request is compared with
 * restricted variants: without one family, with fewer hops, or with fewer pools. On the local chain and on recorded
 * Ethereum state, a request and its variants are quoted over HTTP at one block, and sent from the same state. The gas
 * is that of the receipts. The wallet has approved the Guard without a limit.
 */
import { parseArgs } from 'node:util'
import { random } from '@sluice/liquidity/testing'
import { quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'
import { type ColdWorld, startColdWorlds } from './cold-worlds.ts'
import { type MeasuredQuote, measureRestricted, type RestrictedReceipt } from './receipts.ts'
import { GAS_PRICES, LOST_BPS } from './restricted-requests.ts'

const { values } = parseArgs({
  options: {
    quotes: { type: 'string', default: '28' },
    seed: { type: 'string', default: '36' },
    world: { type: 'string' },
  },
})
const [quotesPerPrice, seed] = [Number(values.quotes), Number(values.seed)]
const TRADE_USD = { min: 50, max: 100_000 }
/** Maximum number of drawn trades per quote. Many pairs have no route within the default price impact. */
const MAX_TRIES = 10

const results: Record<string, object> = {}
for await (const world of startColdWorlds(values.world)) {
  const allQuotes: MeasuredQuote[] = []
  const byPrice: object[] = []
  for (const [priceIndex, gasPriceWei] of GAS_PRICES.entries()) {
    const measuredQuotes = await quotesAt(world, gasPriceWei, seed * GAS_PRICES.length + priceIndex)
    byPrice.push({ gwei: Number(gasPriceWei) / 1e9, ...figuresOf(measuredQuotes) })
    allQuotes.push(...measuredQuotes)
    console.error(world.name, JSON.stringify(byPrice.at(-1)))
  }
  results[world.name] = {
    all: figuresOf(allQuotes),
    byPrice,
    lost: allQuotes.flatMap(listedLoss).sort((a, b) => b.bps - a.bps),
  }
}
record('net-cold', { seed, ...results })

/** Starts a service, and measures its quotes at a gas price. */
async function quotesAt(world: ColdWorld, gasPriceWei: bigint, drawSeed: number): Promise<readonly MeasuredQuote[]> {
  const generator = random(drawSeed)
  const measuredQuotes: MeasuredQuote[] = []
  const service = await world.startService()
  try {
    for (let tries = 0; measuredQuotes.length < quotesPerPrice && tries < MAX_TRIES * quotesPerPrice; tries++) {
      const [from, to] = [generator.pick(world.tokens), generator.pick(world.tokens)]
      const usd = TRADE_USD.min * (TRADE_USD.max / TRADE_USD.min) ** (generator.integer(1_000_000) / 1_000_000)
      const amount = BigInt(Math.round((usd / from.usd) * 1e6)) * 10n ** BigInt(from.decimals)
      const request = { src: from.token, dst: to.token, amount: amount / 1_000_000n, gasPrice: gasPriceWei }
      if (from.token === to.token || request.amount === 0n) continue
      const measurement = await measureRestricted(world, service.url, request)
      if (measurement) measuredQuotes.push({ ...measurement, usd: Math.round(usd) })
    }
  } finally {
    await service.close()
  }
  return measuredQuotes
}

function figuresOf(measuredQuotes: readonly MeasuredQuote[]) {
  const losses = measuredQuotes.map(({ restricted }) => Math.max(0, ...restricted.map(({ bps }) => bps)))
  const lostCount = losses.filter((bps) => bps > LOST_BPS).length
  return {
    quotes: measuredQuotes.length,
    lost: lostCount,
    lostPercent: rounded((100 * lostCount) / measuredQuotes.length),
    dominated: measuredQuotes.filter(({ restricted }) => restricted.some(({ dominates }) => dominates)).length,
    bps: { p95: rounded(quantile(losses, 0.95), 2), worst: rounded(Math.max(0, ...losses), 2) },
  }
}

function listedLoss({ restricted, request, usd, unrestricted }: MeasuredQuote) {
  const bestAlternative = restricted.toSorted((a, b) => b.bps - a.bps)[0]
  if (!bestAlternative || (bestAlternative.bps <= LOST_BPS && !restricted.some(({ dominates }) => dominates))) return []
  const summary = ({ received, gasUsed, legs }: Pick<RestrictedReceipt, 'received' | 'gasUsed' | 'legs'>) => ({
    received: String(received),
    gasUsed: Number(gasUsed),
    legs,
  })
  const { src, dst, amount, gasPrice } = request
  const query = `src=${src}&dst=${dst}&amount=${amount}&gasPrice=${gasPrice}`
  return [
    {
      bps: rounded(bestAlternative.bps, 2),
      usd,
      request: query,
      narrower: bestAlternative.restriction,
      own: summary(unrestricted),
      other: summary(bestAlternative),
    },
  ]
}
