/** The part of the byte format that all steps share. FORMAT.md shows the whole; contracts/src/libraries/Program.sol reads it. */
import type { StepInput, StepOutput } from './step.ts'

/** A share of 1 is this part of what the Executor holds. */
export const SHARE_DENOMINATOR = 16_777_216

/** Flag bits 0–2. */
export const inputKinds = [
  'rest',
  'share',
  'held',
  'atPool',
  'pull',
  'pullAll',
] as const satisfies readonly StepInput['kind'][]

/** Flag bits 3–4. */
export const outputKinds = ['executor', 'recipient', 'address'] as const satisfies readonly StepOutput['kind'][]

/** Flag bit 5, of operations that have a direction. Bits 6 and 7 are the operation's own. */
export const DIRECTION = 32

/** Bytes of the amount that an input kind carries. */
export const amountBytes = { rest: 0, share: 3, held: 16, atPool: 0, pull: 16, pullAll: 0 } as const satisfies Record<
  StepInput['kind'],
  number
>
