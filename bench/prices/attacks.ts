/**
 * `npm run bench -- prices attacks`: measures what price attackers gain in synthetic markets with 10,000 tokens and
 * 100,000 pools. Attackers of many kinds own 5 % of the tokens and pools. They act before, during, and after a block in
 * which they hold borrowed funds. The true values of all tokens are known. `packages/pricing` has a test with a smaller
 * market.
 */
import type { Address } from '@sluice/chains'
import { Prices } from '@sluice/pricing'
import { HOSTILE_SHARE, makeMarket, scoreOf, snapshotAt, strategies } from '@sluice/pricing/testing'
import { record, rounded } from '../record.ts'

const SEEDS = [1, 2, 3]
const TOKENS = 10_000
const POOLS = 100_000

const markets = []
for (const seed of SEEDS) markets.push(await runAttacks(seed))
record('price-attacks', {
  ...{ tokens: TOKENS, pools: POOLS, hostile: `${HOSTILE_SHARE * 100} %` },
  ...{ strategies: strategies.length, markets },
})

async function runAttacks(seed: number) {
  const market = makeMarket({ seed, tokens: TOKENS, pools: POOLS })
  let redemptions = market.shares
  const redemptionOf = (token: Address) => redemptions.get(token)
  const prices = new Prices(market.chain, { decimals: market.decimals, redemptions: redemptionOf })
  const blocks = {
    'at first': market.pools,
    'while pools are bent': market.pools.with(market.spike),
    'a block later': market.pools,
    'two blocks later': market.pools,
  }
  const results: Record<string, object> = {}
  for (const [blockIndex, [momentName, pools]] of Object.entries(blocks).entries()) {
    redemptions = pools === market.pools ? market.shares : market.bentShares
    prices.applyNow(snapshotAt(market, blockIndex + 1, pools))
    const { honest, credited } = await scoreOf(prices, market)
    const creditedTimes = Object.fromEntries(
      Object.entries(credited).map(([cause, maxFactor]) => [cause, rounded(maxFactor, 3)]),
    )
    results[momentName] = { honest, creditedTimesWhatIsLocked: creditedTimes }
  }
  return { seed, hostileTokens: market.fakes.length, poolsBentForABlock: market.spike.length, ...results }
}
