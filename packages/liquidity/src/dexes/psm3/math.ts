/** Exact math of Spark PSM3 modules. Follows PSM3 of sparkdotfi/spark-psm. */
import { PoolRefusal } from '../../family.ts'

/** State of a module. Lists are in the order USDC, USDS, sUSDS; amounts are base units. */
export type Psm3State = {
  /** Base units per whole token. */
  readonly precisions: readonly [bigint, bigint, bigint]
  /** Amounts that the module can pay out now. */
  readonly balances: readonly [bigint, bigint, bigint]
  /** USDS per sUSDS, 27 decimals. */
  readonly rate: bigint
}

const RAY = 10n ** 27n
/** Index of sUSDS, the only token whose value changes. */
const SUSDS = 2

/**
 * Quotes an exact input of token `i` in token `j`.
 *
 * @throws PoolRefusal `TOO_SMALL` for no output, `TOO_LARGE` above the balance
 */
export function quote(
  state: Psm3State,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: Psm3State } {
  const amountOut = convert(state, i, j, amountIn)
  if (amountIn <= 0n || amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut > state.balances[j]!) throw new PoolRefusal('TOO_LARGE', `the module cannot pay ${amountOut}`)
  const balances = state.balances.map((balance, k) =>
    k === i ? balance + amountIn : k === j ? balance - amountOut : balance,
  )
  return { amountOut, state: { ...state, balances: balances as [bigint, bigint, bigint] } }
}

/** Converts an amount of token `i` to token `j`. Divides in the order of the contract, and rounds down each time. */
function convert({ precisions, rate }: Psm3State, i: number, j: number, amountIn: bigint): bigint {
  const [from, to] = [precisions[i]!, precisions[j]!]
  if (j === SUSDS) return (((amountIn * RAY) / rate) * to) / from
  if (i === SUSDS) return (((amountIn * rate) / RAY) * to) / from
  return (amountIn * to) / from
}

/** Returns the output in base units per base unit of input. */
export function rateOf({ precisions, rate }: Psm3State, i: number, j: number): number {
  const parity = Number(precisions[j]) / Number(precisions[i])
  const growth = Number(rate) / Number(RAY)
  return j === SUSDS ? parity / growth : i === SUSDS ? parity * growth : parity
}

/** Returns the approximate largest input, which buys all of token `j`. */
export function approximateMaxInput(state: Psm3State, i: number, j: number): bigint {
  return convert(state, j, i, state.balances[j]!)
}
