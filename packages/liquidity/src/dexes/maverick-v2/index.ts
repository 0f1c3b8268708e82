/**
 * Implements `DexFamily` for Maverick V2 pools. The bins of a pool move with the price, and we have no exact math for
 * these moves. So quotes are interpolated between samples: swaps that are simulated on chain.
 */
import { MaverickV2Lens__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { poolStep } from '../common/pool-step.ts'
import { sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { createdPool, creationTopics, findPools, LENS } from './discover.ts'

/** Maverick V2 pools. */
export const maverickV2: DexFamily<SampledState> = {
  id: 'maverick-v2',
  findPools,
  creationTopics,
  createdPool,
  ...sampledFamily({
    id: 'maverick-v2',
    lens: LENS,
    abi: MaverickV2Lens__factory.createInterface(),
    requestOf: (_row, { address }) => ({ pool: address }),
  }),
  keepsTokens: true,
  step: poolStep('maverick-v2'),
}
