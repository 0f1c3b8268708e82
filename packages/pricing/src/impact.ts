import type { Curve } from '@sluice/liquidity'
import type { Holding, TokenGraph } from './graph.ts'
import { curveOf } from './pool-view.ts'
import type { Settled } from './settle.ts'

/** Percent. */
export const IMPACT_LEVELS = [0.5, 1, 2, 5, 10] as const

export type DepthPoint = {
  /** Percent by which the swap's average price, before fees, is worse than the token's price. */
  readonly impact: number
  /** Dollars of the token that can be sold at no worse than that. */
  readonly usd: number
}

/** A pool seen from the token sold: its curve, and the dollar price of a base unit of what it pays. */
type Outlet = { readonly curve: Curve; readonly priceOut: number }

/** Halvings of the search for the last price; enough for six digits of the answer. */
const HALVINGS = 40

/**
 * How much of a token its pools take at five levels of price impact, when the order is split so that all pools end at the
 * same price. Counts the pools that pay in a token of the registry, and where there is none the best backed other pool.
 */
export function sellDepth(
  graph: TokenGraph,
  { price, evidence }: Settled,
  vouched: Uint8Array,
  token: number,
): readonly DepthPoint[] {
  const own = price[token]!
  const good: Outlet[] = []
  let best: { readonly outlet: Outlet; readonly backing: number } | undefined
  for (const holding of graph.holdings)
    for (const { outlet, other } of outletsOf(holding, token, price)) {
      if (vouched[other]) good.push(outlet)
      else if (best === undefined || evidence[other]! > best.backing) best = { outlet, backing: evidence[other]! }
    }
  const outlets = good.length > 0 || best === undefined ? good : [best.outlet]
  return IMPACT_LEVELS.map((impact) => ({ impact, usd: soldUpTo(outlets, own, impact / 100) * own }))
}

function outletsOf({ pool, tokens }: Holding, token: number, price: Float64Array): { outlet: Outlet; other: number }[] {
  const position = tokens.indexOf(token)
  if (position === -1) return []
  return tokens.flatMap((other, k) => {
    if (other === token || !(price[other]! > 0)) return []
    const curve = curveOf(pool, position, k)
    return curve === null ? [] : [{ outlet: { curve, priceOut: price[other]! }, other }]
  })
}

/** Base units sold when the average price has fallen by `impact`, or all that the pools take before it has. */
function soldUpTo(outlets: readonly Outlet[], own: number, impact: number): number {
  let low = 0
  let high = 1
  for (let round = 0; round < HALVINGS; round++) {
    const level = (low + high) / 2
    const { sold, received } = sellDownTo(outlets, own * level)
    if (received >= (1 - impact) * own * sold) high = level
    else low = level
  }
  return sellDownTo(outlets, own * high).sold
}

/** Sells into every pool until a base unit brings no more than `lastPrice` dollars there. */
function sellDownTo(outlets: readonly Outlet[], lastPrice: number) {
  let sold = 0
  let received = 0
  for (const { curve, priceOut } of outlets) {
    const { sqrtPrice, liquidity } = curve
    const end = Math.sqrt(lastPrice / priceOut)
    for (let k = 0; k < liquidity.length && sqrtPrice[k]! > end; k++) {
      const to = Math.max(sqrtPrice[k + 1]!, end)
      sold += liquidity[k]! * (1 / to - 1 / sqrtPrice[k]!)
      received += liquidity[k]! * (sqrtPrice[k]! - to) * priceOut
    }
  }
  return { sold, received }
}
