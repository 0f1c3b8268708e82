import type { TokenGraph } from './graph.ts'
import type { Settled } from './settle.ts'

/**
 * Dollars of liquidity in all pools that hold each token.
 *
 * A pool's side counts for what the pool really holds at the settled price, up to its token's evidence, and, unless two
 * tokens of the registry vouch for each other, up to the rest of the pool: a million tokens minted against ten dollars are
 * ten dollars. What a token outside the registry has in pools with others of that kind counts at most as much again as it
 * has with tokens of the registry, so that pools of worthless tokens among themselves do not add up to a market.
 *
 * @param vouched - 1 for tokens of the registry
 */
export function sumDepth(graph: TokenGraph, { price, evidence }: Settled, vouched: Uint8Array): Float64Array {
  const inside = new Float64Array(graph.tokens.length)
  const outside = new Float64Array(graph.tokens.length)
  for (const { tokens, reserves } of graph.holdings) {
    const sides = tokens.map((token, k) =>
      price[token]! > 0 ? Math.min(reserves[k]! * price[token]!, evidence[token]!) : 0,
    )
    const whole = sides.reduce((sum, side) => sum + side, 0)
    let vouchedSides = 0
    for (const token of tokens) if (vouched[token] && price[token]! > 0) vouchedSides++
    let counted = 0
    for (let k = 0; k < sides.length; k++)
      counted += vouchedSides > 1 && vouched[tokens[k]!] ? sides[k]! : Math.min(sides[k]!, whole - sides[k]!)
    for (const token of new Set(tokens)) {
      const others = vouchedSides - (vouched[token] && price[token]! > 0 ? 1 : 0)
      if (vouched[token] || others > 0) inside[token]! += counted
      else outside[token]! += counted
    }
  }
  return inside.map((sum, token) => sum + Math.min(outside[token]!, Math.max(sum, evidence[token]!)))
}
