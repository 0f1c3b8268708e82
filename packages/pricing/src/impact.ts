import type { PriceCurve } from '@sluice/liquidity'
import type { Steps } from '@sluice/rpc'
import { curveOf } from './pool-view.ts'
import { exactSum } from './sum.ts'
import type { Holding, Token } from './token.ts'
import type { Worth } from './worth.ts'

/** Percent. */
export const IMPACT_LEVELS = [0.5, 1, 2, 5, 10] as const

export type DepthPoint = {
  /** Percent by which the swap's average price, before fees, is worse than the token's price. */
  readonly impact: number
  /** Dollars of the token that can be sold at no worse than that. */
  readonly usd: number
}

/** A pool seen from the token sold: its curve, and the dollar price of a base unit of what it pays. */
type Outlet = { readonly curve: PriceCurve; readonly priceOut: number }
/** Dollars, of what is sold at the token's price. */
type Sale = { readonly sold: number; readonly received: number }

/** Halvings of the search for the last price; enough for six digits of the answer. */
const HALVINGS = 40
/** Pools looked at in a row. */
const ROW = 1_000

/**
 * The amount of a token that its pools take at five levels of price impact, when the order is split so that all pools end at
 * the same price. Counts the pools that pay in a token of the registry, and where there is none the best backed other pool.
 */
export function* sellDepth(token: Token, worth: Worth): Steps<readonly DepthPoint[]> {
  const { price } = worth.ask(token)
  const outlets = yield* outletsOf(token, worth)
  const points: DepthPoint[] = []
  for (const impact of IMPACT_LEVELS) points.push({ impact, usd: yield* soldUpTo(outlets, price, impact / 100) })
  return points
}

function* outletsOf(token: Token, worth: Worth): Steps<readonly Outlet[]> {
  const outlets: Outlet[] = []
  let seen = 0
  for (const holding of token.vouchedHoldings ?? []) {
    for (const [k, other] of holding.tokens.entries()) {
      if (!other.vouched || other === token || !(worth.ask(other).price > 0)) continue
      const outlet = outletOf(token, holding, k)
      if (outlet) outlets.push(outlet)
    }
    if (++seen % ROW === 0) yield
  }
  return outlets.length > 0 ? outlets : yield* bestOutletOf(token, worth)
}

/** The best backed of its pools, among equals the first by name. */
function* bestOutletOf(token: Token, worth: Worth): Steps<readonly Outlet[]> {
  let best: { readonly outlet: Outlet; readonly backing: number; readonly id: string } | undefined
  for (const holding of token.holdings) {
    const { id } = holding.pool
    for (const [k, other] of holding.tokens.entries()) {
      if (other === token || !(worth.ask(other).price > 0)) continue
      const isBest = !best || other.evidence > best.backing || (other.evidence === best.backing && id < best.id)
      const outlet = isBest && outletOf(token, holding, k)
      if (outlet) best = { outlet, backing: other.evidence, id }
    }
    yield
  }
  return best ? [best.outlet] : []
}

function outletOf(token: Token, { pool, tokens }: Holding, k: number): Outlet | null {
  const curve = curveOf(pool, tokens.indexOf(token), k)
  return curve && { curve, priceOut: tokens[k]!.price }
}

/** Dollars sold when the average price has fallen by `impact`, or all that the pools take before it has. */
function* soldUpTo(outlets: readonly Outlet[], own: number, impact: number): Steps<number> {
  let low = 0
  let high = 1
  for (let round = 0; round < HALVINGS; round++) {
    const level = (low + high) / 2
    const { sold, received } = yield* sellDownTo(outlets, own, own * level)
    if (received >= (1 - impact) * sold) high = level
    else low = level
  }
  return (yield* sellDownTo(outlets, own, own * high)).sold
}

/** Sells into every pool until a base unit brings no more than `lastPrice` dollars there. */
function* sellDownTo(outlets: readonly Outlet[], own: number, lastPrice: number): Steps<Sale> {
  const sold = new Float64Array(outlets.length)
  const received = new Float64Array(outlets.length)
  for (const [at, { curve, priceOut }] of outlets.entries()) {
    const { sqrtPrice, liquidity } = curve
    const end = Math.sqrt(lastPrice / priceOut)
    let units = 0
    let paid = 0
    for (let k = 0; k < liquidity.length && sqrtPrice[k]! > end; k++) {
      const to = Math.max(sqrtPrice[k + 1]!, end)
      units += liquidity[k]! * (1 / to - 1 / sqrtPrice[k]!)
      paid += liquidity[k]! * (sqrtPrice[k]! - to)
    }
    sold[at] = units * own
    received[at] = paid * priceOut
    if (at % ROW === ROW - 1) yield
  }
  return { sold: exactSum(sold), received: exactSum(received) }
}
