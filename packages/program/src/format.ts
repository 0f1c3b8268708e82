/**
 * The byte format that the Executor runs. contracts/src/libraries/Program.sol holds the same table.
 *
 * A program is steps back to back. All numbers are big-endian.
 *
 *     byte 0       opcode
 *     byte 1       flags: bits 0–2 input kind, bits 3–4 output kind, bit 5 zeroForOne, bits 6–7 of the family
 *     amount       by input kind, below
 *     fields       by opcode, in `fields`
 *     recipient    20 bytes, where the output kind is `address`
 *
 *     input kind   amount
 *     0 rest       none
 *     1 share      3 bytes, from 1
 *     2 held       16 bytes
 *     3 pull       16 bytes
 *     4 pullRest   none
 *     5 atPool     none
 */

import type { Step, StepInput, StepOutput } from './step.ts'

/** A share of 1 is this part of what the Executor holds. */
export const SHARE_DENOMINATOR = 16_777_216

export const opcodes = {
  'uniswap-v2': 0x01,
  'uniswap-v3': 0x02,
  wrap: 0x03,
  unwrap: 0x04,
} as const satisfies Record<Step['op'], number>

export const inputKinds = [
  'rest',
  'share',
  'held',
  'pull',
  'pullRest',
  'atPool',
] as const satisfies readonly StepInput['kind'][]
export const outputKinds = ['executor', 'guard', 'address'] as const satisfies readonly StepOutput['kind'][]

/** Flag bit of steps that have a direction: token 0 is sold. */
export const ZERO_FOR_ONE = 32

/** Bytes of the amount that an input kind carries. */
export const amountBytes = { rest: 0, share: 3, held: 16, pull: 16, pullRest: 0, atPool: 0 } as const satisfies Record<
  StepInput['kind'],
  number
>
