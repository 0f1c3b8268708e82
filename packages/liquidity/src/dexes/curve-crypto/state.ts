/** Reads Curve CryptoSwap pools. */
import { type CurveCryptoLens, CurveCryptoLens__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { id } from 'ethers'
import { nullIfRefused } from '../../family.ts'
import { CURVE_CRYPTO_LENS, lensRead } from '../../lenses.ts'
import { stateReader } from '../common/read-each.ts'
import { balancesAtPriceScale, computeOutput, feeOf, solveBalance } from './math.ts'
import type { CryptoKind, CurveCryptoState } from './types.ts'

const lensInterface = CurveCryptoLens__factory.createInterface()

/** Estimated gas to read one pool. In the read, the pool computes its invariant up to four times. */
export const READ_GAS = 500_000

export const readStates = stateReader(
  ({ address, tokens }) =>
    lensRead(CURVE_CRYPTO_LENS, lensInterface.encodeFunctionData('read', [address, tokens.length]), READ_GAS),
  decodeState,
)

/** Decodes a pool. Returns null while the pool is killed, or if our math does not reproduce the pool's quotes. */
function decodeState(answer: Hex): CurveCryptoState | null {
  const stateRead = decodeStateRead(answer)
  const state = toState(stateRead)
  return state && reproducesQuotes(state, stateRead) ? state : null
}

/** Result of the lens. */
type StateRead = CurveCryptoLens.StateStructOutput

export const decodeStateRead = (answer: Hex): StateRead => lensInterface.decodeFunctionResult('read', answer)[0]

/** Converts the lens result to a state; null if the pool is killed or has an empty balance. */
export function toState(stateRead: StateRead): CurveCryptoState | null {
  const balances = [...stateRead.balances]
  if (stateRead.killed || balances.length > 3 || balances.includes(0n)) return null
  const isNg = stateRead.version !== ''
  const kind: CryptoKind = balances.length === 2 ? (isNg ? 'two-ng' : 'two') : isNg ? 'tri-ng' : 'tri'
  return {
    kind,
    balances,
    precisions: [...stateRead.precisions],
    priceScale: [...stateRead.priceScale],
    a: stateRead.a,
    gamma: stateRead.gamma,
    rangeByGamma: kind === 'two-ng' && stateRead.version !== 'v2.0.0',
    invariant: stateRead.invariant,
    ramping: isNg ? stateRead.futureTime > stateRead.timestamp : stateRead.futureTime > 0n,
    ...(stateRead.futureTime > stateRead.timestamp && { moves: true as const }),
    midFeeE10: stateRead.midFee,
    outFeeE10: stateRead.outFee,
    feeGamma: stateRead.feeGamma,
    virtualPrice: stateRead.virtualPrice,
    totalSupply: stateRead.totalSupply,
    profit: stateRead.profit,
    allowedExtraProfit: stateRead.allowedExtraProfit,
    settled: true,
  }
}

/**
 * True if our math reproduces the pool's fee and two results of its code. One result is for a sale of coin 0, and one
 * for a sale of the last coin. In NG pools, a result is a balance that the pool's math contract solved. In other pools,
 * it is a quote.
 */
function reproducesQuotes(state: CurveCryptoState, { samples, quotes, fee: poolFee }: StateRead): boolean {
  const lastCoin = state.balances.length - 1
  const xp = balancesAtPriceScale(state, state.balances)
  const computeSample = (sample: bigint, i: number, j: number) =>
    state.kind === 'two' || state.kind === 'tri'
      ? computeOutput(state, i, j, sample).amountOut
      : solveBalance(state, xp.with(i, sample), state.invariant, j).y
  const reproducesAll = () =>
    feeOf(state, xp) === poolFee &&
    computeSample(samples[0], 0, 1) === quotes[0] &&
    computeSample(samples[1], lastCoin, 0) === quotes[1]
  return nullIfRefused(reproducesAll) ?? false
}

/** Possible numbers of coins of a CryptoSwap pool. */
const COIN_COUNTS = [2, 3]

/**
 * Topics of logs after which the pool is read again. Swaps and liquidity changes can move the price scale. The new
 * scale depends on a price average that no log contains. The events are not in the bindings, because several share one
 * name.
 */
export const topics: readonly Hex[] = [
  'TokenExchange(address,uint256,uint256,uint256,uint256)',
  'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)',
  ...COIN_COUNTS.flatMap((n) => [
    `AddLiquidity(address,uint256[${n}],uint256,uint256)`,
    `AddLiquidity(address,uint256[${n}],uint256,uint256,uint256)`,
    `RemoveLiquidity(address,uint256[${n}],uint256)`,
  ]),
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256,uint256,uint256)',
  'RemoveLiquidityImbalance(address,uint256,uint256[2],uint256,uint256)',
  'ClaimAdminFee(address,uint256)',
  ...COIN_COUNTS.map((n) => `ClaimAdminFee(address,uint256[${n}])`),
  'NewParameters(uint256,uint256,uint256,uint256,uint256,uint256)',
  'NewParameters(uint256,uint256,uint256,uint256,uint256,uint256,uint256)',
  'RampAgamma(uint256,uint256,uint256,uint256,uint256,uint256)',
  'StopRampA(uint256,uint256,uint256)',
].map((signature) => id(signature) as Hex)

export const applyLog = () => 'reread' as const
