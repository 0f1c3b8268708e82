/**
 * Implements `DexFamily` for forks of Uniswap V3 in which the fee depends on the caller. Quotes are interpolated
 * between samples: swaps that are simulated on chain.
 */
import { CallerFeeLens__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { poolStep } from '../common/pool-step.ts'
import { sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { createdPool, creationTopics, findPools, rowsOf } from './discover.ts'

/** SyncSwap range pools, and pools of other factories that set fees by caller. */
export const callerFeeV3: DexFamily<SampledState> = {
  id: 'caller-fee-v3',
  rowsOf,
  findPools,
  creationTopics,
  createdPool,
  ...sampledFamily({
    id: 'caller-fee-v3',
    lens: lensOf('CallerFeeLens'),
    abi: CallerFeeLens__factory.createInterface(),
    requestOf: (_row, { address }) => ({ pool: address }),
  }),
  // The owner of the factory sets the fee of each caller. One of the factories has an unknown owner, so no pool is
  // trusted.
  dependsOn: ({ address }) => [address],
  keepsTokens: true,
  step: poolStep('uniswap-v3'),
}
