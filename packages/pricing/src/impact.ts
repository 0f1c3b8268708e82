import type { Pool, PriceCurve } from '@sluice/liquidity'
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
type Outlet = Curve & { readonly priceOut: number }
/** A curve with what is sold and received before each of its pieces. */
type Curve = { readonly curve: PriceCurve; readonly sums: Float64Array }
/** Dollars, of what is sold at the token's price. */
type Sale = { readonly sold: number; readonly received: number }

/** Share of the token's price below which nothing is looked for. */
const LOWEST = 2 ** -40
/** Rounds of the search for the last price, and how well it is known when they end: enough for six digits of the answer. */
const ROUNDS = 80
const PRECISION = 1e-12
/** Part of what is sold that the search may miss by: a hundredth of it in the amount, where the impact is least. */
const NEGLIGIBLE = 1e-10
/** Part of what is left that every round takes away at least. */
const NEAREST = 1e-4
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
  for (const holding of token.vouchedHoldings ?? token.holdings.slice()) {
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
  for (const holding of token.holdings.slice()) {
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
  const known = curveFrom(pool, tokens.indexOf(token), k)
  return known && { ...known, priceOut: tokens[k]!.price }
}

/** Curves of pools that were asked for, as long as the pool is what it was; by direction. */
const curves = new WeakMap<Pool, Map<number, Curve | null>>()

function curveFrom(pool: Pool, from: number, to: number): Curve | null {
  const known = curves.get(pool) ?? new Map<number, Curve | null>()
  curves.set(pool, known)
  const direction = from * pool.tokens.length + to
  let found = known.get(direction)
  if (found === undefined) {
    const curve = curveOf(pool, from, to)
    found = curve && { curve, sums: sumsOf(curve) }
    known.set(direction, found)
  }
  return found
}

/**
 * Dollars sold when the average price has fallen by `impact`, or all that the pools take before it has. The last price is
 * looked for as a share of the token's: first below what x·y = k would end at, then by false position, with a halving
 * whenever that does not narrow it by as much.
 */
function* soldUpTo(outlets: readonly Outlet[], own: number, impact: number): Steps<number> {
  const surplus = ({ sold, received }: Sale) => received - (1 - impact) * sold
  let high = 1
  let atHigh = yield* sellDownTo(outlets, own, own)
  let low = (1 - impact) ** 2
  let atLow = yield* sellDownTo(outlets, own, own * low)
  while (surplus(atLow) >= 0) {
    if (low <= LOWEST) return atLow.sold
    ;[high, atHigh] = [low, atLow]
    low = Math.max(low ** 2, LOWEST)
    atLow = yield* sellDownTo(outlets, own, own * low)
  }
  let isSlow = false
  for (let round = 0; round < ROUNDS && high - low > PRECISION * high; round++) {
    const [above, below] = [surplus(atHigh), surplus(atLow)]
    const share = isSlow ? 0.5 : Math.min(Math.max(above / (above - below), NEAREST), 1 - NEAREST)
    const width = high - low
    const level = high - width * share
    const at = yield* sellDownTo(outlets, own, own * level)
    if (Math.abs(surplus(at)) <= NEGLIGIBLE * at.sold) return at.sold
    if (surplus(at) >= 0) [high, atHigh] = [level, at]
    else [low, atLow] = [level, at]
    isSlow = !(high - low <= width / 2)
  }
  return atHigh.sold
}

/** Sells into every pool until a base unit brings no more than `lastPrice` dollars there. */
function* sellDownTo(outlets: readonly Outlet[], own: number, lastPrice: number): Steps<Sale> {
  const sold = new Float64Array(outlets.length)
  const received = new Float64Array(outlets.length)
  for (let at = 0; at < outlets.length; at++) {
    const { curve, sums, priceOut } = outlets[at]!
    const { sqrtPrice, liquidity } = curve
    const end = Math.sqrt(lastPrice / priceOut)
    const k = piecesAbove(sqrtPrice, end)
    if (k > 0) {
      // The last of them is sold into only as far as `end`.
      const [from, to] = [sqrtPrice[k - 1]!, Math.max(sqrtPrice[k]!, end)]
      sold[at] = (sums[2 * k - 2]! + liquidity[k - 1]! * (1 / to - 1 / from)) * own
      received[at] = (sums[2 * k - 1]! + liquidity[k - 1]! * (from - to)) * priceOut
    }
    if (at % ROW === ROW - 1) yield
  }
  return { sold: exactSum(sold), received: exactSum(received) }
}

/** Count of pieces that begin above a root of a price. */
function piecesAbove(sqrtPrice: Float64Array, end: number): number {
  let low = 0
  let high = sqrtPrice.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (sqrtPrice[middle]! > end) low = middle + 1
    else high = middle
  }
  return low
}

/** Base units sold and received before each piece, one pair after another. */
function sumsOf({ sqrtPrice, liquidity }: PriceCurve): Float64Array {
  const sums = new Float64Array(2 * liquidity.length)
  for (let k = 0; k + 1 < liquidity.length; k++) {
    const [from, to] = [sqrtPrice[k]!, sqrtPrice[k + 1]!]
    sums[2 * k + 2] = sums[2 * k]! + liquidity[k]! * (1 / to - 1 / from)
    sums[2 * k + 3] = sums[2 * k + 1]! + liquidity[k]! * (from - to)
  }
  return sums
}
