/**
 * Lets callers wait until a condition on a state holds. `FollowedMarket` checks the conditions after each new state.
 */
import { abortable } from '@sluice/rpc'

/** Checks the condition of one caller. */
type ConditionCheck = () => void

/** Callers that wait for conditions, which are checked on every change of state. */
export class ConditionWaiter {
  private readonly checks = new Set<ConditionCheck>()
  private stopError: Error | null = null

  /** Resolves when the condition holds. @param timeoutError - creates the error for a timeout */
  waitUntil(
    condition: () => boolean,
    timeoutMs: number,
    timeoutError: () => Error,
    signal?: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = () => {
      if (condition()) resolve()
      else if (this.stopError) reject(this.stopError)
    }
    const timer = setTimeout(() => reject(timeoutError()), timeoutMs)
    this.checks.add(check)
    check()
    return abortable(promise, signal).finally(() => {
      clearTimeout(timer)
      this.checks.delete(check)
    })
  }

  /** Checks all conditions. Must be called after every change of the state. */
  check(): void {
    for (const check of [...this.checks]) check()
  }

  /** Rejects current and later callers whose condition does not hold. */
  stop(error: Error): void {
    this.stopError = error
    this.check()
  }
}
