/**
 * Rates of a pool over the last three blocks, and detection of price jumps: a move of more than 2 % in one block, or a
 * backing that doubled or halved. For one block, pools without a jump take precedence, because flash loans last one
 * block and longer distortions are arbitraged away.
 */
import type { Address } from '@sluice/chains'
import type { EdgeRate, Holding, PriceEdge } from './token.ts'

const MAX_LOG_PRICE_MOVE = Math.log(1.02)
const MAX_LOG_BACKING_MOVE = Math.log(2)

/** Rate of a pool that did not exist. */
const NO_RATE: EdgeRate = { rate: Number.NaN, backing: 0 }

type PairRate = EdgeRate & { readonly token: Address; readonly other: Address }
/** Rates of a pool at the end of a block. */
export type PoolRates = readonly PairRate[]

/** Recent rates of one pool. */
export class PoolHistory {
  hasChanged = true
  /** Rates one, two, and three blocks ago. */
  private rates: readonly [PoolRates, PoolRates, PoolRates]

  /** @param rates - rates before the first change in this block, and about the same in the blocks before */
  constructor(rates: PoolRates) {
    this.rates = [rates, rates, rates]
  }

  /** Rates of the last two blocks with liquidity behind them. */
  get recent(): PoolRates {
    const [one, two] = this.rates
    return [...one, ...two].filter(({ backing }) => backing > 0)
  }

  /**
   * Starts a new block.
   *
   * @returns true if nothing changed for three blocks, so that the history can be dropped
   */
  startBlock(holding: Holding | undefined): boolean {
    const [one, two, three] = this.rates
    const last = this.hasChanged ? ratesOf(holding) : one
    this.hasChanged = false
    this.rates = [last, one, two]
    return last === one && one === two && two === three
  }

  /**
   * Returns the previous rate that counts instead of a jumped one: the last one that held for two blocks. Returning to
   * that rate is not a jump.
   *
   * @returns undefined if the current rate did not jump
   */
  before(edge: PriceEdge): EdgeRate | undefined {
    const [one, two, three] = this.rates.map((rates) => rateIn(rates, edge)) as [EdgeRate, EdgeRate, EdgeRate]
    if (isSimilar(edge, one)) return undefined
    const isPassing = !isSimilar(one, two) && isSimilar(two, three)
    if (isPassing && isSimilar(edge, two)) return undefined
    return isPassing ? two : one
  }
}

function ratesOf(holding: Holding | undefined): PoolRates {
  return (holding?.edges ?? []).map(({ token, other, rate, backing }) => {
    return { token: token.address, other: other.address, rate, backing }
  })
}

function rateIn(rates: PoolRates, { token, other }: PriceEdge): EdgeRate {
  return rates.find((each) => each.token === token.address && each.other === other.address) ?? NO_RATE
}

/** True if the two rates differ by less than a jump. */
export function isSimilar(a: EdgeRate, b: EdgeRate): boolean {
  if (a.backing === 0 && b.backing === 0) return true
  return (
    Math.abs(Math.log(a.rate / b.rate)) <= MAX_LOG_PRICE_MOVE &&
    Math.abs(Math.log(a.backing / b.backing)) <= MAX_LOG_BACKING_MOVE
  )
}
