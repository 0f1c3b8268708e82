/** Operation of the Executor (the swap contract) for family `uniswap-v3`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

/** Swaps in any pool that requests its input in a swap callback. The function name of the callback may differ. */
export const uniswapV3 = defineOp(
  {
    name: 'uniswap-v3',
    title: 'Concentrated pool',
    mechanism: 'concentrated',
    code: 0x02,
    fields: { pool: address },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
    families: [
      'uniswap-v3',
      'pancake-v3',
      'slipstream',
      'ramses-cl',
      'solidly-v3',
      'algebra-v1',
      'algebra-integral',
      'algebra',
      'caller-fee-v3',
    ],
    salts: { 'uniswap-v3': 'uniswap-v3', 'pancake-v3': 'uniswap-v3' },
  },
  tradeWithUnknownOutput,
)
