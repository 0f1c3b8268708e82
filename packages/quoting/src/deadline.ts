/** Computes and checks the deadlines of transactions. */
import { QuotingError } from './errors.ts'

/** Returns Unix time in milliseconds. */
export type Clock = () => number

/** Lifetime in seconds of a transaction whose request has no deadline. */
const DEADLINE_SECONDS = 1_200

/**
 * Returns the default deadline in Unix seconds, counted from the later of the block's timestamp and now. The newest
 * block of an idle chain may be hours old, and a node's clock may be ahead of ours.
 */
export function defaultDeadline(blockTimestamp: number, nowMs: number): number {
  return Math.max(blockTimestamp, Math.floor(nowMs / 1_000)) + DEADLINE_SECONDS
}

/** True if a deadline in Unix seconds is not after the timestamp of a block. */
export const hasPassed = (deadline: number | bigint, blockTimestamp: number): boolean => deadline <= blockTimestamp

/** @throws QuotingError `DEADLINE_PASSED` if the requested deadline is not after the block's timestamp */
export function checkDeadline(deadline: number | undefined, blockTimestamp: number): void {
  if (deadline !== undefined && hasPassed(deadline, blockTimestamp))
    throw new QuotingError('DEADLINE_PASSED', `deadline must be after the current block's timestamp ${blockTimestamp}`)
}
