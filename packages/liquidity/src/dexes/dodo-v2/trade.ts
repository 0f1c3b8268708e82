/** Exact-input trades with a PMM pool. Checked against PMMPricing and DPPTrader of DODOEX/contractV2. */
import { PoolRefusal } from '../../family.ts'
import { integrate, mulFloor, reciprocal, solveTarget, solveTrade } from './math.ts'
import type { DodoV2State, Side } from './types.ts'

/** Reserves are uint112. */
const MAX_RESERVE = (1n << 112n) - 1n

/** A pool from the perspective of the input token, so that both directions share their code. */
type DirectedPool = {
  readonly reserveIn: bigint
  readonly reserveOut: bigint
  readonly inputTarget: bigint
  readonly outputTarget: bigint
  /** Price of the input token, 18 decimals. */
  readonly price: bigint
  /** `slippage` of the state. */
  readonly k: bigint
  /** Reserve of the input token relative to its target: `even` if equal, `short` if below, `long` if above. */
  readonly imbalance: 'even' | 'short' | 'long'
}

function directedPoolOf(state: DodoV2State, sellBase: boolean): DirectedPool {
  const { price, slippage: k, base, quote, baseTarget, quoteTarget, side } = state
  const shortToken = side === 'ONE' ? null : side === 'ABOVE_ONE' ? 'base' : 'quote'
  const imbalance = shortToken === null ? 'even' : (shortToken === 'base') === sellBase ? 'short' : 'long'
  return sellBase
    ? { reserveIn: base, reserveOut: quote, inputTarget: baseTarget, outputTarget: quoteTarget, price, k, imbalance }
    : {
        reserveIn: quote,
        reserveOut: base,
        inputTarget: quoteTarget,
        outputTarget: baseTarget,
        price: reciprocal(price),
        k,
        imbalance,
      }
}

/**
 * Returns the approximate largest input in base units. It fills the reserve of the input token to its maximum, or to
 * its target if the pool cannot exceed the target.
 */
export function approximateMaxInput(state: DodoV2State, sellBase: boolean): bigint {
  const { reserveIn, inputTarget, outputTarget, imbalance } = directedPoolOf(state, sellBase)
  return imbalance === 'short' && outputTarget === 0n ? inputTarget - reserveIn : MAX_RESERVE - reserveIn
}

/** Output before fees, and the imbalance after the trade. */
type PricedTrade = { readonly grossOutput: bigint; readonly imbalance: DirectedPool['imbalance'] }

/** Returns the output before fees. @see PMMPricing.sellBaseToken and sellQuoteToken */
function priceTrade(
  { reserveIn, reserveOut, inputTarget, outputTarget, price, k, imbalance }: DirectedPool,
  amountIn: bigint,
): PricedTrade {
  const outputFromBalance = (amount: bigint) => solveTrade(outputTarget, outputTarget, amount, price, k)
  if (imbalance === 'even') return { grossOutput: outputFromBalance(amountIn), imbalance: 'long' }
  if (imbalance === 'long') return { grossOutput: solveTrade(outputTarget, reserveOut, amountIn, price, k), imbalance }
  const inputToBalance = inputTarget - reserveIn
  const outputToBalance = reserveOut - outputTarget
  if (inputToBalance < 0n || outputToBalance < 0n) throw new PoolRefusal('EMPTY', 'the pool is beyond its targets')
  if (amountIn === inputToBalance) return { grossOutput: outputToBalance, imbalance: 'even' }
  if (amountIn > inputToBalance && outputTarget === 0n)
    throw new PoolRefusal('TOO_LARGE', 'more than the pool is short of, and it has no other target')
  if (amountIn > inputToBalance)
    return { grossOutput: outputToBalance + outputFromBalance(amountIn - inputToBalance), imbalance: 'long' }
  const grossOutput = integrate(inputTarget, reserveIn, reserveIn + amountIn, price, k)
  // Limit the output, so that rounding never pays more than the surplus over the target.
  if (grossOutput > outputToBalance) return { grossOutput: outputToBalance, imbalance }
  return { grossOutput, imbalance }
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
  const directedPool = directedPoolOf(state, sellBase)
  if (directedPool.reserveIn + amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'more than a reserve can be')
  const { grossOutput, imbalance } = priceTrade(directedPool, amountIn)
  const maintainerFee = mulFloor(grossOutput, state.maintainerFee)
  const amountOut = grossOutput - mulFloor(grossOutput, state.lpFee) - maintainerFee
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (amountOut + maintainerFee > directedPool.reserveOut)
    throw new PoolRefusal('TOO_LARGE', 'more than the pool holds')
  const reserveIn = directedPool.reserveIn + amountIn
  const reserveOut = directedPool.reserveOut - amountOut - maintainerFee
  const stateAfter = sellBase
    ? { ...state, base: reserveIn, quote: reserveOut }
    : { ...state, base: reserveOut, quote: reserveIn }
  return { amountOut, state: adjustTarget({ ...stateAfter, side: sideOf(imbalance, sellBase, state) }) }
}

/** Returns the side of a pool after a trade. A pool without a quote target (DVM) always counts as short of base. */
function sideOf(imbalance: DirectedPool['imbalance'], sellBase: boolean, { quoteTarget }: DodoV2State): Side {
  if (quoteTarget === 0n) return 'ABOVE_ONE'
  if (imbalance === 'even') return 'ONE'
  return (imbalance === 'short') === sellBase ? 'ABOVE_ONE' : 'BELOW_ONE'
}

/** Adjusts the target for retained fees. @see PMMPricing.adjustedTarget */
function adjustTarget(state: DodoV2State): DodoV2State {
  const { side, base, quote, baseTarget, quoteTarget, price, slippage } = state
  if (side === 'BELOW_ONE' && base >= baseTarget)
    return { ...state, quoteTarget: solveTarget(quote, base - baseTarget, price, slippage) }
  if (side === 'ABOVE_ONE' && quote >= quoteTarget)
    return { ...state, baseTarget: solveTarget(base, quote - quoteTarget, reciprocal(price), slippage) }
  return state
}
