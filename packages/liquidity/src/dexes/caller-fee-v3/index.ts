/** Family of forks of Uniswap V3 whose fee depends on the caller, quoted from samples. */
import { CallerFeeLens__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { isZeroForOne } from '../common/direction.ts'
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
  // The factory's owner sets the fee of each caller. The owner of one such factory is unknown.
  dependsOn: ({ address }) => [address],
  keepsTokens: true,
  step: (pool, tokenIn, tokenOut, inputSource, outputReceiver) => ({
    op: 'uniswap-v3',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input: inputSource,
    output: outputReceiver,
  }),
}
