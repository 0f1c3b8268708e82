import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { type Erc4626State, quote } from './math.ts'
import { applyLog, findPools, readStates, topics } from './state.ts'

export const erc4626: DexFamily<Erc4626State> = {
  id: 'erc4626',
  rowsAreTokens: true,
  findPools,
  readStates,
  dependsOn: ({ address }) => [address],
  topics,
  applyLog,
  // A share earns as time goes by, or by assets that are sent to the vault.
  refreshStates: readStates,

  quoteExactInput: quoteByDirection('erc4626', quote),

  priceCurve(pool, tokenIn, tokenOut) {
    const deposit = isZeroForOne(pool, tokenIn, tokenOut)
    const { totalAssets, totalSupply } = pool.state
    return sampledCurve(
      (amountIn) => quote(pool.state, deposit, amountIn).amountOut,
      deposit ? totalAssets : totalSupply,
      0,
    )
  },

  /** Amount that can be redeemed now, whatever the vault counts as its assets; shares can always be made, those that exist count. */
  reserves: ({ state: { totalAssets, totalSupply, cash } }) => [min(cash, totalAssets), totalSupply],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'erc4626',
    deposit: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
