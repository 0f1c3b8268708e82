/**
 * Exact math of WOOFi V2. All tokens of a pool except its quote token are base tokens. Each base token has a price in
 * the quote token. Two names come from the contract. The notional of a trade is its value in base units of the quote
 * token. Gamma is the relative price move of a trade, with 18 decimals. Follows WooPPV2 of woonetwork/WooPoolV2 with
 * WooracleV2_2. Checked against real pools.
 */
import { PoolRefusal } from '../../family.ts'
import { max, min } from '../../math/integers.ts'

/** Data of one token, from the pool and its oracle. */
export type WoofiToken = {
  /** Base units that the pool has recorded as its reserve. */
  readonly reserve: bigint
  /** Fee in units of 1/100,000 of the traded value. */
  readonly feeRate: bigint
  /** Maximum relative price move of a trade, 18 decimals; 0 for the quote token. */
  readonly maxGamma: bigint
  /** Maximum value of a trade, in base units of the quote token. */
  readonly maxNotional: bigint
  /** Price in the quote token, in units of 1 / `priceUnit`; 0 for the quote token. */
  readonly price: bigint
  /** Fraction, 18 decimals, by which the price of a trade is worse than `price`. Gamma makes it worse in addition. */
  readonly spread: bigint
  /** Relative price move, 18 decimals, for each whole quote token of a trade's value. */
  readonly coeff: bigint
  /** False if the oracle marks the price as not feasible. */
  readonly feasible: boolean
  /** 10^decimals of the token. */
  readonly unit: bigint
  /** 10^decimals of the price. */
  readonly priceUnit: bigint
}

/** State of a pool for two of its tokens. */
export type WoofiV2State = {
  readonly paused: boolean
  /** Index in `tokens` of the quote token, in which all prices are given; 2 if neither token is the quote token. */
  readonly quoteIndex: 0 | 1 | 2
  /** 10^decimals of the quote token. */
  readonly quoteUnit: bigint
  readonly tokens: readonly [WoofiToken, WoofiToken]
}

const ONE = 10n ** 18n
const FEE_UNIT = 100_000n

/** Result of a trade between a base token and the quote token, without the fee. */
type PricedAmount = {
  /** Output in base units. */
  readonly amount: bigint
  /** The base token with its new price and spread. */
  readonly token: WoofiToken
}

/**
 * Quotes an exact input, rounded down.
 *
 * @param i - index of the input token
 * @throws PoolRefusal `PAUSED`, `TOO_LARGE`, `TOO_SMALL` for no output, `UNSUPPORTED` if a price is not feasible
 */
export function quote(
  state: WoofiV2State,
  i: 0 | 1,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: WoofiV2State } {
  if (state.paused) throw new PoolRefusal('PAUSED', 'the pool is paused')
  const j = i === 0 ? 1 : 0
  const [soldToken, boughtToken] = [state.tokens[i], state.tokens[j]]
  const [amountOut, soldAfter, boughtAfter] =
    state.quoteIndex === j
      ? sellBase(state, soldToken, boughtToken, amountIn)
      : state.quoteIndex === i
        ? sellQuote(state, soldToken, boughtToken, amountIn)
        : tradeBaseForBase(state, soldToken, boughtToken, amountIn)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, tokens: i === 0 ? [soldAfter, boughtAfter] : [boughtAfter, soldAfter] } }
}

/** Result of a trade: the output in base units, and both tokens after the trade. */
type TradeResult = readonly [amountOut: bigint, soldToken: WoofiToken, boughtToken: WoofiToken]

/** Sells a base token for the quote token. */
function sellBase(state: WoofiV2State, base: WoofiToken, quoteToken: WoofiToken, amountIn: bigint): TradeResult {
  const { amount: gross, token } = priceBaseSale(state, base, amountIn, base.spread)
  const amountOut = gross - (gross * base.feeRate) / FEE_UNIT
  // The contract records the fee separately, so the fee leaves the reserve too.
  return [
    amountOut,
    { ...token, reserve: base.reserve + amountIn },
    { ...quoteToken, reserve: reserveAfter(quoteToken, gross, 'quote') },
  ]
}

/** Sells the quote token for a base token. */
function sellQuote(state: WoofiV2State, quoteToken: WoofiToken, base: WoofiToken, amountIn: bigint): TradeResult {
  const netIn = amountIn - (amountIn * base.feeRate) / FEE_UNIT
  const { amount, token } = priceBasePurchase(state, base, netIn, base.spread)
  return [
    amount,
    { ...quoteToken, reserve: quoteToken.reserve + netIn },
    { ...token, reserve: reserveAfter(base, amount, 'base') },
  ]
}

/**
 * Trades one base token for another one, in two trades through the quote token. Both trades use half of the wider
 * spread. The higher fee is taken once.
 */
function tradeBaseForBase(
  state: WoofiV2State,
  soldToken: WoofiToken,
  boughtToken: WoofiToken,
  amountIn: bigint,
): TradeResult {
  const spread = max(soldToken.spread, boughtToken.spread) / 2n
  const feeRate = max(soldToken.feeRate, boughtToken.feeRate)
  const sale = priceBaseSale(state, soldToken, amountIn, spread)
  const netIn = sale.amount - (sale.amount * feeRate) / FEE_UNIT
  const purchase = priceBasePurchase(state, boughtToken, netIn, spread)
  return [
    purchase.amount,
    { ...sale.token, reserve: soldToken.reserve + amountIn },
    { ...purchase.token, reserve: reserveAfter(boughtToken, purchase.amount, 'base') },
  ]
}

/** Returns the reserve after a payment. @throws PoolRefusal `TOO_LARGE` if it does not suffice */
function reserveAfter({ reserve }: WoofiToken, amount: bigint, tokenRole: string): bigint {
  if (amount > reserve)
    throw new PoolRefusal('TOO_LARGE', `the pool has ${reserve} of the ${tokenRole} token, not ${amount}`)
  return reserve - amount
}

/** Sells an amount of a base token for quote tokens, before the fee. */
function priceBaseSale({ quoteUnit }: WoofiV2State, base: WoofiToken, amount: bigint, spread: bigint): PricedAmount {
  const { price, coeff, unit, priceUnit } = base
  checkPrice(base)
  const notional = (amount * price * quoteUnit) / priceUnit / unit
  const gamma = (amount * price * coeff) / priceUnit / unit
  checkBounds(base, notional, gamma)
  if (gamma + spread > ONE) throw new PoolRefusal('TOO_LARGE', 'the price would fall below zero')
  const value = (((amount * price * quoteUnit) / priceUnit) * (ONE - gamma - spread)) / ONE / unit
  return { amount: value, token: withPrice(base, (price * (ONE - gamma)) / ONE, spread) }
}

/** Buys base tokens for an amount of quote tokens, after the fee. */
function priceBasePurchase(
  { quoteUnit }: WoofiV2State,
  base: WoofiToken,
  amount: bigint,
  spread: bigint,
): PricedAmount {
  const { price, coeff, unit, priceUnit } = base
  checkPrice(base)
  const gamma = (amount * coeff) / quoteUnit
  checkBounds(base, amount, gamma)
  if (gamma + spread > ONE) throw new PoolRefusal('TOO_LARGE', 'the price would rise without a bound')
  const baseAmount = (((amount * unit * priceUnit) / price) * (ONE - gamma - spread)) / ONE / quoteUnit
  return { amount: baseAmount, token: withPrice(base, (ONE * price) / (ONE - gamma), spread) }
}

function checkPrice({ feasible, price }: WoofiToken): void {
  if (!feasible || price === 0n) throw new PoolRefusal('UNSUPPORTED', 'the oracle marks the price as not feasible')
}

/** Checks the bounds of a trade. @throws PoolRefusal `TOO_LARGE` */
function checkBounds({ maxNotional, maxGamma }: WoofiToken, notional: bigint, gamma: bigint): void {
  if (notional > maxNotional)
    throw new PoolRefusal('TOO_LARGE', `the value ${notional} of the trade is above the maximum`)
  if (gamma > maxGamma) throw new PoolRefusal('TOO_LARGE', 'the trade would move the price too far')
}

/**
 * Returns a token with a new price. Like the contract, widens the spread with the price move, so that a trade and its
 * reverse never gain together.
 */
function withPrice(token: WoofiToken, price: bigint, spread: bigint): WoofiToken {
  const [low, high] = price < token.price ? [price, token.price] : [token.price, price]
  const deviation = ONE - (low * ONE * ONE) / high / (ONE - spread)
  return { ...token, price, spread: deviation > token.spread ? deviation : token.spread }
}

/**
 * Returns the approximate largest input in base units. It reaches one of the bounds of the two tokens: value, price
 * move, or reserve.
 */
export function approximateMaxInput(state: WoofiV2State, i: 0 | 1): bigint {
  const { quoteIndex, quoteUnit, tokens } = state
  const [soldToken, boughtToken] = i === 0 ? tokens : [tokens[1], tokens[0]]
  const j = i === 0 ? 1 : 0
  // Maximum value of a trade, in base units of the quote token, that the bounds of a base token allow.
  const maxValueOf = ({ maxNotional, maxGamma, coeff }: WoofiToken): bigint =>
    coeff > 0n ? min(maxNotional, ((maxGamma + 1n) * quoteUnit) / coeff) : maxNotional
  const baseAmountOf = ({ price, unit, priceUnit }: WoofiToken, quoteValue: bigint): bigint =>
    price > 0n ? (quoteValue * unit * priceUnit) / (price * quoteUnit) : 0n
  const valueOfReserve = (token: WoofiToken): bigint =>
    (token.reserve * token.price * quoteUnit) / (token.unit * token.priceUnit)
  if (quoteIndex === j) return baseAmountOf(soldToken, min(maxValueOf(soldToken), boughtToken.reserve))
  if (quoteIndex === i) return min(maxValueOf(boughtToken), valueOfReserve(boughtToken))
  return baseAmountOf(soldToken, min(maxValueOf(soldToken), min(maxValueOf(boughtToken), valueOfReserve(boughtToken))))
}
