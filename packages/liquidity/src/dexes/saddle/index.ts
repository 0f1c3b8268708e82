/** Implements `DexFamily` for pools of Saddle and its forks. */
import type { DexFamily } from '../../family.ts'
import { curveFamily } from '../common/curve-family.ts'
import { HOP_GAS } from '../common/gas.ts'
import { approximateMaxInput, inputFor, quote, tradingFunction } from '../curve-stable/math.ts'
import type { CurveStableState } from '../curve-stable/types.ts'
import { applyLog, findPools, READ_GAS, readStates, topics } from './state.ts'

/** Pools of Saddle and its forks: Curve's StableSwap in Solidity. Each row of a chain's file is one pool. */
export const saddle: DexFamily<CurveStableState> = {
  id: 'saddle',
  payment: { pullsInput: true, forwardsOutput: true, lockSlots: 1 },
  findPools,
  readStates,
  refreshStates: readStates,
  // Two parameters change without a log: the amplification during a ramp, and the rate of a coin that is a share of
  // another pool. All other changes have logs.
  parameterGas: ({ state }) => (state.ramping || state.feeOrder === 'share' ? READ_GAS : 0),
  topics,
  applyLog,

  ...curveFamily({
    gas: HOP_GAS.saddle,
    variant: 'uint8',
    quote,
    approximateMaxInput,
    inputFor,
    tradingFunction,
  }),
  // The pools have no price average.
  oracleGas: 0,
}
