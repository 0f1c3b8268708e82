/** Checked against answers of genuine pools; WooPPV2 of woonetwork/WooPoolV2 with WooracleV2_2. */
import { PoolRefusal } from '../../family.ts'
import { max, min } from '../../math/integers.ts'

/** One of the two tokens of a trade, as pool and oracle tell of it. */
export type WoofiToken = {
  /** Base units that the pool counts as its own. */
  readonly reserve: bigint
  /** Hundred-thousandths of the trade's worth. */
  readonly feeRate: bigint
  /** The furthest that a trade may move the price, of 10^18; 0 for the quote token. */
  readonly maxGamma: bigint
  /** The most that a trade may be worth, in base units of the quote token. */
  readonly maxNotional: bigint
  /** Quote tokens for one of these, with `priceUnit` as one; 0 for the quote token. */
  readonly price: bigint
  /** Parts of 10^18. */
  readonly spread: bigint
  /** The part of 10^18 that the price moves for each quote token of a trade, of 10^18. */
  readonly coeff: bigint
  /** False where the oracle does not stand by its price. */
  readonly feasible: boolean
  /** 10^decimals of the token. */
  readonly unit: bigint
  /** 10^decimals of the price. */
  readonly priceUnit: bigint
}

/** Two tokens of one pool. */
export type WoofiV2State = {
  readonly paused: boolean
  /** The token that all are priced in: the first, the second, or neither of the two. */
  readonly quoteIndex: 0 | 1 | 2
  /** 10^decimals of that token. */
  readonly quoteUnit: bigint
  readonly tokens: readonly [WoofiToken, WoofiToken]
}

const ONE = 10n ** 18n
const FEE_UNIT = 100_000n

type Leg = { readonly amount: bigint; readonly token: WoofiToken }

/**
 * The output of an exact input, rounded down.
 *
 * @throws PoolRefusal `PAUSED`, `TOO_LARGE`, `TOO_SMALL`; `UNSUPPORTED` where the oracle does not stand by a price
 */
export function quote(
  state: WoofiV2State,
  i: 0 | 1,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: WoofiV2State } {
  if (state.paused) throw new PoolRefusal('PAUSED', 'the pool is paused')
  const j = i === 0 ? 1 : 0
  const [sold, bought] = [state.tokens[i], state.tokens[j]]
  const [amountOut, soldAfter, boughtAfter] =
    state.quoteIndex === j
      ? sellBase(state, sold, bought, amountIn)
      : state.quoteIndex === i
        ? sellQuote(state, sold, bought, amountIn)
        : baseToBase(state, sold, bought, amountIn)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, tokens: i === 0 ? [soldAfter, boughtAfter] : [boughtAfter, soldAfter] } }
}

type Traded = readonly [amountOut: bigint, sold: WoofiToken, bought: WoofiToken]

function sellBase(state: WoofiV2State, base: WoofiToken, quoteToken: WoofiToken, amountIn: bigint): Traded {
  const { amount: gross, token } = baseForQuote(state, base, amountIn, base.spread)
  const amountOut = gross - (gross * base.feeRate) / FEE_UNIT
  // The fee leaves the reserve too: it waits beside it.
  return [
    amountOut,
    { ...token, reserve: base.reserve + amountIn },
    { ...quoteToken, reserve: left(quoteToken, gross, 'quote') },
  ]
}

function sellQuote(state: WoofiV2State, quoteToken: WoofiToken, base: WoofiToken, amountIn: bigint): Traded {
  const kept = amountIn - (amountIn * base.feeRate) / FEE_UNIT
  const { amount, token } = quoteForBase(state, base, kept, base.spread)
  return [
    amount,
    { ...quoteToken, reserve: quoteToken.reserve + kept },
    { ...token, reserve: left(base, amount, 'base') },
  ]
}

/** By way of the quote token, at half of the wider spread each, for the higher fee once. */
function baseToBase(state: WoofiV2State, sold: WoofiToken, bought: WoofiToken, amountIn: bigint): Traded {
  const spread = max(sold.spread, bought.spread) / 2n
  const feeRate = max(sold.feeRate, bought.feeRate)
  const first = baseForQuote(state, sold, amountIn, spread)
  const kept = first.amount - (first.amount * feeRate) / FEE_UNIT
  const second = quoteForBase(state, bought, kept, spread)
  return [
    second.amount,
    { ...first.token, reserve: sold.reserve + amountIn },
    { ...second.token, reserve: left(bought, second.amount, 'base') },
  ]
}

function left({ reserve }: WoofiToken, amount: bigint, what: string): bigint {
  if (amount > reserve)
    throw new PoolRefusal('TOO_LARGE', `the pool has ${reserve} of the ${what} token, not ${amount}`)
  return reserve - amount
}

/** Quote tokens for a base token, before the fee, and what the trade makes of the price. */
function baseForQuote({ quoteUnit }: WoofiV2State, base: WoofiToken, amount: bigint, spread: bigint): Leg {
  const { price, coeff, unit, priceUnit } = base
  needPrice(base)
  const notional = (amount * price * quoteUnit) / priceUnit / unit
  const gamma = (amount * price * coeff) / priceUnit / unit
  needBounds(base, notional, gamma)
  if (gamma + spread > ONE) throw new PoolRefusal('TOO_LARGE', 'the price would fall below nothing')
  const worth = (((amount * price * quoteUnit) / priceUnit) * (ONE - gamma - spread)) / ONE / unit
  return { amount: worth, token: moved(base, (price * (ONE - gamma)) / ONE, spread) }
}

/** A base token for quote tokens, the fee taken, and what the trade makes of the price. */
function quoteForBase({ quoteUnit }: WoofiV2State, base: WoofiToken, amount: bigint, spread: bigint): Leg {
  const { price, coeff, unit, priceUnit } = base
  needPrice(base)
  const gamma = (amount * coeff) / quoteUnit
  needBounds(base, amount, gamma)
  if (gamma + spread > ONE) throw new PoolRefusal('TOO_LARGE', 'the price would pass every bound')
  const bought = (((amount * unit * priceUnit) / price) * (ONE - gamma - spread)) / ONE / quoteUnit
  return { amount: bought, token: moved(base, (ONE * price) / (ONE - gamma), spread) }
}

function needPrice({ feasible, price }: WoofiToken): void {
  if (!feasible || price === 0n) throw new PoolRefusal('UNSUPPORTED', 'the oracle does not stand by its price')
}

function needBounds({ maxNotional, maxGamma }: WoofiToken, notional: bigint, gamma: bigint): void {
  if (notional > maxNotional)
    throw new PoolRefusal('TOO_LARGE', `a trade worth ${notional} is more than the pool takes`)
  if (gamma > maxGamma) throw new PoolRefusal('TOO_LARGE', 'the trade would move the price too far')
}

/** The pool posts the price that a trade leaves; the oracle widens the spread so that the way back never gains. */
function moved(token: WoofiToken, price: bigint, spread: bigint): WoofiToken {
  const [least, most] = price < token.price ? [price, token.price] : [token.price, price]
  const away = ONE - (least * ONE * ONE) / most / (ONE - spread)
  return { ...token, price, spread: away > token.spread ? away : token.spread }
}

/** About the largest input, by the bounds of each token on the way: what a trade may be worth, how far it may move a price, and reserves. */
export function limitOf(state: WoofiV2State, i: 0 | 1): bigint {
  const { quoteIndex, quoteUnit, tokens } = state
  const [sold, bought] = i === 0 ? tokens : [tokens[1], tokens[0]]
  const j = i === 0 ? 1 : 0
  // Worth in the quote token that the bounds of a base token leave.
  const worthOf = ({ maxNotional, maxGamma, coeff }: WoofiToken): bigint =>
    coeff > 0n ? min(maxNotional, ((maxGamma + 1n) * quoteUnit) / coeff) : maxNotional
  const quotePer = ({ price, unit, priceUnit }: WoofiToken, worth: bigint): bigint =>
    price > 0n ? (worth * unit * priceUnit) / (price * quoteUnit) : 0n
  const paid = (token: WoofiToken): bigint => (token.reserve * token.price * quoteUnit) / (token.unit * token.priceUnit)
  if (quoteIndex === j) return quotePer(sold, min(worthOf(sold), bought.reserve))
  if (quoteIndex === i) return min(worthOf(bought), paid(bought))
  return quotePer(sold, min(worthOf(sold), min(worthOf(bought), paid(bought))))
}
