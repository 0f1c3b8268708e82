import { CurveLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import { id } from 'ethers'
import { type Pool, PoolRefusal, type Reads } from '../../family.ts'
import { CURVE_LENS } from '../../lenses.ts'
import { quote } from './math.ts'
import type { CurveStableState } from './types.ts'

const lens = CurveLens__factory.createInterface()

/** The pool quotes itself twice. */
const READ_GAS = 400_000
const PRECISION = 100n

export function* readStates(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (CurveStableState | null)[]> {
  const answers = yield pools.map((pool) => ({
    ...CURVE_LENS,
    data: lens.encodeFunctionData('read', [pool.address]) as Hex,
    gas: READ_GAS,
  }))
  return answers.map((answer) => answer && decodeState(answer))
}

/** Null where no known order of rounding gives what the pool quotes itself: it is of another kind. */
function decodeState(answer: Hex): CurveStableState | null {
  const [read] = lens.decodeFunctionResult('read', answer)
  const base = {
    balances: [...read.balances] as bigint[],
    rates: [...read.rates] as bigint[],
    feeE10: read.fee as bigint,
    adminFeeE10: read.adminFee as bigint,
    offpegMultiplierE10: read.offpegMultiplier as bigint,
  }
  const amplification = { a: read.a as bigint, precision: read.precise ? PRECISION : 1n }
  // `get_dy` of older pools takes its fee in base units; `exchange` of all of them in 18 decimals.
  const kinds = (['end', 'each'] as const).flatMap((rounding) =>
    (['scaled', 'base'] as const).map((feeOrder) => ({ ...base, amplification, rounding, feeOrder })),
  )
  const [samples, quotes] = [[...read.samples], [...read.quotes]] as [bigint[], bigint[]]
  const kind = kinds.find(
    (state) => agrees(state, 0, 1, samples[0]!, quotes[0]!) && agrees(state, 1, 0, samples[1]!, quotes[1]!),
  )
  return kind ? { ...kind, feeOrder: 'scaled' } : null
}

function agrees(state: CurveStableState, i: number, j: number, amountIn: bigint, amountOut: bigint): boolean {
  try {
    return quote(state, i, j, amountIn).amountOut === amountOut
  } catch (error) {
    if (error instanceof PoolRefusal) return false
    throw error
  }
}

/** Arrays of amounts have the number of coins in their type, or none in NG pools. */
const ARRAYS = ['uint256[2]', 'uint256[3]', 'uint256[4]', 'uint256[]']

/**
 * Exchanges and changes of liquidity leave fees behind that the logs do not tell: the pool is read again, and nothing is
 * decoded. Bindings cannot hold these events, which have one name with different arguments.
 */
export const topics: readonly Hex[] = [
  'TokenExchange(address,int128,uint256,int128,uint256)',
  ...ARRAYS.map((amounts) => `AddLiquidity(address,${amounts},${amounts},uint256,uint256)`),
  ...ARRAYS.map((amounts) => `RemoveLiquidity(address,${amounts},${amounts},uint256)`),
  ...ARRAYS.map((amounts) => `RemoveLiquidityImbalance(address,${amounts},${amounts},uint256,uint256)`),
  'RemoveLiquidityOne(address,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,int128,uint256,uint256,uint256)',
  'RampA(uint256,uint256,uint256,uint256)',
  'StopRampA(uint256,uint256)',
].map((signature) => id(signature) as Hex)

export const applyLog = () => 'reread' as const
