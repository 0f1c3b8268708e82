/** Reads Curve StableSwap pools. */
import { type CurveLens, CurveLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import { id } from 'ethers'
import { nullIfRefused, type Pool, type ReadableState, type Reads } from '../../family.ts'
import { CURVE_LENS } from '../../lenses.ts'
import { FEE_UNIT } from '../../math/stable-swap.ts'
import { readEach } from '../common/read-each.ts'
import { quote } from './math.ts'
import type { CurveStableFixed } from './rates.ts'
import type { CurveStableState } from './types.ts'

const lensInterface = CurveLens__factory.createInterface()

/** Estimated gas of a read, which includes two quotes of the pool. */
export const READ_GAS = 400_000
/** Fixed-point unit of A in newer pools. Older pools store whole numbers. */
const A_PRECISION = 100n

export function readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (CurveStableState | null)[]> {
  return readEach(
    pools,
    (pool) => ({ ...CURVE_LENS, data: lensInterface.encodeFunctionData('read', [pool.address]) as Hex, gas: READ_GAS }),
    decodeState,
  )
}

/** Returns null if no known rounding reproduces the pool's own quotes, so that the pool must have different code. */
function decodeState(answer: Hex): CurveStableState | null {
  const stateRead = decodeStateRead(answer)
  // `get_dy` of older pools takes the fee in base units; `exchange` of all pools takes it in 18 decimals. Pools of
  // lending shares, which have an off-peg multiplier, keep no margin. The margin of other pools is always 1.
  const margins = stateRead.offpegMultiplier > 0n ? [1n, 0n] : [1n]
  const candidates = margins.flatMap((margin) =>
    (['end', 'each'] as const).flatMap((rounding) =>
      (['scaled', 'base'] as const).map((feeOrder) => ({ ...toState(stateRead, rounding), margin, feeOrder })),
    ),
  )
  const reproducesQuotes = (state: CurveStableState) =>
    reproducesQuote(state, 0, 1, stateRead.samples[0], stateRead.quotes[0]) &&
    reproducesQuote(state, 1, 0, stateRead.samples[1], stateRead.quotes[1])
  const match = candidates.find(reproducesQuotes)
  if (!match) return null
  const alternative =
    match.rounding === 'end' &&
    candidates.find(
      (candidate) => candidate.rounding === 'each' && candidate.margin === match.margin && reproducesQuotes(candidate),
    )
  return {
    ...match,
    rounding: alternative ? 'unknown' : match.rounding,
    feeOrder: 'scaled',
    ...(stateRead.ramping && { ramping: true as const }),
  }
}

type StateRead = CurveLens.StateStructOutput

export const decodeStateRead = (answer: Hex): StateRead => lensInterface.decodeFunctionResult('read', answer)[0]

/** Converts the lens result to a state. */
export function toState(stateRead: StateRead, rounding: CurveStableState['rounding']): CurveStableState {
  return {
    balances: [...stateRead.balances],
    rates: [...stateRead.rates],
    amplification: { a: stateRead.a, precision: stateRead.precise ? A_PRECISION : 1n },
    feeE10: stateRead.fee,
    adminFeeE10: stateRead.adminFee,
    offpegMultiplierE10: stateRead.offpegMultiplier,
    rounding,
    margin: 1n,
    feeOrder: 'scaled',
  }
}

/** Matches the rates of coins with equal value, which are powers of ten that depend on the decimals. */
const PLAIN_RATE = /^1(0{18,})$/

const hasPlainRates = ({ rates }: CurveStableState) => rates.every((rate) => PLAIN_RATE.test(`${rate}`))

/**
 * True if rates, the amplification, or balances can change without a log: a share or an oracle reports a rate, or the
 * coins earn interest by their balances, as those of lending pools and rebasing tokens do.
 */
export const movesSilently = ({ state, fixed }: Pool<CurveStableState>): boolean =>
  state.ramping === true ||
  state.margin === 0n ||
  !hasPlainRates(state) ||
  (fixed as CurveStableFixed | undefined)?.rebases === true

/** Returns the state for a certificate if all coins have equal value and the fee is fixed; else null. */
export function plainState(state: CurveStableState): ReadableState | null {
  const { balances, rates, amplification, feeE10, offpegMultiplierE10 } = state
  if (offpegMultiplierE10 > FEE_UNIT || !hasPlainRates(state)) return null
  const units = rates.map((rate) => rate / 10n ** 18n)
  const a100 = (amplification.a * A_PRECISION) / amplification.precision
  return { kind: 'stable', text: `stable ${balances.join()} ${units.join()} ${a100} ${feeE10}` }
}

function reproducesQuote(state: CurveStableState, i: number, j: number, amountIn: bigint, amountOut: bigint): boolean {
  return nullIfRefused(() => quote(state, i, j, amountIn).amountOut) === amountOut
}

/** Array types of the amounts: fixed length, or dynamic in NG pools. */
const ARRAYS = ['uint256[2]', 'uint256[3]', 'uint256[4]', 'uint256[]']

/**
 * Topics after which the pool is read again. Logs omit the fees that remain in the pool, so no log is decoded. The
 * events are not in the bindings, because several events share one name.
 */
export const topics: readonly Hex[] = [
  'TokenExchange(address,int128,uint256,int128,uint256)',
  // The only log of a swap by `exchange_underlying`, in metapools and in pools of lending shares.
  'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
  ...ARRAYS.map((amounts) => `AddLiquidity(address,${amounts},${amounts},uint256,uint256)`),
  ...ARRAYS.map((amounts) => `RemoveLiquidity(address,${amounts},${amounts},uint256)`),
  ...ARRAYS.map((amounts) => `RemoveLiquidityImbalance(address,${amounts},${amounts},uint256,uint256)`),
  'RemoveLiquidityOne(address,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,int128,uint256,uint256,uint256)',
  'RampA(uint256,uint256,uint256,uint256)',
  'StopRampA(uint256,uint256)',
  'NewFee(uint256,uint256)',
  'NewFee(uint256,uint256,uint256)',
  'ApplyNewFee(uint256,uint256)',
].map((signature) => id(signature) as Hex)

export const applyLog = () => 'reread' as const
