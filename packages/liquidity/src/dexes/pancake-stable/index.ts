/** Implements `DexFamily` for PancakeSwap stable pools. They have the math of Curve StableSwap pools. */
import type { DexFamily } from '../../family.ts'
import { curveFamily } from '../common/curve-family.ts'
import { gasRow } from '../common/gas.ts'
import { approximateMaxInput, quote, tradingFunction } from '../curve-stable/math.ts'
import type { CurveStableState } from '../curve-stable/types.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { applyLog, readStates, refreshStates, topics } from './state.ts'

/** PancakeSwap stable pools. */
export const pancakeStable: DexFamily<CurveStableState> = {
  id: 'pancake-stable',
  holdsNative: true,
  payment: { pullsInput: true, forwardsOutput: true, lockSlots: 1 },
  findPools,
  readStates,
  refreshStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  ...curveFamily({
    gas: gasRow('pancake-stable').hop,
    variant: 'uint256',
    quote,
    approximateMaxInput,
    tradingFunction,
  }),
}
