/**
 * Queue that is fair between callers: start-time fair queueing (Goyal, Vin, Cheng 1996), weighted by the cost of each
 * task. Each caller has a virtual start time, which grows by the cost of each of its served tasks. The caller with the
 * lowest virtual start time is next. Uses no clock and no I/O.
 */
import { type Link, LinkedList } from '@sluice/rpc'

/** A task that waits in the queue, or that was taken and is not done. */
export type Ticket<T> = {
  readonly caller: string
  /** Estimated cost; all costs of a queue have the same unit. */
  readonly cost: number
  readonly item: T
  /** Entry in the caller's list of waiting tasks. */
  link: Link<Ticket<T>> | undefined
}

/** The tasks of one caller. */
type Flow<T> = {
  /**
   * Virtual start time of the caller's next task: grows by the cost of each taken task. It is raised to the queue's
   * virtual time when a task is taken, so that an idle caller does not save up turns.
   */
  virtualStart: number
  /** Waiting tasks in order of arrival. */
  readonly waiting: LinkedList<Ticket<T>>
  waitingCost: number
  running: number
}

/**
 * Maximum remembered callers without a task. They are remembered if they were recently served more than their share.
 */
const MAX_REMEMBERED = 1_024

/** Fair queue over the tasks of several callers. */
export class FairQueue<T> {
  private readonly flows = new Map<string, Flow<T>>()
  /** Callers with waiting tasks, so that `take` does not iterate over callers without any. */
  private readonly backloggedFlows = new Map<string, Flow<T>>()
  /** Virtual start time of the last taken task. */
  private virtualTime = 0
  private waitingTasks = 0
  private totalWaitingCost = 0

  /** Number of waiting tasks. */
  get size(): number {
    return this.waitingTasks
  }

  /** Number of remembered callers. */
  get callers(): number {
    return this.flows.size
  }

  /**
   * Estimates the cost of the tasks that would be taken before a new task of `caller`. Callers take turns, so each
   * other caller is assumed to go first with at most as much cost as `caller` has waiting.
   */
  costBefore(caller: string): number {
    const waitingCost = this.backloggedFlows.get(caller)?.waitingCost ?? 0
    const callersSharing = this.backloggedFlows.size + (waitingCost > 0 ? 0 : 1)
    return Math.min(this.totalWaitingCost, waitingCost * callersSharing)
  }

  /** Returns the number of a caller's tasks that were taken and are not done. */
  runningOf(caller: string): number {
    return this.flows.get(caller)?.running ?? 0
  }

  /** Appends a task to the tasks of its caller. */
  add(caller: string, cost: number, item: T): Ticket<T> {
    const flow = this.flowOf(caller)
    const ticket: Ticket<T> = { caller, cost, item, link: undefined }
    this.backloggedFlows.set(caller, flow)
    ticket.link = flow.waiting.add(ticket)
    this.updateCounts(flow, ticket, 1)
    return ticket
  }

  /**
   * Takes the oldest task of the caller that was served least.
   *
   * @param mayStart - filters callers by their number of running tasks
   */
  take(mayStart: (running: number) => boolean = () => true): Ticket<T> | undefined {
    let nextFlow: Flow<T> | undefined
    for (const flow of this.backloggedFlows.values())
      if ((!nextFlow || flow.virtualStart < nextFlow.virtualStart) && mayStart(flow.running)) nextFlow = flow
    if (!nextFlow) return undefined
    const ticket = nextFlow.waiting.first!.value
    this.virtualTime = Math.max(this.virtualTime, nextFlow.virtualStart)
    nextFlow.virtualStart = this.virtualTime + ticket.cost
    nextFlow.running++
    this.remove(ticket)
    return ticket
  }

  /** Marks a taken task as done. @param cost - actual cost, charged to the caller instead of the estimate */
  finish(ticket: Ticket<T>, cost: number): void {
    const flow = this.flows.get(ticket.caller)
    if (!flow) return
    flow.virtualStart += cost - ticket.cost
    flow.running--
    this.forgetIfIdle(ticket.caller, flow)
  }

  /** Returns true if the task has not been taken or removed. */
  isWaiting(ticket: Ticket<T>): boolean {
    return ticket.link?.isLinked ?? false
  }

  /** Removes a waiting task. @returns false if it does not wait */
  remove(ticket: Ticket<T>): boolean {
    const flow = this.backloggedFlows.get(ticket.caller)
    if (!flow || !ticket.link || !flow.waiting.remove(ticket.link)) return false
    this.updateCounts(flow, ticket, -1)
    if (flow.waiting.size === 0) this.backloggedFlows.delete(ticket.caller)
    this.forgetIfIdle(ticket.caller, flow)
    return true
  }

  /**
   * Returns a task to drop in favor of a new task of `caller`: the newest task of the caller with the longest queue.
   * Returns undefined if that queue is not longer than the queue of `caller` would be with the new task.
   */
  findDroppable(caller: string): Ticket<T> | undefined {
    let longestFlow: Flow<T> | undefined
    for (const flow of this.backloggedFlows.values())
      if (!longestFlow || flow.waiting.size > longestFlow.waiting.size) longestFlow = flow
    if (!longestFlow || longestFlow.waiting.size <= (this.backloggedFlows.get(caller)?.waiting.size ?? 0) + 1)
      return undefined
    return longestFlow.waiting.last?.value
  }

  private updateCounts(flow: Flow<T>, { cost }: Ticket<T>, sign: 1 | -1): void {
    flow.waitingCost = flow.waiting.size === 0 ? 0 : flow.waitingCost + sign * cost
    this.waitingTasks += sign
    this.totalWaitingCost = this.waitingTasks === 0 ? 0 : this.totalWaitingCost + sign * cost
  }

  private flowOf(caller: string): Flow<T> {
    let flow = this.flows.get(caller)
    if (!flow) {
      flow = { virtualStart: this.virtualTime, waiting: new LinkedList(), waitingCost: 0, running: 0 }
      this.flows.set(caller, flow)
    }
    return flow
  }

  /**
   * Forgets a caller without tasks, unless it was served more than its share. Remembers at most `MAX_REMEMBERED`
   * callers without tasks, the most recent ones.
   */
  private forgetIfIdle(caller: string, flow: Flow<T>): void {
    if (flow.running > 0 || flow.waiting.size > 0) return
    this.flows.delete(caller)
    if (flow.virtualStart <= this.virtualTime) return
    this.flows.set(caller, flow)
    if (this.flows.size <= MAX_REMEMBERED) return
    for (const [name, { running, waiting }] of this.flows) {
      if (running > 0 || waiting.size > 0) continue
      this.flows.delete(name)
      break
    }
  }
}
