import { ApiError } from '../errors.ts'
import { Pace } from './pace.ts'

/** One for all: it is thrown when there is no time for more. */
export const overloaded = new ApiError('OVERLOADED', 'too many requests are in progress')

/**
 * Lets a bounded number of works run and a bounded number wait; the next is refused at once, since under overload a
 * quick 503 serves callers better than slow answers for all.
 */
export class Limiter {
  private running = 0
  private readonly waiting = new Set<() => void>()
  private readonly maxRunning: number
  private readonly maxWaiting: number
  private readonly pace = new Pace()

  constructor(maxRunning: number, maxWaiting: number) {
    this.maxRunning = maxRunning
    this.maxWaiting = maxWaiting
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.running, waiting: this.waiting.size }
  }

  /** Whether there is no room for one that comes now; then it counts as turned away. */
  turnsAway(): boolean {
    const inside = this.running + this.waiting.size
    const isFull = inside >= Math.min(this.maxRunning + this.maxWaiting, this.pace.mostInside)
    if (isFull) this.pace.refused()
    return isFull
  }

  /**
   * @throws ApiError `OVERLOADED` when there is no room
   * @throws the signal's reason when it aborts before the work's turn
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.turnsAway()) throw overloaded
    if (this.running < this.maxRunning) this.running++
    else await this.turn(signal)
    try {
      return await work()
    } finally {
      this.pace.finished()
      const [next] = this.waiting
      if (next) next()
      else this.running--
    }
  }

  /** Resolves when a finished work hands its place over. */
  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        this.waiting.delete(start)
        signal.removeEventListener('abort', giveUp)
        done()
      }
      const start = () => settle(resolve)
      const giveUp = () => settle(() => reject(signal.reason))
      this.waiting.add(start)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
