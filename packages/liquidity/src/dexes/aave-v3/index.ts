/** Family of Aave V3 reserves. */
import type { DexFamily, Pool } from '../../family.ts'
import { linearCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { type AaveV3State, approximateMaxInput, balanceOf, quote } from './math.ts'
import { type AaveV3Fixed, findPools, readStates } from './state.ts'

const GAS = gasRow('aave-v3').hop

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

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
    gas: GAS,
  }),

  ...linearCapacity<AaveV3State>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const isSupply = isZeroForOne(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, isSupply, amountIn),
      approximateLimit: approximateMaxInput(state, isSupply),
      // One base unit of the aToken is worth one base unit of the asset.
      rate: 1,
    }
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
