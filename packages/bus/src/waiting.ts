/** Those who wait for something to come about. */
import { abortable } from '@sluice/rpc'

type Notice = () => void

export class Waiting {
  private readonly notices = new Set<Notice>()
  private stopped: Error | null = null

  /** Resolves once it is so. @param late - what it rejects with at the time limit */
  until(isSo: () => boolean, timeoutMs: number, late: () => Error, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const notice = () => {
      if (isSo()) resolve()
      else if (this.stopped) reject(this.stopped)
    }
    const timer = setTimeout(() => reject(late()), timeoutMs)
    this.notices.add(notice)
    notice()
    return abortable(promise, signal).finally(() => {
      clearTimeout(timer)
      this.notices.delete(notice)
    })
  }

  /** To be called whenever something may have come about. */
  look(): void {
    for (const notice of [...this.notices]) notice()
  }

  /** Whoever waits then, or later, waits in vain. */
  stop(error: Error): void {
    this.stopped = error
    this.look()
  }
}
