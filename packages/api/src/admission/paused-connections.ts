/**
 * Connections that are not read for a while after a refusal. Under heavy overload, clients that repeat refused requests at once
 * would otherwise take the processor time of the requests that are served.
 */
import type { Socket } from 'node:net'

const TICK_MS = 50
/** Ticks until a connection is read again: one second, the shortest `Retry-After`. */
const PAUSED_TICKS = 20
/** Refusals per tick that pause no connection: 1,000 per second, a few percent of the processor. */
const FREE_REFUSALS = 50

/** Pauses connections whose requests are refused, while the process refuses many. */
export class PausedConnections {
  /** Paused connections by tick, the oldest first. */
  private pausedByTick: Socket[][] = []
  private pausedThisTick: Socket[] = []
  /** Refusals of the current tick. */
  private refusalsThisTick = 0
  private timer: NodeJS.Timeout | undefined

  /** Counts a refusal, and stops reading from its connection if there were many. Call it after the response has ended. */
  notifyRefused(socket: Socket): void {
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref()
    if (++this.refusalsThisTick <= FREE_REFUSALS) return
    socket.pause()
    this.pausedThisTick.push(socket)
  }

  /** Resumes the connections whose pause has ended. After a tick without a new pause, resumes all connections. */
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
