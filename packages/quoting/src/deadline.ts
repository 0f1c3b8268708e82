/** Time by which a transaction has to land. */
import { QuotingError } from './errors.ts'

/** Milliseconds of Unix time. */
export type Clock = () => number

/** Seconds until a transaction expires unless the caller says otherwise. */
const DEADLINE_SECONDS = 1_200

/**
 * Unix seconds. From the later of the block's time and now: the block of a chain that rests may be hours old when the next one
 * is made, and a node's clock may be ahead of ours.
 */
export function defaultDeadline(blockTimestamp: number, nowMs: number): number {
  return Math.max(blockTimestamp, Math.floor(nowMs / 1_000)) + DEADLINE_SECONDS
}

/** @throws QuotingError `DEADLINE_PASSED` when the deadline that the caller asks for has passed at the simulated block */
export function checkDeadline(deadline: number | undefined, blockTimestamp: number): void {
  if (deadline !== undefined && deadline <= blockTimestamp)
    throw new QuotingError('DEADLINE_PASSED', `deadline must be after the current block's timestamp ${blockTimestamp}`)
}
