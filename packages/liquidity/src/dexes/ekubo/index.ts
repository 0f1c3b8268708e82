/** Family of Ekubo pools. */
import type { Address } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { pathOfTicks, withConsistentState } from '../common/consistent-state.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { decodeConfig, keyOf } from './config.ts'
import { curveOf, reservesOf } from './curve.ts'
import { createdPool, creationTopics, findPools, provePools, rowsOf } from './discover.ts'
import { maxInput, swapExactInput } from './math.ts'
import { applyLog, poolIdOf, readStates, refreshStates, topics } from './state.ts'
import type { EkuboState } from './types.ts'

const { hop, piece } = gasRow('ekubo')
/** Measured gas of a step through a bitmap word without initialized ticks: a storage load and a loop iteration. */
const WORD_GAS = 9_400

/** Returns the accounts on which the quotes of the sampled twin depend: the extension of the pool. */
export const extensionsOf = (pool: Pool): readonly Address[] => [decodeConfig(keyOf(pool).config)!.extension]

const uncheckedFamily: DexFamily<EkuboState> = {
  id: 'ekubo',
  rowsOf,
  holdsNative: true,
  findPools,
  readStates,
  refreshStates,
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  topics,
  poolIdOf,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const config = decodeConfig(keyOf(pool).config)!
    const swap = swapExactInput(pool.state, config, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    const { amountOut, state, ticksCrossed, wordsWalked } = swap
    return { amountOut, state, gas: hop + piece * ticksCrossed + WORD_GAS * wordsWalked }
  },

  maxInput: (pool, tokenIn, tokenOut) =>
    maxInput(pool.state, decodeConfig(keyOf(pool).config)!, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve: (pool, tokenIn, tokenOut) => ({
    ...curveOf(pool.state, decodeConfig(keyOf(pool).config)!, isZeroForOne(pool, tokenIn, tokenOut)),
    gasPerPiece: piece,
  }),

  reserves: (pool) => reservesOf(pool.state, decodeConfig(keyOf(pool).config)!),

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, inputSource, outputReceiver) => ({
    op: 'ekubo',
    core: pool.address,
    hops: [{ tokenOut, config: keyOf(pool).config }],
    tokenIn,
    input: inputSource,
    output: outputReceiver,
  }),
}

/** Ekubo pools without extensions. Refuses states that contradict themselves. */
export const ekubo: DexFamily<EkuboState> = withConsistentState<EkuboState, DexFamily<EkuboState>>(
  uncheckedFamily,
  ({ state }) => pathOfTicks(state.liquidity, state.tick, state.ticks),
)
