/** Chooses pools of a world, hops through the pools, and amounts. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import type { World } from '@sluice/liquidity/testing'
import type { Hop } from './swap.ts'

/** Returns a hop between the first and the last token of a pool. */
export function hopOf(pool: Pool, isReversed: boolean): Hop {
  const [a, b] = [pool.tokens[0]!, pool.tokens.at(-1)!]
  return isReversed ? { pool, tokenIn: b, tokenOut: a } : { pool, tokenIn: a, tokenOut: b }
}

/**
 * Returns the hop. If it sells the native token, a hop from the wrapped native token precedes it, because routes begin
 * with an ERC-20 token.
 */
export function throughWrapper(world: World, hop: Hop): readonly Hop[] {
  if (hop.tokenIn !== ZERO_ADDRESS) return [hop]
  const wrapper = [...world.market.snapshot().pools.values()].find(({ family }) => family === 'wrapped-native')!
  return [{ pool: wrapper, tokenIn: wrapper.address, tokenOut: ZERO_ADDRESS }, hop]
}

/**
 * Returns `size` times the input that moves the price by one percent, at most a tenth of the pool's balance if it is
 * known.
 */
export function amountFor({ pool, tokenIn, tokenOut }: Hop, size: number): bigint {
  const family = familyOf(pool.family)!
  const { sqrtPrice, liquidity } = family.priceCurve(pool, tokenIn, tokenOut)
  const endRoot = (sqrtPrice[0] ?? 0) * Math.sqrt(0.99)
  let amount = 0
  for (let k = 0; k < liquidity.length && sqrtPrice[k]! > endRoot; k++)
    amount += liquidity[k]! * (1 / Math.max(sqrtPrice[k + 1]!, endRoot) - 1 / sqrtPrice[k]!)
  const maxAmount = family.reserves(pool)[pool.tokens.indexOf(tokenIn)]! / 10n
  const requestedAmount = BigInt(Math.ceil(amount * size))
  return maxAmount > 0n && maxAmount < requestedAmount ? maxAmount : requestedAmount
}

/** Returns the pools whose tokens transfer exact amounts, and the wrappers of tokens that round amounts. */
export function tradablePools(world: World): readonly Pool[] {
  const wrappers = [...world.market.snapshot().pools.values()].filter(({ family }) => family === 'rate-wrapper')
  return [...world.pools(), ...wrappers].filter(({ family }) => family !== 'wrapped-native')
}

/** Returns a pool with its state at the newest block. */
export async function refreshedPool(world: World, id: string): Promise<Pool> {
  return (await world.market.sync()).pools.get(id)!
}
