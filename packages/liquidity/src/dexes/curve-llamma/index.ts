/**
 * Implements `DexFamily` for Curve's lending AMMs (LLAMMA), in which crvUSD and LlamaLend convert the collateral of
 * loans. An oracle moves the whole curve of a pool without a log. So the pools are quoted from samples: swaps that are
 * simulated at every block.
 */
import { LlammaLens__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { curveStep } from '../common/curve-family.ts'
import { sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { findPools, LENS, type LlammaFixed } from './discover.ts'

/** Gas limit of all samples of a pool in one direction: 15 quotes of 400,000 gas, each over several price bands. */
const DIRECTION_GAS = 6_000_000

/** Pools of crvUSD and LlamaLend. */
export const curveLlamma: DexFamily<SampledState> = {
  id: 'curve-llamma',
  payment: { pullsInput: true, forwardsOutput: true },
  findPools,
  ...sampledFamily({
    id: 'curve-llamma',
    lens: LENS,
    directionGas: DIRECTION_GAS,
    abi: LlammaLens__factory.createInterface(),
    requestOf: (_row, { address }) => ({ pool: address }),
  }),
  // Anyone can create a market of LlamaLend, with any oracle.
  dependsOn: ({ address, fixed }) => ((fixed as LlammaFixed | undefined)?.isGoverned ? [] : [address]),
  step: curveStep('uint256'),
}
