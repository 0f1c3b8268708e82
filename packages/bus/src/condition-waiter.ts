/** Waiting for conditions. */
import { abortable } from '@sluice/rpc'

type Notice = () => void

/** Callers that wait for conditions, which are checked on every change of state. */
export class ConditionWaiter {
  private readonly notices = new Set<Notice>()
  private stopError: Error | null = null

  /** Resolves when the condition holds. @param timeoutError - creates the error for a timeout */
  waitUntil(
    condition: () => boolean,
    timeoutMs: number,
    timeoutError: () => Error,
    signal?: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const notice = () => {
      if (condition()) resolve()
      else if (this.stopError) reject(this.stopError)
    }
    const timer = setTimeout(() => reject(timeoutError()), timeoutMs)
    this.notices.add(notice)
    notice()
    return abortable(promise, signal).finally(() => {
      clearTimeout(timer)
      this.notices.delete(notice)
    })
  }

  /** Checks all conditions. To be called after every change of state. */
  check(): void {
    for (const notice of [...this.notices]) notice()
  }

  /** Rejects current and later callers whose condition does not hold. */
  stop(error: Error): void {
    this.stopError = error
    this.check()
  }
}
