/**
 * The part of the byte format that all steps share. FORMAT.md documents the whole format;
 * contracts/src/libraries/Program.sol reads it.
 */
import type { StepInput, StepOutput } from './step.ts'

/** Denominator of shares of the Executor's balance: 2^24. */
export const SHARE_DENOMINATOR = 16_777_216

/** Input kinds, in flag bits 0–2. */
export const inputKinds = [
  'rest',
  'share',
  'held',
  'atPool',
  'pull',
  'pullAll',
] as const satisfies readonly StepInput['kind'][]

/** Output kinds, in flag bits 3–4. */
export const outputKinds = ['executor', 'recipient', 'address'] as const satisfies readonly StepOutput['kind'][]

/** Flag bit 5, for operations with a direction. Bits 6 and 7 are specific to the operation. */
export const DIRECTION = 32

/** Number of bytes that encode the amount (or share) of each input kind. */
export const amountBytes = { rest: 0, share: 3, held: 16, atPool: 0, pull: 16, pullAll: 0 } as const satisfies Record<
  StepInput['kind'],
  number
>
