/** Implements `DexFamily` for ERC-4626 vaults. */
import type { DexFamily } from '../../family.ts'
import { linearTrade } from '../common/exact-input.ts'
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

  ...linearTrade('erc4626', { quote, approximateMaxInput, rateOf }),

  // A vault can mint any amount of shares, so it has no reserve of them. The total supply takes the place of a reserve.
  reserves: ({ state }) => [redeemableAssets(state), state.totalSupply],

  takesTaxedInput: false,
  step: poolStep('erc4626'),
}
