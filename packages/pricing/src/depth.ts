import type { Steps } from '@sluice/rpc'
import type { Holding, Token } from './graph.ts'
import { exactSum } from './sum.ts'
import type { Worth } from './worth.ts'

/** Above what the order of a plain sum can change. */
const ROUNDING = 1e-6

/**
 * Dollars of liquidity in all pools that hold a token.
 *
 * A pool's side counts for what the pool really holds at the token's price, up to its token's evidence, and, unless two
 * tokens of the registry vouch for each other, up to the rest of the pool: a million tokens minted against ten dollars are
 * ten dollars. What a token outside the registry has in pools with others of that kind counts at most as much again as it
 * has with tokens of the registry, so that pools of worthless tokens among themselves do not add up to a market.
 *
 * @param enough - dollars beyond which counting ends
 */
export function* depthOf(token: Token, worth: Worth, enough = Number.POSITIVE_INFINITY): Steps<number> {
  const { evidence } = worth.ask(token)
  const both = (inside: number, outside: number) => inside + Math.min(outside, Math.max(inside, evidence))
  const inside: number[] = []
  const outside: number[] = []
  let soFar = 0
  let soFarOutside = 0
  for (const holding of token.holdings) {
    const { counted, isInside } = count(token, holding, worth)
    if (isInside) soFar += counted
    else soFarOutside += counted
    if (both(soFar, soFarOutside) > enough * (1 + ROUNDING)) return enough
    const kind = isInside ? inside : outside
    kind.push(counted)
    yield
  }
  return both(exactSum(inside), exactSum(outside))
}

/** What a pool counts for, and whether that is beside tokens of the registry. */
function count(token: Token, { tokens, view }: Holding, worth: Worth) {
  const sides = tokens.map((each, k) => {
    const { price, evidence } = worth.ask(each)
    return price > 0 ? Math.min(view.reserves[k]! * price, evidence) : 0
  })
  const isVouched = (each: Token) => each.vouched && each.price > 0
  let whole = 0
  let vouched = 0
  for (const [k, each] of tokens.entries()) {
    whole += sides[k]!
    if (isVouched(each)) vouched++
  }
  let counted = 0
  for (const [k, each] of tokens.entries())
    counted += vouched > 1 && each.vouched ? sides[k]! : Math.min(sides[k]!, whole - sides[k]!)
  return { counted, isInside: token.vouched || vouched - (isVouched(token) ? 1 : 0) > 0 }
}
