/** Implements `DexFamily` for Aave V3 reserves. */
import type { DexFamily, Pool } from '../../family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { linearTrade } from '../common/exact-input.ts'
import { type AaveV3State, approximateMaxInput, balanceOf, quote } from './math.ts'
import { type AaveV3Fixed, findPools, readStates } from './state.ts'

/** Returns the market that holds a pool's reserve. */
const marketOf = (pool: Pool) => (pool.fixed as AaveV3Fixed).market

/** Aave V3 reserves. A supply exchanges an asset for its aToken, and a withdrawal exchanges it back. */
export const aaveV3: DexFamily<AaveV3State> = {
  id: 'aave-v3',
  payment: { pullsInput: true },
  findPools,
  readStates,
  // The income index grows every second, and loans change the cash.
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'ignore',

  ...linearTrade('aave-v3', {
    quote,
    approximateMaxInput,
    // One base unit of the aToken is worth one base unit of the asset.
    rateOf: () => 1,
  }),

  // The market mints aTokens, so it holds no reserve of them. The total supply of aTokens takes the place of a reserve.
  reserves: ({ state }) => [state.cash, balanceOf(state, state.scaledSupply)],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'aave-v3',
    pool: marketOf(pool),
    supply: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
