/** Implements `DexFamily` for the native token's wrapper. */
import { IERC20Supply__factory } from '@sluice/bindings'
import { type DexRow, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { type DexFamily, type Pool, PoolRefusal, type Reads } from '../../family.ts'
import { linearCurve } from '../../math/linear-curve.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import type { WrappedNativeState } from './types.ts'

const erc20 = IERC20Supply__factory.createInterface()

/** The wrapper of the native token, such as WETH. */
export const wrappedNative: DexFamily<WrappedNativeState> = {
  id: 'wrapped-native',
  wrapsNative: true,

  /** Finds the pool of a row, which is the wrapper itself. */
  *findPools({ family, brand, address }: DexRow, pairs): Reads<readonly Pool<null>[]> {
    if (!pairs.some((pair) => pair.includes(address))) return []
    return [{ id: address, family, dex: brand, address, tokens: [ZERO_ADDRESS, address], state: null }]
  },

  *readStates(_row, pools) {
    const answers = yield pools.map(({ address }) => ({
      to: address,
      data: erc20.encodeFunctionData('totalSupply') as Hex,
    }))
    return answers.map((answer) => answer && { supply: erc20.decodeFunctionResult('totalSupply', answer)[0] })
  },

  // The only state is the supply, which bounds unwraps. Its changes are not followed: they are frequent and rarely
  // matter.
  topics: [],
  applyLog: () => 'ignore',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const isWrap = isZeroForOne(pool, tokenIn, tokenOut)
    const { supply } = pool.state
    if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
    if (!isWrap && amountIn > supply) throw new PoolRefusal('TOO_LARGE', `only ${supply} are wrapped`)
    const stateAfter = { supply: isWrap ? supply + amountIn : supply - amountIn }
    return { amountOut: amountIn, state: stateAfter, gas: HOP_GAS['wrapped-native'] }
  },

  maxInput: (pool, tokenIn, tokenOut) => (isZeroForOne(pool, tokenIn, tokenOut) ? null : pool.state.supply),

  priceCurve: (pool, tokenIn, tokenOut) =>
    linearCurve({
      rate: 1,
      maxInput: isZeroForOne(pool, tokenIn, tokenOut) ? null : pool.state.supply,
    }),

  reserves: ({ state }) => [state.supply, state.supply],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) =>
    isZeroForOne(pool, tokenIn, tokenOut)
      ? { op: 'wrap', tokenIn: ZERO_ADDRESS, wrapped: pool.address, input, output }
      : { op: 'unwrap', tokenIn: pool.address, input, output },
}
