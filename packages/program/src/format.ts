/**
 * The byte format that the Executor runs. contracts/src/libraries/Program.sol holds the same table.
 *
 * A program is steps back to back. All numbers are big-endian.
 *
 *     byte 0       opcode
 *     byte 1       flags: bits 0–2 input kind, bits 3–4 output kind, bit 5 zeroForOne, bits 6–7 of the family
 *     amount       by input kind, below
 *     tokenIn      20 bytes, absent where the step pulls: the Guard tells the Executor the sender's input
 *     fields       by opcode, below
 *     address      20 bytes, where the output kind is `address`
 *
 *     input kind   amount
 *     0 rest       none
 *     1 share      3 bytes, from 1
 *     2 held       16 bytes
 *     3 atPool     none
 *     4 pull       16 bytes
 *     5 pullAll    none
 *
 *     opcode              fields
 *     0x01 uniswap-v2     pool 20, feePpm 3
 *     0x02 uniswap-v3     pool 20
 *     0x03 wrap           wrapper 20, and no tokenIn
 *     0x04 unwrap         none: tokenIn is the wrapper
 *     0x05 uniswap-v4     manager 20, hops 1, {tokenOut 20, fee 3, tickSpacing 3, hooks 20 if flag bit 6} × hops
 *     0x06 solidly        pool 20
 *     0x07 curve          variant 1, i 1, j 1, tokenOut 20, pool 20
 *     0x08 balancer-v2    vault 20, hops 1, {poolId 32, tokenOut 20} × hops
 *     0x09 balancer-v3    vault 20, hops 1, {pool 20, tokenOut 20} × hops
 *     0x0a liquidity-book pool 20            bit 5: token X is sold
 *     0x0b erc4626        tokenOut 20        bit 5: deposit
 *     0x0c rate-wrapper   tokenOut 20        bit 5: wrap
 *     0x0d dodo-v2        pool 20            bit 5: the base token is sold
 */

import type { CurveVariant, Step, StepInput, StepOutput } from './step.ts'

/** A share of 1 is this part of what the Executor holds. */
export const SHARE_DENOMINATOR = 16_777_216

export const opcodes = {
  'uniswap-v2': 0x01,
  'uniswap-v3': 0x02,
  wrap: 0x03,
  unwrap: 0x04,
  'uniswap-v4': 0x05,
  solidly: 0x06,
  curve: 0x07,
  'balancer-v2': 0x08,
  'balancer-v3': 0x09,
  'liquidity-book': 0x0a,
  erc4626: 0x0b,
  'rate-wrapper': 0x0c,
  'dodo-v2': 0x0d,
} as const satisfies Record<Step['op'], number>

export const inputKinds = [
  'rest',
  'share',
  'held',
  'atPool',
  'pull',
  'pullAll',
] as const satisfies readonly StepInput['kind'][]
export const outputKinds = ['executor', 'recipient', 'address'] as const satisfies readonly StepOutput['kind'][]

/** Flag bit of steps that have a direction. */
export const DIRECTION = 32
/** Flag bit of a uniswap-v4 step whose hops name their hooks. */
export const HOOKS = 64

/** Families that measure what they were sent, and so can be paid by the step before. */
export const PREPAID_OPS: ReadonlySet<Step['op']> = new Set(['uniswap-v2', 'solidly', 'liquidity-book', 'dodo-v2'])

/** Families whose input may be the native token; it comes with the call and is never pulled. */
export const NATIVE_INPUT_OPS: ReadonlySet<Step['op']> = new Set(['wrap', 'uniswap-v4', 'curve', 'balancer-v2'])

export const curveVariants = [
  'int128',
  'uint256',
  'int128-received',
  'uint256-received',
] as const satisfies readonly CurveVariant[]

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

/** Bytes of the amount that an input kind carries. */
export const amountBytes = { rest: 0, share: 3, held: 16, atPool: 0, pull: 16, pullAll: 0 } as const satisfies Record<
  StepInput['kind'],
  number
>
