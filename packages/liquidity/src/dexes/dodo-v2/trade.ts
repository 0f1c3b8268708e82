/** Trades with a PMM pool. Checked against PMMPricing and DPPTrader of DODOEX/contractV2. */
import { PoolRefusal } from '../../family.ts'
import { integrate, mulFloor, reciprocal, solveTarget, solveTrade } from './math.ts'
import type { DodoV2State, Side } from './types.ts'

/** Reserves are uint112. */
const MAX_RESERVE = (1n << 112n) - 1n

/** A pool from the perspective of the input token, so that both directions share their code. */
type View = {
  readonly reserveIn: bigint
  readonly reserveOut: bigint
  readonly inputTarget: bigint
  readonly outputTarget: bigint
  /** Price of the input token, 18 decimals. */
  readonly price: bigint
  readonly k: bigint
  /** `short`: the pool has less of the input token than its target. */
  readonly balance: 'even' | 'short' | 'long'
}

function viewOf(state: DodoV2State, sellBase: boolean): View {
  const { price, slippage: k, base, quote, baseTarget, quoteTarget, side } = state
  const shortOf = side === 'ONE' ? null : side === 'ABOVE_ONE' ? 'base' : 'quote'
  const balance = shortOf === null ? 'even' : (shortOf === 'base') === sellBase ? 'short' : 'long'
  return sellBase
    ? { reserveIn: base, reserveOut: quote, inputTarget: baseTarget, outputTarget: quoteTarget, price, k, balance }
    : {
        reserveIn: quote,
        reserveOut: base,
        inputTarget: quoteTarget,
        outputTarget: baseTarget,
        price: reciprocal(price),
        k,
        balance,
      }
}

/**
 * Returns the approximate largest input: up to the maximum reserve, or up to the target if the pool cannot exceed it.
 */
export function limitOf(state: DodoV2State, sellBase: boolean): bigint {
  const { reserveIn, inputTarget, outputTarget, balance } = viewOf(state, sellBase)
  return balance === 'short' && outputTarget === 0n ? inputTarget - reserveIn : MAX_RESERVE - reserveIn
}

type PricedTrade = { readonly gross: bigint; readonly balance: View['balance'] }

/** Returns the output before fees. @see PMMPricing.sellBaseToken and sellQuoteToken */
function priceTrade(
  { reserveIn, reserveOut, inputTarget, outputTarget, price, k, balance }: View,
  amountIn: bigint,
): PricedTrade {
  const fromEven = (amount: bigint) => solveTrade(outputTarget, outputTarget, amount, price, k)
  if (balance === 'even') return { gross: fromEven(amountIn), balance: 'long' }
  if (balance === 'long') return { gross: solveTrade(outputTarget, reserveOut, amountIn, price, k), balance }
  const toEven = inputTarget - reserveIn
  const forEven = reserveOut - outputTarget
  if (toEven < 0n || forEven < 0n) throw new PoolRefusal('EMPTY', 'the pool is beyond its targets')
  if (amountIn === toEven) return { gross: forEven, balance: 'even' }
  if (amountIn > toEven && outputTarget === 0n)
    throw new PoolRefusal('TOO_LARGE', 'more than the pool is short of, and it has no other target')
  if (amountIn > toEven) return { gross: forEven + fromEven(amountIn - toEven), balance: 'long' }
  const gross = integrate(inputTarget, reserveIn, reserveIn + amountIn, price, k)
  // Limit the output, so that rounding never pays more than the surplus over the target.
  if (gross > forEven) return { gross: forEven, balance }
  return { gross, balance }
}

/**
 * Sells exactly `amountIn` of the base or quote token.
 *
 * @throws PoolRefusal `TOO_SMALL` for no output, `TOO_LARGE` if the pool would overflow or pay more than its reserve,
 * `EMPTY` if it has no price
 */
export function trade(
  state: DodoV2State,
  sellBase: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: DodoV2State } {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  const view = viewOf(state, sellBase)
  if (view.reserveIn + amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'more than a reserve can be')
  const { gross, balance } = priceTrade(view, amountIn)
  const maintainer = mulFloor(gross, state.maintainerFee)
  const amountOut = gross - mulFloor(gross, state.lpFee) - maintainer
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (amountOut + maintainer > view.reserveOut) throw new PoolRefusal('TOO_LARGE', 'more than the pool holds')
  const reserveIn = view.reserveIn + amountIn
  const reserveOut = view.reserveOut - amountOut - maintainer
  const after = sellBase
    ? { ...state, base: reserveIn, quote: reserveOut }
    : { ...state, base: reserveOut, quote: reserveIn }
  return { amountOut, state: retarget({ ...after, side: sideOf(balance, sellBase, state) }) }
}

/** A pool without a quote target (DVM) always counts as short of base. */
function sideOf(balance: View['balance'], sellBase: boolean, { quoteTarget }: DodoV2State): Side {
  if (quoteTarget === 0n) return 'ABOVE_ONE'
  if (balance === 'even') return 'ONE'
  return (balance === 'short') === sellBase ? 'ABOVE_ONE' : 'BELOW_ONE'
}

/** Adjusts the target for retained fees. @see PMMPricing.adjustedTarget */
function retarget(state: DodoV2State): DodoV2State {
  const { side, base, quote, baseTarget, quoteTarget, price, slippage } = state
  if (side === 'BELOW_ONE' && base >= baseTarget)
    return { ...state, quoteTarget: solveTarget(quote, base - baseTarget, price, slippage) }
  if (side === 'ABOVE_ONE' && quote >= quoteTarget)
    return { ...state, baseTarget: solveTarget(base, quote - quoteTarget, reciprocal(price), slippage) }
  return state
}
