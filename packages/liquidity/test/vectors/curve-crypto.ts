/** Test vectors of Curve CryptoSwap pools. */
import type { Address } from '@sluice/chains'
import { computeOutput, quote } from '../../src/dexes/curve-crypto/math.ts'
import type { CryptoKind, CurveCryptoState } from '../../src/dexes/curve-crypto/types.ts'
import { PoolRefusal } from '../../src/family.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, Vector, VectorPool } from './types.ts'

/** Two-coin pools of math version 2.1.0 and later accept a gamma above this. */
const LARGEST_GAMMA_BEFORE = 2n * 10n ** 15n

/** Interpolates A or gamma during a ramp. */
function atTime(from: bigint, to: bigint, start: number, end: number, timestamp: number | undefined): bigint {
  if (timestamp === undefined || timestamp >= end) return to
  const [whole, elapsed] = [BigInt(end - start), BigInt(timestamp - start)]
  return (from * (whole - elapsed) + to * elapsed) / whole
}

function amplificationOf(pool: VectorPool): { a: bigint; gamma: bigint; ramping: boolean } {
  const { extra, timestamp } = pool
  if (extra.A !== undefined) {
    return { a: BigInt(extra.A), gamma: BigInt(extra.gamma), ramping: extra.futureAGammaTime > 0 }
  }
  const [start, end] = [extra.InitialAGammaTime, extra.FutureAGammaTime]
  const between = (name: string) =>
    atTime(BigInt(extra[`Initial${name}`]), BigInt(extra[`Future${name}`]), start, end, timestamp)
  return { a: between('A'), gamma: between('Gamma'), ramping: timestamp !== undefined && timestamp < end }
}

/**
 * First-generation sources spell the fields with a lower-case initial and give the price of two coins without a list.
 */
function stateOf(kind: CryptoKind, { extra, staticExtra, tokens, reserves, timestamp }: VectorPool): CurveCryptoState {
  const field = (name: string) => extra[name] ?? extra[name[0]!.toLowerCase() + name.slice(1)]
  const { a, gamma, ramping } = amplificationOf({ extra, timestamp })
  const multipliers = staticExtra.precisionMultipliers as string[] | undefined
  return {
    kind,
    balances: reserves.slice(0, tokens.length).map(BigInt),
    precisions: multipliers?.map(BigInt) ?? tokens.map((token: VectorPool) => 10n ** BigInt(18 - token.decimals)),
    priceScale: [field('PriceScale')]
      .flat()
      .slice(0, tokens.length - 1)
      .map(BigInt),
    a,
    gamma,
    rangeByGamma: kind === 'two-ng' && gamma > LARGEST_GAMMA_BEFORE,
    invariant: BigInt(field('D')),
    ramping,
    midFeeE10: BigInt(field('MidFee')),
    outFeeE10: BigInt(field('OutFee')),
    feeGamma: BigInt(field('FeeGamma')),
    virtualPrice: BigInt(field('VirtualPrice')),
    totalSupply: BigInt(field('LpSupply')),
    profit: BigInt(field('XcpProfit')),
    allowedExtraProfit: BigInt(field('AllowedExtraProfit')),
    settled: true,
  }
}

export const curveCrypto =
  (kind: CryptoKind): Adapter =>
  ({ pool }, vector) => {
    const tokens = pool.tokens.map((token: VectorPool) => namedAddress(token.address ?? token.Address))
    const state = stateOf(kind, pool)
    if ((kind === 'two' || kind === 'tri') && losesShareValue(state, tokens, vector)) {
      return 'get_dy and its source quote it, but exchange reverts because of a loss of share value'
    }
    return pairOf<CurveCryptoState>('curve-crypto', tokens, state)
  }

/** True if our output matches but our check of the share value after the swap refuses it. */
function losesShareValue(state: CurveCryptoState, tokens: readonly Address[], vector: Vector): boolean {
  const [i, j] = [vector.tokenIn, vector.tokenOut].map((token) => tokens.indexOf(namedAddress(token)))
  const amountIn = BigInt(vector.amountIn!)
  if (computeOutput(state, i!, j!, amountIn).amountOut !== BigInt(vector.amountOut!)) return false
  try {
    quote(state, i!, j!, amountIn)
    return false
  } catch (error) {
    if (error instanceof PoolRefusal) return true
    throw error
  }
}
