import type { DexFamily } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { quote } from './math.ts'
import { applyLog, createdPool, creationTopics, findPools, readStates, topics } from './state.ts'
import type { KyberClassicState } from './types.ts'

const GAS = gasRow('kyber-classic').hop
/** Units in a millionth of a fee of 18 decimals. */
const PER_PPM = 1e12

export const kyberClassic: DexFamily<KyberClassicState> = {
  id: 'kyber-classic',
  findPools,
  readStates,
  // The fee follows the volume of past blocks, and moves at each block that passes.
  refreshStates: readStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
    gas: GAS,
  }),

  // As if the virtual reserves were there in full: what the pair does not hold, quotes refuse.
  priceCurve(pool, tokenIn, tokenOut) {
    const { virtual0, virtual1, fee } = pool.state
    const [virtualIn, virtualOut] = isZeroForOne(pool, tokenIn, tokenOut) ? [virtual0, virtual1] : [virtual1, virtual0]
    return constantProductCurve(virtualIn, virtualOut, Number(fee) / PER_PPM)
  },

  reserves: ({ state }) => [state.reserve0, state.reserve1],

  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'kyber-classic',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}
