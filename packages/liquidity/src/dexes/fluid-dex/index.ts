/** Implements `DexFamily` for Fluid DEX pools. */
import type { DexFamily } from '../../family.ts'
import { sampledCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { approximateMaxInput, quote, reservesInTokens } from './math.ts'
import { findPools, readStates } from './state.ts'
import type { FluidDexState } from './types.ts'

/** Fluid DEX T1 pools. */
export const fluidDex: DexFamily<FluidDexState> = {
  id: 'fluid-dex',
  payment: { pullsInput: true },
  holdsNative: true,
  findPools,
  readStates,
  // Both curves of a pool change with interest, and with other uses of the tokens in Fluid's Liquidity contract.
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',

  quoteExactInput: quoteByDirection('fluid-dex', quote),

  ...sampledCapacity<FluidDexState>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, zeroForOne, amountIn),
      approximateLimit: approximateMaxInput(state, zeroForOne),
      scale: reservesInTokens(state, 'imaginary')[zeroForOne ? 0 : 1]! / 4n,
      feePpm: Number(state.feePpm),
    }
  }),

  reserves: ({ state }) => reservesInTokens(state, 'real'),

  takesTaxedInput: false,
  step: poolStep('fluid-dex'),
}
