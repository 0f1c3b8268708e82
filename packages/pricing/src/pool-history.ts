/**
 * Stores the rates of a pool over the last three blocks, and detects price jumps. The backing of a rate is the
 * liquidity behind it. A jump is a change within one block, of the rate by more than 2 %, or of the backing by more
 * than a factor of 2. For one block, pools without a jump take precedence over a pool that jumped. Flash loans last
 * less than one block, and arbitrage corrects prices that are distorted for longer.
 */
import type { Address } from '@sluice/chains'
import type { EdgeRate, PricedPool, PriceEdge } from './token.ts'

/** Maximum absolute change of the logarithm of a rate that is not a jump. */
const MAX_LOG_PRICE_MOVE = Math.log(1.02)
/** Maximum absolute change of the logarithm of the backing that is not a jump. */
const MAX_LOG_BACKING_MOVE = Math.log(2)

/** Rate of a pair that the pool did not have. */
const NO_RATE: EdgeRate = { rate: Number.NaN, backing: 0 }

/** Rate of a pool for one direction between two tokens. */
type PairRate = EdgeRate & { readonly token: Address; readonly otherToken: Address }
/** Rates of a pool at the end of a block. */
export type PoolRates = readonly PairRate[]

/** Recent rates of one pool. */
export class PoolHistory {
  /** True if the pool has changed in the current block. */
  hasChanged = true
  /** Rates one, two, and three blocks ago. */
  private rates: readonly [oneBlockAgo: PoolRates, twoBlocksAgo: PoolRates, threeBlocksAgo: PoolRates]

  /** @param rates - rates before the first change in this block; the earlier blocks count with the same rates */
  constructor(rates: PoolRates) {
    this.rates = [rates, rates, rates]
  }

  /** Rates of the last two blocks, without those whose backing is 0. */
  get recentRates(): PoolRates {
    const [oneBlockAgo, twoBlocksAgo] = this.rates
    return [...oneBlockAgo, ...twoBlocksAgo].filter(({ backing }) => backing > 0)
  }

  /** Caps all stored backings at those of the current edges. The backing of a pair without an edge becomes 0. */
  capBackings(edges: readonly PriceEdge[]): void {
    const cap = (rates: PoolRates) =>
      rates.map((rate) => ({ ...rate, backing: Math.min(rate.backing, backingOf(rate, edges)) }))
    const [oneBlockAgo, twoBlocksAgo, threeBlocksAgo] = this.rates
    this.rates = [cap(oneBlockAgo), cap(twoBlocksAgo), cap(threeBlocksAgo)]
  }

  /**
   * Starts a new block.
   *
   * @returns true if nothing changed for three blocks, so that the history can be dropped
   */
  startBlock(pricedPool: PricedPool | undefined): boolean {
    const [oneBlockAgo, twoBlocksAgo, threeBlocksAgo] = this.rates
    const newest = this.hasChanged ? ratesOf(pricedPool) : oneBlockAgo
    this.hasChanged = false
    this.rates = [newest, oneBlockAgo, twoBlocksAgo]
    return newest === oneBlockAgo && oneBlockAgo === twoBlocksAgo && twoBlocksAgo === threeBlocksAgo
  }

  /**
   * Returns the rate of an edge before its jump: usually the rate of the last block. If that rate was itself a jump,
   * away from a rate that had lasted two blocks, returns the older rate. A return to the older rate is not a jump.
   *
   * @returns undefined if the current rate did not jump
   */
  rateBeforeJump(edge: PriceEdge): EdgeRate | undefined {
    const [oneBlockAgo, twoBlocksAgo, threeBlocksAgo] = this.rates.map((rates) => rateIn(rates, edge)) as [
      EdgeRate,
      EdgeRate,
      EdgeRate,
    ]
    if (isSimilar(edge, oneBlockAgo)) return undefined
    const wasBriefJump = !isSimilar(oneBlockAgo, twoBlocksAgo) && isSimilar(twoBlocksAgo, threeBlocksAgo)
    if (wasBriefJump && isSimilar(edge, twoBlocksAgo)) return undefined
    return wasBriefJump ? twoBlocksAgo : oneBlockAgo
  }
}

function ratesOf(pricedPool: PricedPool | undefined): PoolRates {
  return (pricedPool?.edges ?? []).map(({ token, otherToken, rate, backing }) => {
    return { token: token.address, otherToken: otherToken.address, rate, backing }
  })
}

function rateIn(rates: PoolRates, { token, otherToken }: PriceEdge): EdgeRate {
  return (
    rates.find((candidate) => candidate.token === token.address && candidate.otherToken === otherToken.address) ??
    NO_RATE
  )
}

function backingOf({ token, otherToken }: PairRate, edges: readonly PriceEdge[]): number {
  const match = edges.find((edge) => edge.token.address === token && edge.otherToken.address === otherToken)
  return match?.backing ?? 0
}

/** True if the two rates differ by less than a jump. */
export function isSimilar(a: EdgeRate, b: EdgeRate): boolean {
  if (a.backing === 0 && b.backing === 0) return true
  return (
    Math.abs(Math.log(a.rate / b.rate)) <= MAX_LOG_PRICE_MOVE &&
    Math.abs(Math.log(a.backing / b.backing)) <= MAX_LOG_BACKING_MOVE
  )
}
