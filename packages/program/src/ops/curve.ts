/** Operation of the Executor (the swap contract) for the Curve families: encoding and trades of its step. */
import { address, uint } from './fields.ts'
import { defineOp } from './op.ts'

/** Swaps between two coins of a pool by their indices. Token address zero is the native token. */
export const curve = defineOp(
  {
    name: 'curve',
    title: 'Curve pool',
    mechanism: 'stable',
    code: 0x07,
    fields: {
      // Type of the indices in the pool's ABI. The `-received` variants call `exchange_received`, so they first send the
      // input to the pool. `uint8` calls `swap`, as pools of Saddle do.
      variant: { kind: 'choice', choices: ['int128', 'uint256', 'int128-received', 'uint256-received', 'uint8'] },
      i: uint(1),
      j: uint(1),
      tokenOut: address,
      pool: address,
    },
    native: 'also',
    families: [
      ...(['curve-stable', 'curve-stable-sampled', 'curve-crypto', 'curve-crypto-sampled', 'curve-llamma'] as const),
      ...(['pancake-stable', 'saddle', 'saddle-sampled'] as const),
    ],
  },
  ({ pool, tokenIn, tokenOut }) => [{ pool, tokenIn, tokenOut }],
)
