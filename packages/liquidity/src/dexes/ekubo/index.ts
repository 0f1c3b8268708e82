/** Implements `DexFamily` for Ekubo pools. */
import type { Address } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { pathOfTicks, withConsistentState } from '../common/consistent-state.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { configOfPool, keyOf, V2_ID, versionOf } from './config.ts'
import { curveOf, reservesOf } from './curve.ts'
import { createdPool, creationTopics, findPools, provePools, rowsOf, rowsOfV2 } from './discover.ts'
import { maxInput, swapExactInput } from './math.ts'
import { applyLog, applyV2Log, poolIdOf, readStates, refreshStates, topics, v2Topics } from './state.ts'
import type { EkuboState } from './types.ts'

/** Gas of the families, by core version. */
const GAS_ROWS = { 2: gasRow(V2_ID), 3: gasRow('ekubo') } as const
/** Returns the gas of swaps in a pool. */
const gasRowOf = ({ family }: Pool<unknown>) => GAS_ROWS[versionOf(family)]
/** Measured gas of a step through a bitmap word without initialized ticks: a storage load and a loop iteration. */
const WORD_GAS = 9_400

/**
 * Returns the account that controls quotes of the sampled twin (the family for pools with an extension): the extension.
 */
export const extensionsOf = (pool: Pool): readonly Address[] => [configOfPool(pool).extension]

/** Members that both versions share. */
const sharedMembers = {
  holdsNative: true,
  findPools,
  readStates,
  refreshStates,
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  poolIdOf,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const config = configOfPool(pool)
    const swap = swapExactInput(pool.state, config, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    const { amountOut, state, ticksCrossed, wordsWalked } = swap
    const { hop: hopGas, piece: pieceGas } = gasRowOf(pool)
    return { amountOut, state, gas: hopGas + pieceGas * ticksCrossed + WORD_GAS * wordsWalked }
  },

  maxInput: (pool, tokenIn, tokenOut) =>
    maxInput(pool.state, configOfPool(pool), isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve: (pool, tokenIn, tokenOut) => ({
    ...curveOf(pool.state, configOfPool(pool), isZeroForOne(pool, tokenIn, tokenOut)),
    gasPerPiece: gasRowOf(pool).piece,
  }),

  reserves: (pool) => reservesOf(pool.state, configOfPool(pool)),

  takesTaxedInput: false,
  step(pool, tokenIn, tokenOut, input, output) {
    return { op: 'ekubo', core: pool.address, hops: [{ tokenOut, config: keyOf(pool).config }], tokenIn, input, output }
  },
} satisfies Partial<DexFamily<EkuboState>>

/** Returns a family that refuses states in which liquidity would be negative. */
const withConsistency = (family: DexFamily<EkuboState>): DexFamily<EkuboState> =>
  withConsistentState<EkuboState, DexFamily<EkuboState>>(family, ({ state }) =>
    pathOfTicks(state.liquidity, state.tick, state.ticks),
  )

/** Ekubo pools of version 3 without extensions. */
export const ekubo: DexFamily<EkuboState> = withConsistency({ ...sharedMembers, id: 'ekubo', rowsOf, topics, applyLog })

/** Ekubo pools of version 2 without extensions. Only the interface and storage of the core differ from version 3. */
export const ekuboV2: DexFamily<EkuboState> = withConsistency({
  ...sharedMembers,
  ...{ id: V2_ID, rowsOf: rowsOfV2, topics: v2Topics, applyLog: applyV2Log },
})
