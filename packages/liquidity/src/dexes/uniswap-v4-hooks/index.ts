/** Uniswap V4 pools whose hook takes part in swaps, quoted from samples. */
import { UniswapV4HookLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { DIRECTION_GAS, SAMPLE_GAS, type SampleAmounts, sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { createdHookPool, creationTopics, proveHookPools } from '../uniswap-v4/discover.ts'
import { keyOf } from '../uniswap-v4/state.ts'

const LENS = lensOf('UniswapV4HookLens')
const lens = UniswapV4HookLens__factory.createInterface()

export const uniswapV4Hooks: DexFamily<SampledState> = {
  id: 'uniswap-v4-hooks',
  holdsNative: true,
  // A separate brand, so that a caller who selects the DEX by brand does not also accept the code of hooks.
  rowsOf: (row) => (row.family === 'uniswap-v4' ? [{ ...row, brand: `${row.brand} hooks` }] : []),
  // The hook is part of a pool's id, so pool ids cannot be computed from a token pair.
  *findPools() {
    yield []
    return []
  },
  listedByLogs: true,
  creationTopics,
  createdPool: createdHookPool,
  provePools: proveHookPools,
  dependsOn: (pool) => [keyOf(pool).hooks],
  ...sampledFamily({ id: 'uniswap-v4-hooks', readOf, decode }),
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v4',
    manager: pool.address,
    hops: [{ tokenOut, ...keyOf(pool) }],
    tokenIn,
    input,
    output,
  }),
}

function readOf(row: DexRow, pool: Pool<unknown>, [amounts0, amounts1]: SampleAmounts) {
  const [currency0, currency1] = pool.tokens
  const request = {
    manager: row.address,
    key: { currency0: currency0!, currency1: currency1!, ...keyOf(pool) },
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
