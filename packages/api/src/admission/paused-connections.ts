/**
 * Stops reading from connections for a while after a refusal. Under heavy overload, clients that repeat refused
 * requests at once would otherwise take the CPU time that the accepted requests need.
 */
import type { Socket } from 'node:net'

/** Interval of the timer that resumes connections. */
const TICK_MS = 50
/** Number of ticks until a connection is read again: 1 s in total, which is the shortest `Retry-After`. */
const PAUSED_TICKS = 20
/** Maximum refusals per tick that pause no connection: 1,000 per second, which take a few percent of the CPU time. */
const FREE_REFUSALS = 50

/** Pauses connections whose requests are refused, while the process refuses many. */
export class PausedConnections {
  /** Paused connections by the tick in which they were paused, oldest first. */
  private pausedByTick: Socket[][] = []
  private pausedThisTick: Socket[] = []
  private refusalsThisTick = 0
  private timer: NodeJS.Timeout | undefined

  /** Counts a refusal. Pauses its connection if this tick had many refusals. Call it after the response has ended. */
  notifyRefused(socket: Socket): void {
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref()
    if (++this.refusalsThisTick <= FREE_REFUSALS) return
    socket.pause()
    this.pausedThisTick.push(socket)
  }

  /** Resumes the connections whose pause has ended. If the last tick paused no connection, resumes all. */
  private tick(): void {
    const hasPausedNone = this.pausedThisTick.length === 0
    this.pausedByTick.push(this.pausedThisTick)
    const dueConnections = this.pausedByTick.splice(
      0,
      hasPausedNone ? this.pausedByTick.length : Math.max(0, this.pausedByTick.length - PAUSED_TICKS),
    )
    for (const socket of dueConnections.flat()) socket.resume()
    this.pausedThisTick = []
    if (this.refusalsThisTick === 0) {
      clearInterval(this.timer)
      this.timer = undefined
    }
    this.refusalsThisTick = 0
  }
}
