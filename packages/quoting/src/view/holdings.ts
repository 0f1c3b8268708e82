/**
 * Compares the real balances of a token's deepest pools with the reserves in the states of these pools, before the
 * token's price is used. Concerns only unlisted tokens, which are not in the chain's file. A snapshot holds the pools
 * at one block.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, runReads, type Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import type { Rpc } from '@sluice/rpc'
import { readBalances } from '../balances.ts'

/** Maximum pools per token whose balances are read. */
const MAX_POOLS = 16
/** A balance that is below the reserve by at most reserve / `ROUNDING_DIVISOR` counts as complete (rounding). */
const ROUNDING_DIVISOR = 1_000_000n

export type HoldingsSource = { readonly snapshot: Snapshot; readonly prices: Prices; readonly rpc: Rpc }

/**
 * Returns the tokens whose pools' balances must be checked. Such a token is not in the chain's file, and has no valid
 * check. It has a price, or it has none because its test sale failed.
 *
 * @param listedTokens - tokens of the chain's file
 * @param isDue - returns true for a token without a valid check
 */
export function tokensToCheck(
  tokens: readonly Address[],
  listedTokens: ReadonlySet<Address>,
  prices: Prices,
  isDue: (token: Address) => boolean = () => true,
): readonly Address[] {
  const isCheckable = (token: Address) =>
    !listedTokens.has(token) && token !== ZERO_ADDRESS && (prices.usd(token) !== null || prices.isUnsellable(token))
  return [...new Set(tokens)].filter((token) => isCheckable(token) && isDue(token))
}

/**
 * Reads the balances of a token's deepest pools, and caps the depth that prices assume in each pool at the pool's
 * balance.
 *
 * @returns true if a price may have changed
 * @throws RpcError if the node fails
 */
export async function readHoldings(token: Address, { snapshot, prices, rpc }: HoldingsSource): Promise<boolean> {
  let mayChangePrices = false
  // Take the reserves from the snapshot, whose block is also that of the balances. The prices may be of a later block.
  const pools = deepestPools(token, prices).flatMap(({ id }) => snapshot.pools.get(id) ?? [])
  const reads = pools.map(({ address, tokens }) => readBalances(tokens.map((token) => [address, token])))
  const balances = await runReads(rpc, { blockHash: snapshot.block.hash }, reads, { priority: 'lookup' })
  for (const [k, pool] of pools.entries()) {
    const reserves = familyOf(pool.family)!.reserves(pool)
    const missingAmounts = balances[k]!.map((balance, tokenIndex) => {
      const reserve = reserves[tokenIndex]!
      const missingAmount = balance === null ? 0n : reserve - balance
      return missingAmount * ROUNDING_DIVISOR > reserve ? Number(missingAmount) : 0
    })
    if (prices.setMissing(pool.id, missingAmounts)) mayChangePrices = true
  }
  return mayChangePrices
}

/** Returns the pools that hold a token at their own address, deepest first. */
export function deepestPools(token: Address, prices: Prices): readonly Pool[] {
  const holders = prices.poolsOf(token).filter(({ family }) => familyOf(family)?.keepsTokens)
  return deepestPoolsOf(token, holders, MAX_POOLS)
}

/** Returns the pools that trade a token, deepest first, at most `maxPools`. */
export function deepestPoolsOf(token: Address, pools: Iterable<Pool>, maxPools: number): readonly Pool[] {
  const reserveIn = (pool: Pool) => familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(token)]!
  return [...pools]
    .filter((pool) => pool.tokens.includes(token))
    .map((pool) => ({ pool, reserve: reserveIn(pool) }))
    .sort((a, b) => (a.reserve < b.reserve ? 1 : -1))
    .slice(0, maxPools)
    .map(({ pool }) => pool)
}
