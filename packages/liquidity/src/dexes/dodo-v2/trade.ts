/** A trade with a proactive market maker. Checked against PMMPricing and DPPTrader of DODOEX/contractV2. */
import { PoolRefusal } from '../../family.ts'
import { integrate, mulFloor, reciprocal, solveTarget, solveTrade } from './math.ts'
import type { DodoV2State, Side } from './types.ts'

/** The largest reserve that a pool can keep. */
const MAX_RESERVE = (1n << 112n) - 1n

/** A pool seen from the token that is paid in, so that both directions are one. */
type View = {
  readonly paid: bigint
  readonly given: bigint
  readonly paidTarget: bigint
  readonly givenTarget: bigint
  /** The part of the token paid in, 18 decimals. */
  readonly price: bigint
  readonly k: bigint
  /** `short`: the pool is short of the token paid in. */
  readonly balance: 'even' | 'short' | 'long'
}

function viewOf(state: DodoV2State, sellBase: boolean): View {
  const { price, slippage: k, base, quote, baseTarget, quoteTarget, side } = state
  const shortOf = side === 'ONE' ? null : side === 'ABOVE_ONE' ? 'base' : 'quote'
  const balance = shortOf === null ? 'even' : (shortOf === 'base') === sellBase ? 'short' : 'long'
  return sellBase
    ? { paid: base, given: quote, paidTarget: baseTarget, givenTarget: quoteTarget, price, k, balance }
    : {
        paid: quote,
        given: base,
        paidTarget: quoteTarget,
        givenTarget: baseTarget,
        price: reciprocal(price),
        k,
        balance,
      }
}

/** About the largest input: what a reserve can be, or what a pool that is never long of the token is short of. */
export function limitOf(state: DodoV2State, sellBase: boolean): bigint {
  const { paid, paidTarget, givenTarget, balance } = viewOf(state, sellBase)
  return balance === 'short' && givenTarget === 0n ? paidTarget - paid : MAX_RESERVE - paid
}

type Priced = { readonly gross: bigint; readonly balance: View['balance'] }

/** Output before fees. @see PMMPricing.sellBaseToken and sellQuoteToken */
function priceTrade({ paid, given, paidTarget, givenTarget, price, k, balance }: View, amountIn: bigint): Priced {
  const fromEven = (amount: bigint) => solveTrade(givenTarget, givenTarget, amount, price, k)
  if (balance === 'even') return { gross: fromEven(amountIn), balance: 'long' }
  if (balance === 'long') return { gross: solveTrade(givenTarget, given, amountIn, price, k), balance }
  const toEven = paidTarget - paid
  const forEven = given - givenTarget
  if (toEven < 0n || forEven < 0n) throw new PoolRefusal('EMPTY', 'the pool is beyond its targets')
  if (amountIn === toEven) return { gross: forEven, balance: 'even' }
  if (amountIn > toEven && givenTarget === 0n)
    throw new PoolRefusal('TOO_LARGE', 'more than the pool is short of, and it has no other target')
  if (amountIn > toEven) return { gross: forEven + fromEven(amountIn - toEven), balance: 'long' }
  const gross = integrate(paidTarget, paid, paid + amountIn, price, k)
  // Roundings must not give away what the target holds.
  if (gross > forEven) return { gross: forEven, balance }
  return { gross, balance }
}

/**
 * Sells exactly `amountIn` of the base or the quote token.
 *
 * @throws PoolRefusal `TOO_SMALL` where nothing would come out, `TOO_LARGE` where the pool would overflow or give more than
 * it holds, `EMPTY` where it cannot price at all
 */
export function trade(
  state: DodoV2State,
  sellBase: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: DodoV2State } {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  const view = viewOf(state, sellBase)
  if (view.paid + amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'more than a reserve can be')
  const { gross, balance } = priceTrade(view, amountIn)
  const maintainer = mulFloor(gross, state.maintainerFee)
  const amountOut = gross - mulFloor(gross, state.lpFee) - maintainer
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (amountOut + maintainer > view.given) throw new PoolRefusal('TOO_LARGE', 'more than the pool holds')
  const paid = view.paid + amountIn
  const given = view.given - amountOut - maintainer
  const after = sellBase ? { ...state, base: paid, quote: given } : { ...state, base: given, quote: paid }
  return { amountOut, state: retarget({ ...after, side: sideOf(balance, sellBase, state) }) }
}

/** A pool without a target for its quote token (DVM) always counts as short of base. */
function sideOf(balance: View['balance'], sellBase: boolean, { quoteTarget }: DodoV2State): Side {
  if (quoteTarget === 0n) return 'ABOVE_ONE'
  if (balance === 'even') return 'ONE'
  return (balance === 'short') === sellBase ? 'ABOVE_ONE' : 'BELOW_ONE'
}

/** The target that fees have moved. @see PMMPricing.adjustedTarget */
function retarget(state: DodoV2State): DodoV2State {
  const { side, base, quote, baseTarget, quoteTarget, price, slippage } = state
  if (side === 'BELOW_ONE' && base >= baseTarget)
    return { ...state, quoteTarget: solveTarget(quote, base - baseTarget, price, slippage) }
  if (side === 'ABOVE_ONE' && quote >= quoteTarget)
    return { ...state, baseTarget: solveTarget(base, quote - quoteTarget, reciprocal(price), slippage) }
  return state
}
