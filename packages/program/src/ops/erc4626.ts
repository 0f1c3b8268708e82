/** Operation of the Executor (the swap contract) for family `erc4626`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp } from './op.ts'

/** Deposits the asset into the vault `tokenOut`, or redeems shares of the vault `tokenIn`. */
export const erc4626 = defineOp(
  {
    name: 'erc4626',
    title: 'Vault of shares',
    mechanism: 'wrap',
    code: 0x0b,
    families: ['erc4626', 'erc4626-sampled'],
    fields: { tokenOut: address },
    direction: { name: 'deposit', meaning: 'deposit, else redemption' },
  },
  ({ deposit, tokenIn, tokenOut }) => [{ pool: deposit ? tokenOut : tokenIn, tokenIn, tokenOut }],
)
