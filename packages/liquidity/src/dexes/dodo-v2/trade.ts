/**
 * Exact-input trades with a PMM (proactive market maker) pool of DODO V2. Checked against PMMPricing and DPPTrader of
 * DODOEX/contractV2.
 */
import { PoolRefusal } from '../../family.ts'
import { integrate, mulFloor, reciprocal, solveTarget, solveTrade } from './math.ts'
import type { DodoV2State, Side } from './types.ts'

/** Reserves are uint112. */
const MAX_RESERVE = (1n << 112n) - 1n

/** State of a pool for one trade direction, so that both directions share code. */
type DirectedPool = {
  readonly reserveIn: bigint
  readonly reserveOut: bigint
  readonly inputTarget: bigint
  readonly outputTarget: bigint
  /** Price of the input token in the output token, 18 decimals. */
  readonly price: bigint
  /** `slippage` of the state. */
  readonly k: bigint
  /** Reserve of the input token compared with its target: `even` if equal, `short` if below, `long` if above. */
  readonly imbalance: 'even' | 'short' | 'long'
}

/** Returns the pool for a sale of base tokens (`sellsBase`) or of quote tokens. */
function directedPoolOf(state: DodoV2State, sellsBase: boolean): DirectedPool {
  const { price, slippage: k, base, quote, baseTarget, quoteTarget, side } = state
  const shortToken = side === 'ONE' ? null : side === 'ABOVE_ONE' ? 'base' : 'quote'
  const imbalance = shortToken === null ? 'even' : (shortToken === 'base') === sellsBase ? 'short' : 'long'
  return sellsBase
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
 * Returns the approximate largest input in base units. It fills the reserve of the input token to `MAX_RESERVE`. If the
 * output token has no target, it fills the reserve of the input token only to its target.
 */
export function approximateMaxInput(state: DodoV2State, sellsBase: boolean): bigint {
  const { reserveIn, inputTarget, outputTarget, imbalance } = directedPoolOf(state, sellsBase)
  return imbalance === 'short' && outputTarget === 0n ? inputTarget - reserveIn : MAX_RESERVE - reserveIn
}

/** Output before fees in base units, and the imbalance after the trade. */
type PricedTrade = { readonly grossOutput: bigint; readonly imbalance: DirectedPool['imbalance'] }

/** Prices a trade without fees. @see PMMPricing.sellBaseToken and sellQuoteToken */
function priceTrade(
  { reserveIn, reserveOut, inputTarget, outputTarget, price, k, imbalance }: DirectedPool,
  amountIn: bigint,
): PricedTrade {
  // Returns the output of an input to the pool while both reserves are at their targets.
  const quoteFromBalance = (amount: bigint) => solveTrade(outputTarget, outputTarget, amount, price, k)
  if (imbalance === 'even') return { grossOutput: quoteFromBalance(amountIn), imbalance: 'long' }
  if (imbalance === 'long') return { grossOutput: solveTrade(outputTarget, reserveOut, amountIn, price, k), imbalance }
  const inputToBalance = inputTarget - reserveIn
  const outputToBalance = reserveOut - outputTarget
  if (inputToBalance < 0n || outputToBalance < 0n) throw new PoolRefusal('EMPTY', 'the pool is beyond its targets')
  if (amountIn === inputToBalance) return { grossOutput: outputToBalance, imbalance: 'even' }
  if (amountIn > inputToBalance && outputTarget === 0n)
    throw new PoolRefusal('TOO_LARGE', 'more than the target, and the pool has no target of the other token')
  if (amountIn > inputToBalance)
    return { grossOutput: outputToBalance + quoteFromBalance(amountIn - inputToBalance), imbalance: 'long' }
  const grossOutput = integrate(inputTarget, reserveIn, reserveIn + amountIn, price, k)
  // Rounding must not pay more than the surplus of the output token over its target.
  if (grossOutput > outputToBalance) return { grossOutput: outputToBalance, imbalance }
  return { grossOutput, imbalance }
}

/**
 * Sells exactly `amountIn` of the base or quote token.
 *
 * @throws PoolRefusal `TOO_SMALL` for no output; `TOO_LARGE` if the pool would overflow, or pay more than its reserve;
 * `EMPTY` if the reserves and targets allow no trade
 */
export function trade(
  state: DodoV2State,
  sellsBase: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: DodoV2State } {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  const directedPool = directedPoolOf(state, sellsBase)
  if (directedPool.reserveIn + amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'more than a reserve can be')
  const { grossOutput, imbalance } = priceTrade(directedPool, amountIn)
  const maintainerFee = mulFloor(grossOutput, state.maintainerFee)
  const amountOut = grossOutput - mulFloor(grossOutput, state.lpFee) - maintainerFee
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (amountOut + maintainerFee > directedPool.reserveOut)
    throw new PoolRefusal('TOO_LARGE', 'more than the pool holds')
  const reserveIn = directedPool.reserveIn + amountIn
  const reserveOut = directedPool.reserveOut - amountOut - maintainerFee
  const stateAfter = sellsBase
    ? { ...state, base: reserveIn, quote: reserveOut }
    : { ...state, base: reserveOut, quote: reserveIn }
  return { amountOut, state: adjustTarget({ ...stateAfter, side: sideOf(imbalance, sellsBase, state) }) }
}

/**
 * Returns `side` of a pool after a trade. A pool without a quote target (DVM) always counts as short of base tokens.
 *
 * @param imbalance - of the input token after the trade
 */
function sideOf(imbalance: DirectedPool['imbalance'], sellsBase: boolean, { quoteTarget }: DodoV2State): Side {
  if (quoteTarget === 0n) return 'ABOVE_ONE'
  if (imbalance === 'even') return 'ONE'
  return (imbalance === 'short') === sellsBase ? 'ABOVE_ONE' : 'BELOW_ONE'
}

/**
 * Recomputes the target of the scarce token, which rises by the fees that the pool keeps. @see
 * PMMPricing.adjustedTarget
 */
function adjustTarget(state: DodoV2State): DodoV2State {
  const { side, base, quote, baseTarget, quoteTarget, price, slippage } = state
  if (side === 'BELOW_ONE' && base >= baseTarget)
    return { ...state, quoteTarget: solveTarget(quote, base - baseTarget, price, slippage) }
  if (side === 'ABOVE_ONE' && quote >= quoteTarget)
    return { ...state, baseTarget: solveTarget(base, quote - quoteTarget, reciprocal(price), slippage) }
  return state
}
