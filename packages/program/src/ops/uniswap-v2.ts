/** Operation of the Executor (the swap contract) for family `uniswap-v2`: encoding and trades of its step. */
import { address, uint } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const uniswapV2 = defineOp(
  {
    name: 'uniswap-v2',
    title: 'Constant-product pool',
    mechanism: 'product',
    code: 0x01,
    fields: { pool: address, feePpm: uint(3) },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
    canBePrepaid: true,
    families: ['uniswap-v2', 'echodex'],
    salts: { 'uniswap-v2': 'uniswap-v2' },
  },
  tradeWithUnknownOutput,
)
