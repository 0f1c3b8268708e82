import type { Hex } from '@sluice/chains'

/** Hand-assembled targets that try to cost more than they should. */
export const attacks = {
  // JUMPDEST PUSH1 0 JUMP
  'infinite loop': '0x5b600056',
  // Reverts with a million bytes.
  'huge revert': '0x620f42406000fd',
  // Hashes 64 kB over and over: JUMPDEST PUSH3 65536 PUSH1 0 KECCAK256 POP PUSH1 0 JUMP
  'gas bomb': '0x5b6201000060002050600056',
  // CALLER SELFDESTRUCT
  'self-destruct': '0x33ff',
} as const satisfies Record<string, Hex>
