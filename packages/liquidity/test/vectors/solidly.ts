/** Test vectors of Solidly. */
import type { SolidlyState } from '../../src/math/solidly.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

/** Converts a pool of another program. */
export const solidly: Adapter = ({ source, pool }) => {
  const [tokens, state] = source === 'entity' ? entity(pool) : simulator(pool)
  return pairOf('solidly', tokens.map(namedAddress), state)
}

function entity(pool: VectorPool): [string[], SolidlyState] {
  const [a, b] = pool.tokens
  const unit = (token: VectorPool) => 10n ** BigInt(token.decimals ?? token.Decimals)
  const state = {
    reserve0: BigInt(pool.reserves[0]),
    reserve1: BigInt(pool.reserves[1]),
    unit0: unit(a),
    unit1: unit(b),
    stable: pool.staticExtra.stable,
    feePpm: Math.round(pool.swapFee * 1e6),
  }
  return [[a.address ?? a.Address, b.address ?? b.Address], state]
}

function simulator(pool: VectorPool): [string[], SolidlyState] {
  const { Tokens, Reserves } = pool.Pool.Info
  const [unit0, unit1] = pool.decimals ?? [pool.decimals0, pool.decimals1]
  const state = {
    reserve0: BigInt(Reserves[0]),
    reserve1: BigInt(Reserves[1]),
    unit0: BigInt(unit0),
    unit1: BigInt(unit1),
    stable: pool.stable,
    feePpm: (pool.fee * 1_000_000) / pool.feePrecision,
  }
  return [Tokens, state]
}
