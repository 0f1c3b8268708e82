/** Family of ERC-4626 vaults. */
import type { DexFamily } from '../../family.ts'
import { linearCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { approximateMaxInput, type Erc4626State, quote, rateOf, redeemableAssets } from './math.ts'
import { applyLog, findPools, readFixed, readStates, topics } from './state.ts'

/** ERC-4626 vaults, which exchange an asset for their shares (deposit) and back (redemption). */
export const erc4626: DexFamily<Erc4626State> = {
  id: 'erc4626',
  payment: { pullsInput: true },
  rowsAreTokens: true,
  findPools,
  readFixed,
  statesNeedFixedFacts: true,
  readStates,
  dependsOn: ({ address }) => [address],
  topics,
  applyLog,
  // The share price changes with time, and when anyone sends assets to the vault.
  refreshStates: readStates,

  quoteExactInput: quoteByDirection('erc4626', quote),

  ...linearCapacity<Erc4626State>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const isDeposit = isZeroForOne(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, isDeposit, amountIn),
      approximateLimit: approximateMaxInput(state, isDeposit),
      rate: rateOf(state, isDeposit),
    }
  }),

  // A vault can mint any amount of shares. Its total supply counts as the reserve of shares.
  reserves: ({ state }) => [redeemableAssets(state), state.totalSupply],

  takesTaxedInput: false,
  step: poolStep('erc4626'),
}
