/**
 * Implements `DexFamily` for Uniswap V4 pools whose hook takes part in swaps. Quotes are interpolated between samples:
 * swaps that are simulated on chain.
 */
import { UniswapV4HookLens__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { createdHookPool, creationTopics, proveHookPools } from '../uniswap-v4/discover.ts'
import { keyOf } from '../uniswap-v4/state.ts'

/** Uniswap V4 pools whose hook takes part in swaps. */
export const uniswapV4Hooks: DexFamily<SampledState> = {
  id: 'uniswap-v4-hooks',
  holdsNative: true,
  // These pools have a brand of their own. So a caller who selects the DEX by brand does not also accept unknown hooks.
  rowsOf: (row) => (row.family === 'uniswap-v4' ? [{ ...row, brand: `${row.brand} hooks` }] : []),
  // A pool's id is a hash that includes the hook. So ids cannot be computed from a token pair alone.
  listedByLogs: true,
  creationTopics,
  createdPool: createdHookPool,
  provePools: proveHookPools,
  dependsOn: (pool) => [keyOf(pool).hooks],
  ...sampledFamily({
    id: 'uniswap-v4-hooks',
    lens: lensOf('UniswapV4HookLens'),
    abi: UniswapV4HookLens__factory.createInterface(),
    requestOf: ({ address: manager }, pool) => {
      const [currency0, currency1] = pool.tokens
      return { manager, key: { currency0, currency1, ...keyOf(pool) } }
    },
  }),
  step(pool, tokenIn, tokenOut, input, output) {
    return { op: 'uniswap-v4', manager: pool.address, hops: [{ tokenOut, ...keyOf(pool) }], tokenIn, input, output }
  },
}
