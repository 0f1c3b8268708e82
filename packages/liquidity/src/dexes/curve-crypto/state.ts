import { type CurveCryptoLens, CurveCryptoLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import { id } from 'ethers'
import { orRefused, type Pool, type Reads } from '../../family.ts'
import { CURVE_CRYPTO_LENS } from '../../lenses.ts'
import { readEach } from '../common/read-each.ts'
import { fee, scaled, solveBalance, swapOut } from './math.ts'
import type { CryptoKind, CurveCryptoState } from './types.ts'

const lens = CurveCryptoLens__factory.createInterface()

/** The pool solves its invariant up to four times. */
const READ_GAS = 500_000

export function readStates(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (CurveCryptoState | null)[]> {
  return readEach(
    pools,
    ({ address, tokens }) => ({
      ...CURVE_CRYPTO_LENS,
      data: lens.encodeFunctionData('read', [address, tokens.length]) as Hex,
      gas: READ_GAS,
    }),
    decodeState,
  )
}

/** Null where the maths known here do not give what the pool's own give, and while the pool is switched off. */
function decodeState(answer: Hex): CurveCryptoState | null {
  const read = decodeRead(answer)
  const state = toState(read)
  return state && agrees(state, read) ? state : null
}

type Read = CurveCryptoLens.StateStructOutput

export const decodeRead = (answer: Hex): Read => lens.decodeFunctionResult('read', answer)[0]

/** The answers of a pool about itself; null while it is switched off or lacks a coin. */
export function toState(read: Read): CurveCryptoState | null {
  const balances = [...read.balances]
  if (read.killed || balances.length > 3 || balances.includes(0n)) return null
  const ng = read.version !== ''
  const kind: CryptoKind = balances.length === 2 ? (ng ? 'two-ng' : 'two') : ng ? 'tri-ng' : 'tri'
  return {
    kind,
    balances,
    precisions: [...read.precisions],
    priceScale: [...read.priceScale],
    a: read.a,
    gamma: read.gamma,
    rangeByGamma: kind === 'two-ng' && read.version !== 'v2.0.0',
    invariant: read.invariant,
    ramping: ng ? read.futureTime > read.timestamp : read.futureTime > 0n,
    midFeeE10: read.midFee,
    outFeeE10: read.outFee,
    feeGamma: read.feeGamma,
    virtualPrice: read.virtualPrice,
    totalSupply: read.totalSupply,
    profit: read.profit,
    allowedExtraProfit: read.allowedExtraProfit,
    settled: true,
  }
}

/**
 * True where fee and two samples come out as the pool says: the first with more of coin 0, the second of the last coin.
 */
function agrees(state: CurveCryptoState, { samples, quotes, fee: poolFee }: Read): boolean {
  const last = state.balances.length - 1
  const xp = scaled(state, state.balances)
  const known = (sample: bigint, i: number, j: number) =>
    state.kind === 'two' || state.kind === 'tri'
      ? swapOut(state, i, j, sample).amountOut
      : solveBalance(state, xp.with(i, sample), state.invariant, j).y
  const all = () =>
    fee(state, xp) === poolFee && known(samples[0], 0, 1) === quotes[0] && known(samples[1], last, 0) === quotes[1]
  return orRefused(all) ?? false
}

const COINS = [2, 3]

/**
 * Swaps and changes of liquidity move prices by an average over time that the logs do not tell: the pool is read again, and
 * nothing is decoded. Bindings cannot hold these events, which have one name with different arguments.
 */
export const topics: readonly Hex[] = [
  'TokenExchange(address,uint256,uint256,uint256,uint256)',
  'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)',
  ...COINS.flatMap((n) => [
    `AddLiquidity(address,uint256[${n}],uint256,uint256)`,
    `AddLiquidity(address,uint256[${n}],uint256,uint256,uint256)`,
    `RemoveLiquidity(address,uint256[${n}],uint256)`,
  ]),
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256,uint256,uint256)',
  'ClaimAdminFee(address,uint256)',
  'ClaimAdminFee(address,uint256[2])',
  'NewParameters(uint256,uint256,uint256,uint256,uint256,uint256)',
  'NewParameters(uint256,uint256,uint256,uint256,uint256,uint256,uint256)',
  'RampAgamma(uint256,uint256,uint256,uint256,uint256,uint256)',
  'StopRampA(uint256,uint256,uint256)',
].map((signature) => id(signature) as Hex)

export const applyLog = () => 'reread' as const
