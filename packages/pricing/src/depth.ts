import { atOnce, type Steps } from '@sluice/rpc'
import { exactSum } from './sum.ts'
import type { Holding, Token } from './token.ts'
import type { Worth } from './worth.ts'

/** Above what the order of a plain sum can change. */
const ROUNDING = 1e-6

/**
 * Dollars of liquidity in all pools that hold a token.
 *
 * A pool's side counts for what the pool really holds at the token's price, up to its token's evidence, and, unless two
 * tokens of the registry vouch for each other, up to the rest of the pool: a million tokens minted against ten dollars are
 * ten dollars. Pools with others that are not of the registry count up to twice the evidence behind the token, so that those of
 * worthless tokens among themselves do not add up to a market.
 */
export function* depthOf(token: Token, worth: Worth): Steps<number> {
  const { evidence } = worth.ask(token)
  const inside: number[] = []
  const outside: number[] = []
  for (const holding of token.holdings) {
    const { counted, isInside } = count(token, holding, worth)
    const kind = isInside ? inside : outside
    kind.push(counted)
    yield
  }
  return together(exactSum(inside), exactSum(outside), evidence)
}

/** True where depth reaches an amount of dollars: mostly told by a few pools whose tokens have been looked at already. */
export function isAsDeepAs(token: Token, worth: Worth, usd: number): boolean {
  const { evidence } = worth.ask(token)
  let inside = 0
  let outside = 0
  for (const holding of token.holdings) {
    if (!holding.tokens.every((each) => worth.isKnown(each))) continue
    const { counted, isInside } = count(token, holding, worth)
    if (isInside) inside += counted
    else outside += counted
    if (together(inside, outside, evidence) > usd * (1 + ROUNDING)) return true
  }
  return atOnce(depthOf(token, worth)) >= usd
}

function together(inside: number, outside: number, evidence: number): number {
  return Math.max(inside, Math.min(inside + outside, 2 * evidence))
}

/** The depth that a pool counts for, and whether that is beside tokens of the registry. */
function count(token: Token, { tokens, reserves }: Holding, worth: Worth) {
  const sides = tokens.map((each, k) => {
    const { price, evidence } = worth.ask(each)
    return price > 0 ? Math.min(reserves[k]! * price, evidence) : 0
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
