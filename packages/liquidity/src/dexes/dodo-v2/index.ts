/** Implements `DexFamily` for DODO V2 pools. */
import type { DexFamily } from '../../family.ts'
import { max } from '../../math/integers.ts'
import { sampledCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { isImmutableKind, readFixed } from './kind.ts'
import { readStates, topics } from './state.ts'
import { approximateMaxInput, trade } from './trade.ts'
import type { DodoV2Fixed, DodoV2State } from './types.ts'

/** DODO V2 pools: DVM, DPP, DSP, and GSP. */
export const dodoV2: DexFamily<DodoV2State> = {
  id: 'dodo-v2',
  payment: { lockSlots: 1 },
  findPools,
  readFixed,
  readStates,
  // The creator of a pool can change its price, so no such pool is trusted: it depends on itself. In pools of immutable
  // kinds, the creator has no such right.
  dependsOn: ({ address, fixed }) => (isImmutableKind((fixed as DodoV2Fixed | undefined)?.kind) ? [] : [address]),
  creationTopics,
  createdPool,
  // Creators and oracles change the price without a log.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput: quoteByDirection('dodo-v2', trade),

  ...sampledCapacity<DodoV2State>((pool, tokenIn, tokenOut) => {
    const sellsBase = isZeroForOne(pool, tokenIn, tokenOut)
    const { base: baseReserve, quote: quoteReserve, price } = pool.state
    return {
      quote: (amountIn) => trade(pool.state, sellsBase, amountIn),
      approximateLimit: approximateMaxInput(pool.state, sellsBase),
      // The input reserve may be small or zero. So use the input that would buy the whole other reserve at the pool's
      // price, if it is larger.
      scale: sellsBase
        ? max(baseReserve, price > 0n ? (quoteReserve * 10n ** 18n) / price : 0n)
        : max(quoteReserve, (baseReserve * price) / 10n ** 18n),
      // Zero, because the samples of the curve contain the fee.
      feePpm: 0,
    }
  }),

  reserves: ({ state }) => [state.base, state.quote],

  takesTaxedInput: true,
  step: poolStep('dodo-v2'),
}
