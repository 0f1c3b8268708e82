/**
 * Implements `DexFamily` for proprietary AMMs, whose market makers set all prices. Quotes are interpolated between
 * samples: quotes that the AMM itself returned.
 */
import type { DexFamily } from '../../family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { poolStep } from '../common/pool-step.ts'
import { curveOf, maxInput, quote } from './math.ts'
import { findPools, readStates, rowsOf } from './state.ts'
import type { PropAmmState } from './types.ts'

const { hop: hopGas } = gasRow('prop-amm')

/** Proprietary AMMs. Includes only those whose swaps, when measured, paid what the AMM had quoted. */
export const propAmm: DexFamily<PropAmmState> = {
  id: 'prop-amm',
  rowsOf,
  findPools,
  readStates,
  // Market makers change prices at any time, and each AMM has other logs. So pools are read again at every block.
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',

  // The market makers control all quotes.
  dependsOn: ({ address }) => [address],

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1, amountIn),
    gas: hopGas,
  }),

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1),
  priceCurve: (pool, tokenIn, tokenOut) => curveOf(pool.state, isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1),

  reserves: ({ state: { samples } }) => [samples[1].at(-1)?.[1] ?? 0n, samples[0].at(-1)?.[1] ?? 0n],

  takesTaxedInput: true,
  step: poolStep('prop-amm'),
}
