/** Reads Curve StableSwap pools. */
import { type CurveLens, CurveLens__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { id } from 'ethers'
import { nullIfRefused, type Pool, type Read, type ReadableState } from '../../family.ts'
import { CURVE_LENS, lensRead } from '../../lenses.ts'
import { FEE_UNIT } from '../../math/stable-swap.ts'
import { stateReader } from '../common/read-each.ts'
import { quote } from './math.ts'
import type { CurveStableFixed } from './rates.ts'
import type { CurveStableState } from './types.ts'

const lensInterface = CurveLens__factory.createInterface()

/** Estimated gas to read one pool, with two of its quotes. */
export const READ_GAS = 400_000
/** Fixed-point one of A in newer pools. Older pools store A as a whole number. */
const A_PRECISION = 100n

/** Returns the read of a pool, whose answer `decodeState` decodes. */
export const poolRead = ({ address }: Pool): Read =>
  lensRead(CURVE_LENS, lensInterface.encodeFunctionData('read', [address]), READ_GAS)

export const readStates = stateReader(poolRead, decodeState)

/**
 * Decodes a pool. Returns null if no known rounding reproduces the pool's own quotes: the pool then has unknown code.
 */
export function decodeState(answer: Hex): CurveStableState | null {
  const stateRead = decodeStateRead(answer)
  // The pool's quotes come from its `get_dy`. In older pools, `get_dy` computes the fee in base units, but `exchange`
  // computes it in 18 decimals. So both orders are tried, and the state gets the order of `exchange`. The margin is 1,
  // except for pools of lending shares. These have an off-peg multiplier, and a margin of 0.
  const margins = stateRead.offpegMultiplier > 0n ? [1n, 0n] : [1n]
  const candidates = margins.flatMap((margin) =>
    (['end', 'each'] as const).flatMap((rounding) =>
      (['scaled', 'base'] as const).map((feeOrder) => ({ ...toState(stateRead, rounding), margin, feeOrder })),
    ),
  )
  const match = candidates.find((candidate) => reproducesQuotes(candidate, stateRead))
  if (!match) return null
  const otherRounding =
    match.rounding === 'end' &&
    candidates.find(
      (candidate) =>
        candidate.rounding === 'each' && candidate.margin === match.margin && reproducesQuotes(candidate, stateRead),
    )
  return {
    ...match,
    rounding: otherRounding ? 'unknown' : match.rounding,
    feeOrder: 'scaled',
    ...(stateRead.ramping && { ramping: true as const }),
  }
}

/** Result of the lens. */
export type StateRead = CurveLens.StateStructOutput

/** Decodes the answer of `poolRead` without checking it. */
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

/**
 * Matches a rate that only converts decimals: a power of ten. The pool treats coins with such rates as equal in value.
 */
const PLAIN_RATE = /^1(0{18,})$/

const hasPlainRates = ({ rates }: CurveStableState) => rates.every((rate) => PLAIN_RATE.test(`${rate}`))

/**
 * True if rates, the amplification, or balances can change without a log. A rate changes if a share or an oracle
 * reports it. The balances of lending shares and of rebasing tokens grow by interest.
 */
export const movesSilently = ({ state, fixed }: Pool<CurveStableState>): boolean =>
  state.ramping === true ||
  state.margin === 0n ||
  !hasPlainRates(state) ||
  (fixed as CurveStableFixed | undefined)?.rebases === true

/** Returns the state for `DexFamily.readableState`; null unless all coins have equal value and the fee is fixed. */
export function readableStateOf(state: CurveStableState): ReadableState | null {
  const { balances, rates, amplification, feeE10, offpegMultiplierE10 } = state
  if (offpegMultiplierE10 > FEE_UNIT || !hasPlainRates(state)) return null
  const units = rates.map((rate) => rate / 10n ** 18n)
  const ampTimes100 = (amplification.a * A_PRECISION) / amplification.precision
  return { kind: 'stable', text: `stable ${balances.join()} ${units.join()} ${ampTimes100} ${feeE10}` }
}

/** True if our math reproduces the quotes that the pool itself returned in the read, one in each direction. */
export const reproducesQuotes = (state: CurveStableState, { samples, quotes }: StateRead): boolean =>
  reproducesQuote(state, 0, 1, samples[0], quotes[0]) && reproducesQuote(state, 1, 0, samples[1], quotes[1])

function reproducesQuote(state: CurveStableState, i: number, j: number, amountIn: bigint, amountOut: bigint): boolean {
  return nullIfRefused(() => quote(state, i, j, amountIn).amountOut) === amountOut
}

/** ABI types of amount lists in logs: arrays of fixed length, or dynamic arrays in NG pools. */
const AMOUNT_TYPES = ['uint256[2]', 'uint256[3]', 'uint256[4]', 'uint256[]']

/**
 * Topics of logs after which the pool is read again. The new state cannot be computed from a log, because logs omit the
 * fees that stay in the pool. The events are not in the bindings, because several events share one name.
 */
export const topics: readonly Hex[] = [
  'TokenExchange(address,int128,uint256,int128,uint256)',
  // Emitted by `exchange_underlying` of metapools and of pools of lending shares, instead of `TokenExchange`.
  'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
  ...AMOUNT_TYPES.map((amounts) => `AddLiquidity(address,${amounts},${amounts},uint256,uint256)`),
  ...AMOUNT_TYPES.map((amounts) => `RemoveLiquidity(address,${amounts},${amounts},uint256)`),
  ...AMOUNT_TYPES.map((amounts) => `RemoveLiquidityImbalance(address,${amounts},${amounts},uint256,uint256)`),
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
