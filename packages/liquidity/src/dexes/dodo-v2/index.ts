import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { isFixed, readFixed } from './kind.ts'
import { readStates, topics } from './state.ts'
import { trade } from './trade.ts'
import type { DodoV2Fixed, DodoV2State } from './types.ts'

export const dodoV2: DexFamily<DodoV2State> = {
  id: 'dodo-v2',
  findPools,
  readFixed,
  readStates,
  // Whoever made a pool of another kind may set its price and fee anew.
  dependsOn: ({ address, fixed }) => (isFixed((fixed as DodoV2Fixed | undefined)?.kind) ? [] : [address]),
  creationTopics,
  createdPool,
  // Owners and oracles move the price without a log.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput: quoteByDirection('dodo-v2', trade),

  priceCurve(pool, tokenIn, tokenOut) {
    const sellBase = isZeroForOne(pool, tokenIn, tokenOut)
    const { base, quote, price } = pool.state
    // What buys up the other side at the pool's own price, or what it holds, whichever is more.
    const scale = sellBase ? max(base, (quote * 10n ** 18n) / price) : max(quote, (base * price) / 10n ** 18n)
    return sampledCurve((amountIn) => trade(pool.state, sellBase, amountIn).amountOut, max(scale, 1n), 0)
  },

  reserves: ({ state }) => [state.base, state.quote],

  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'dodo-v2',
    pool: pool.address,
    sellBase: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}

const max = (a: bigint, b: bigint) => (a > b ? a : b)
