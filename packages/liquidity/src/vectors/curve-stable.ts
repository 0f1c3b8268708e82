import type { CurveStableState } from '../dexes/curve-stable/types.ts'
import { stableInvariant } from '../math/stable-swap.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

const ONE = 10n ** 18n

/** A field under either of the spellings that sources use. */
const field = (object: VectorPool, name: string) => object?.[name] ?? object?.[name[0]!.toUpperCase() + name.slice(1)]
const addressOf = (token: VectorPool) => namedAddress(field(token, 'address'))

/** At the source's time, or after a ramp whose time has passed. */
function amplificationAt(extra: VectorPool, timestamp: number | undefined): bigint {
  const [initial, future] = [BigInt(field(extra, 'initialA')), BigInt(field(extra, 'futureA'))]
  const [from, to] = [Number(field(extra, 'initialATime') ?? 0), Number(field(extra, 'futureATime') ?? 0)]
  if (timestamp === undefined || timestamp >= to) return future
  const [passed, whole] = [BigInt(timestamp - from), BigInt(to - from)]
  return future > initial
    ? initial + ((future - initial) * passed) / whole
    : initial - ((initial - future) * passed) / whole
}

function ratesOf(pool: VectorPool): bigint[] {
  const { extra, staticExtra, tokens } = pool
  const given = field(extra, 'rateMultipliers') ?? extra.rates
  if (given) return given.map(BigInt)
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
    // The source quotes pools with an oracle as `get_dy` of the first of them does.
    margin: staticExtra.oracle ? 0n : 1n,
    feeOrder: 'scaled',
  }
}

export const curveStable =
  (rounding: CurveStableState['rounding']): Adapter =>
  ({ pool }) => {
    if (typeof pool.extra === 'string') return 'its ramp runs at the time of the test'
    return pairOf('curve-stable', pool.tokens.map(addressOf), stateOf(pool, rounding))
  }

/** Pools of shares of a lending protocol; their source quotes `get_dy`, which takes the fee in base units. */
export const curveLending: Adapter = ({ pool }) =>
  pairOf('curve-stable', pool.tokens.map(addressOf), { ...stateOf(pool, 'each'), margin: 0n, feeOrder: 'base' })

/** Pools of a coin and another pool's share. Swaps of the coins below are two hops, as everywhere in this package. */
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
    const scaled = balances.map((balance, k) => (balance * rates[k]!) / ONE)
    const price = (stableInvariant(scaled, amplification, 'each') * ONE) / BigInt(base.reserves.at(-1))
    return pairOf('curve-stable', tokens, {
      ...state,
      rates: [BigInt(field(pool.staticExtra, 'rateMultiplier') ?? rates[0]), price],
    })
  }
