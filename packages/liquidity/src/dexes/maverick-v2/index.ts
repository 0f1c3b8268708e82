/**
 * Family of Maverick V2 pools. Their bins move with the price, and no formula here reproduces the moves. So pools are
 * quoted from samples.
 */
import { MaverickV2Lens__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { createdPool, creationTopics, findPools, LENS } from './discover.ts'

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
  step: (pool, tokenIn, tokenOut, inputSource, outputReceiver) => ({
    op: 'maverick-v2',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input: inputSource,
    output: outputReceiver,
  }),
}
