/** Test vectors of Curve StableSwap pools. */
import type { CurveStableState } from '../../src/dexes/curve-stable/types.ts'
import { stableInvariant } from '../../src/math/stable-swap.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

const ONE = 10n ** 18n

/** Reads a field under either spelling of the sources. */
const field = (object: VectorPool, name: string) => object?.[name] ?? object?.[name[0]!.toUpperCase() + name.slice(1)]
const addressOf = (token: VectorPool) => namedAddress(field(token, 'address'))

/** Returns the amplification at the source's time, or after the ramp. */
function amplificationAt(extra: VectorPool, timestamp: number | undefined): bigint {
  const [initial, future] = [BigInt(field(extra, 'initialA')), BigInt(field(extra, 'futureA'))]
  const [from, to] = [Number(field(extra, 'initialATime') ?? 0), Number(field(extra, 'futureATime') ?? 0)]
  if (timestamp === undefined || timestamp >= to) return future
  const [elapsed, whole] = [BigInt(timestamp - from), BigInt(to - from)]
  return future > initial
    ? initial + ((future - initial) * elapsed) / whole
    : initial - ((initial - future) * elapsed) / whole
}

function ratesOf(pool: VectorPool): bigint[] {
  const { extra, staticExtra, tokens } = pool
  const rateMultipliers = field(extra, 'rateMultipliers') ?? extra.rates
  if (rateMultipliers) return rateMultipliers.map(BigInt)
  const multipliers = field(staticExtra, 'precisionMultipliers')
  if (multipliers) return multipliers.map((multiplier: string) => BigInt(multiplier) * ONE)
  return tokens.map((token: VectorPool) => 10n ** BigInt(36 - field(token, 'decimals')))
}

function stateOf(pool: VectorPool, rounding: CurveStableState['rounding']): CurveStableState {
  const { extra, staticExtra, tokens, reserves } = pool
  return {
    balances: reserves.slice(0, tokens.length).map(BigInt),
    rates: ratesOf(pool),
    amplification: {
      a: amplificationAt(extra, pool.timestamp),
      precision: BigInt(field(staticExtra, 'aPrecision') ?? 100),
    },
    feeE10: BigInt(field(extra, 'swapFee')),
    adminFeeE10: BigInt(field(extra, 'adminFee')),
    offpegMultiplierE10: BigInt(field(extra, 'offpegFeeMultiplier') ?? 0),
    rounding,
    // For pools with an oracle the source implements `get_dy` of the first such pool.
    margin: staticExtra.oracle ? 0n : 1n,
    feeOrder: 'scaled',
  }
}

export const curveStable =
  (rounding: CurveStableState['rounding'], family = 'curve-stable'): Adapter =>
  ({ pool }) => {
    if (typeof pool.extra === 'string') return 'its ramp depends on the time of the test'
    return pairOf(family, pool.tokens.map(addressOf), stateOf(pool, rounding))
  }

/** Converts pools of lending shares. Their source implements `get_dy`, which takes the fee in base units. */
export const curveLending: Adapter = ({ pool }) =>
  pairOf('curve-stable', pool.tokens.map(addressOf), { ...stateOf(pool, 'each'), margin: 0n, feeOrder: 'base' })

/**
 * Converts pools of a coin and another pool's share. Swaps of the base pool's coins are two hops, as everywhere in this
 * package.
 */
export const curveMeta =
  (rounding: CurveStableState['rounding']): Adapter =>
  ({ pool, basePools }, { tokenIn, tokenOut }) => {
    const tokens = pool.tokens.map(addressOf)
    if (![tokenIn, tokenOut].every((token) => tokens.includes(namedAddress(token))))
      return 'goes through a base pool: two hops here'
    const state = stateOf(pool, rounding)
    if (field(pool.extra, 'rateMultipliers') || !basePools?.[0]) return pairOf('curve-stable', tokens, state)
    const base = basePools[0]
    const { balances, rates, amplification } = stateOf(base, 'each')
    const scaledBalances = balances.map((balance, k) => (balance * rates[k]!) / ONE)
    const price = (stableInvariant(scaledBalances, amplification, 'each') * ONE) / BigInt(base.reserves.at(-1))
    return pairOf('curve-stable', tokens, {
      ...state,
      rates: [BigInt(field(pool.staticExtra, 'rateMultiplier') ?? rates[0]), price],
    })
  }
