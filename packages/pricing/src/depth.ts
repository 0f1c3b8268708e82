import { atOnce, type Steps } from '@sluice/rpc'
import { exactSum } from './sum.ts'
import { type Holding, type Token, WORD } from './token.ts'
import type { Worth } from './worth.ts'

/** Above what the order of a plain sum can change. */
const ROUNDING = 1e-6

/**
 * Part by which prices may be too high. What stands against a token that the registry does not name is counted as if they
 * were: so no token counts for more than twice what is truly locked against it.
 */
const PRICE_ERROR = 0.02

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
  // A copy: others may change them meanwhile.
  for (const holding of token.holdings.slice()) {
    const { counted, isInside } = count(token, holding, worth)
    const kind = isInside ? inside : outside
    kind.push(counted)
    yield
  }
  return together(exactSum(inside), exactSum(outside), evidence) * trustIn(token)
}

const trustIn = ({ vouched }: Token) => (vouched ? 1 : 1 / (1 + PRICE_ERROR))

/**
 * True where depth reaches an amount of dollars: mostly told by one pool that has been enough before, or by a few whose tokens
 * have been looked at already.
 */
export function isAsDeepAs(token: Token, worth: Worth, usd: number): boolean {
  const { evidence } = worth.ask(token)
  const enough = (usd * (1 + ROUNDING)) / trustIn(token)
  if (2 * leastBehind(token) > enough) return true
  const { proof } = token
  if (proof && depthIn(token, proof, worth, evidence) > enough) return true
  let inside = 0
  let outside = 0
  for (const holding of token.holdings) {
    if (!holding.tokens.every((each) => worth.isKnown(each))) continue
    const { counted, isInside } = count(token, holding, worth)
    if (isInside) inside += counted
    else outside += counted
    if (counted > enough) token.proof = holding
    if (together(inside, outside, evidence) > enough) return true
  }
  return atOnce(depthOf(token, worth)) >= usd
}

/** Dollars that the pool which speaks loudest surely has on either side. */
function leastBehind({ best, others, words, price, evidence }: Token): number {
  if (best === -1) return 0
  const other = others[best]!
  return Math.min(words[WORD * best + 1]! * other.price, other.evidence, words[WORD * best + 2]! * price, evidence)
}

/** Depth of one pool alone: all of them have more. */
function depthIn(token: Token, holding: Holding, worth: Worth, evidence: number): number {
  const { counted, isInside } = count(token, holding, worth)
  return isInside ? counted : Math.min(counted, 2 * evidence)
}

function together(inside: number, outside: number, evidence: number): number {
  return Math.max(inside, Math.min(inside + outside, 2 * evidence))
}

/** The depth that a pool counts for, and whether that is beside tokens of the registry. */
function count(token: Token, { tokens, reserves }: Holding, worth: Worth) {
  let whole = 0
  let vouched = 0
  for (let k = 0; k < tokens.length; k++) {
    const each = worth.ask(tokens[k]!)
    const { price } = each
    const side = price > 0 ? Math.min(reserves[k]! * price, each.evidence) : 0
    sides[k] = side
    whole += side
    if (isVouched(each)) vouched++
  }
  let counted = 0
  for (let k = 0; k < tokens.length; k++) {
    const side = sides[k]!
    counted += vouched > 1 && tokens[k]!.vouched ? side : Math.min(side, whole - side)
  }
  return { counted, isInside: token.vouched || vouched - (isVouched(token) ? 1 : 0) > 0 }
}

/** Dollars on each side of a pool. Reused: a look at many pools makes no garbage. */
const sides: number[] = []

const isVouched = ({ vouched, price }: Token) => vouched && price > 0
