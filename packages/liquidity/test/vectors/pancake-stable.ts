/** Test vectors of PancakeSwap stable pools. */
import type { Address } from '@sluice/chains'
import type { CurveStableState } from '../../src/dexes/curve-stable/types.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf, swapsAndSequence } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const PLAIN_FEE = 0n

const stateOf = (from: VectorPool): CurveStableState => ({
  balances: from.coins.map(({ balance }: VectorPool) => BigInt(balance)),
  rates: from.coins.map(({ rate }: VectorPool) => BigInt(rate)),
  amplification: { a: BigInt(from.A), precision: 1n },
  feeE10: BigInt(from.fee),
  adminFeeE10: BigInt(from.admin_fee),
  offpegMultiplierE10: PLAIN_FEE,
  rounding: 'each',
  margin: 1n,
  feeOrder: 'scaled',
})

/** Converts results of `exchange` from one state, and sequences with the balances after each. */
export const pancakeStableForm: VectorForm = ({ states }) => states.flatMap(swapsAndSequence(question))

function question(from: VectorPool, name: string, swap: VectorPool) {
  const tokens = from.coins.map((_: unknown, k: number): Address => namedAddress(`coin${k}`))
  return {
    label: `${swap.dx} of coin ${swap.i} for coin ${swap.j}: ${name}`,
    pool: pairOf('pancake-stable', tokens, stateOf(from)),
    tokenIn: tokens[swap.i],
    tokenOut: tokens[swap.j],
    amountIn: BigInt(swap.dx),
    amountOut: BigInt(swap.dy),
    after: (state: unknown) => {
      if (!swap.after) return undefined
      const balances = (list: readonly unknown[]) => Object.fromEntries(list.map((balance, k) => [k, balance]))
      const theirs = swap.after.coins.map(({ balance }: VectorPool) => balance)
      return differences(balances((state as CurveStableState).balances) as Record<string, bigint>, balances(theirs))
    },
  }
}
