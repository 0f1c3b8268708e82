/** Program operation of the Curve families: how its step is encoded, and which pools it trades with. */
import { address, uint } from './fields.ts'
import { defineOp } from './op.ts'

/** Swaps between two coins by index; the zero address is native. */
export const curve = defineOp(
  {
    name: 'curve',
    title: 'Curve pool',
    mechanism: 'stable',
    code: 0x07,
    fields: {
      // Index type of `exchange`; `received` calls exchange_received, which requires the input in the pool first.
      variant: { kind: 'choice', choices: ['int128', 'uint256', 'int128-received', 'uint256-received'] },
      i: uint(1),
      j: uint(1),
      tokenOut: address,
      pool: address,
    },
    native: 'also',
    families: ['curve-stable', 'curve-stable-sampled', 'curve-crypto', 'curve-crypto-sampled', 'pancake-stable'],
  },
  ({ pool, tokenIn, tokenOut }) => [{ pool, tokenIn, tokenOut }],
)
