/** Family of forks of Uniswap V3 whose fee depends on the caller, quoted from samples. */
import { CallerFeeLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { isZeroForOne } from '../common/direction.ts'
import { DIRECTION_GAS, SAMPLE_GAS, type SampleAmounts, sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { createdPool, creationTopics, findPools, rowsOf } from './discover.ts'

const LENS = lensOf('CallerFeeLens')
const lens = CallerFeeLens__factory.createInterface()

/** SyncSwap range pools, and pools of other factories that set fees by caller. */
export const callerFeeV3: DexFamily<SampledState> = {
  id: 'caller-fee-v3',
  rowsOf,
  findPools,
  creationTopics,
  createdPool,
  ...sampledFamily({ id: 'caller-fee-v3', readOf, decode }),
  // The factory's owner sets the fee of each caller, and of one factory nothing public names the owner.
  dependsOn: ({ address }) => [address],
  keepsTokens: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v3',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}

function readOf(_row: DexRow, pool: Pool<unknown>, [amounts0, amounts1]: SampleAmounts) {
  const request = {
    pool: pool.address,
    amounts0: [...amounts0],
    amounts1: [...amounts1],
    gasEach: SAMPLE_GAS,
    gasAll: DIRECTION_GAS,
  }
  return { ...LENS, data: lens.encodeFunctionData('sample', [request]) as Hex }
}

function decode(answer: Hex) {
  const { outputs0, outputs1, stamp } = lens.decodeFunctionResult('sample', answer)
  return { outputs: [[...outputs0], [...outputs1]] as const, stamp }
}
