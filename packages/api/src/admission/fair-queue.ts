/**
 * Queue that is fair between callers: start-time fair queueing (Goyal, Vin, Cheng 1996), weighted by the cost of each task.
 * Pure: no clock, no I/O.
 */
import { type Link, LinkedList } from '@sluice/rpc'

/** A task in the queue, or one that was taken and is not done. */
export type Ticket<T> = {
  readonly caller: string
  /** Estimated cost; all costs of a queue have the same unit. */
  readonly cost: number
  readonly item: T
  /** Position in the caller's list of waiting tasks. */
  link: Link<Ticket<T>> | undefined
}

type Flow<T> = {
  /** Virtual start time of the caller's next task: the cost served so far. Unused time is not saved up. */
  start: number
  /** Waiting tasks in order of arrival. */
  readonly waiting: LinkedList<Ticket<T>>
  waitingCost: number
  running: number
}

/** Maximum remembered callers that have no task in the queue but were recently served more than others. */
const MAX_REMEMBERED = 1_024

/** Fair queue over the tasks of several callers. */
export class FairQueue<T> {
  private readonly flows = new Map<string, Flow<T>>()
  /** Callers with waiting tasks, so `take` does not iterate over idle ones. */
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
   * Returns the cost of the tasks that would be taken before a new task of `caller`. Each other caller counts at most as much
   * as `caller` itself, because turns are shared.
   */
  costBefore(caller: string): number {
    const waitingCost = this.backloggedFlows.get(caller)?.waitingCost ?? 0
    const sharing = this.backloggedFlows.size + (waitingCost > 0 ? 0 : 1)
    return Math.min(this.totalWaitingCost, waitingCost * sharing)
  }

  /** Returns the number of a caller's tasks that were taken and are not done. */
  running(caller: string): number {
    return this.flows.get(caller)?.running ?? 0
  }

  /** Appends a task to the tasks of its caller. */
  add(caller: string, cost: number, item: T): Ticket<T> {
    const flow = this.flowOf(caller)
    const ticket: Ticket<T> = { caller, cost, item, link: undefined }
    this.backloggedFlows.set(caller, flow)
    ticket.link = flow.waiting.add(ticket)
    this.count(flow, ticket, 1)
    return ticket
  }

  /**
   * Takes the oldest task of the caller that was served least.
   *
   * @param mayStart - filters callers by their number of running tasks
   */
  take(mayStart: (running: number) => boolean = () => true): Ticket<T> | undefined {
    let next: Flow<T> | undefined
    for (const flow of this.backloggedFlows.values())
      if ((!next || flow.start < next.start) && mayStart(flow.running)) next = flow
    if (!next) return undefined
    const ticket = next.waiting.first!.value
    this.virtualTime = Math.max(this.virtualTime, next.start)
    next.start = this.virtualTime + ticket.cost
    next.running++
    this.remove(ticket)
    return ticket
  }

  /** Marks a taken task as done. @param cost - actual cost, charged to the caller instead of the estimate */
  finish(ticket: Ticket<T>, cost: number): void {
    const flow = this.flows.get(ticket.caller)
    if (!flow) return
    flow.start += cost - ticket.cost
    flow.running--
    this.forget(ticket.caller, flow)
  }

  /** Returns true if the task has not been taken or removed. */
  waits(ticket: Ticket<T>): boolean {
    return ticket.link?.isIn ?? false
  }

  /** Removes a waiting task. @returns false if it does not wait */
  remove(ticket: Ticket<T>): boolean {
    const flow = this.backloggedFlows.get(ticket.caller)
    if (!flow || !ticket.link || !flow.waiting.remove(ticket.link)) return false
    this.count(flow, ticket, -1)
    if (flow.waiting.size === 0) this.backloggedFlows.delete(ticket.caller)
    this.forget(ticket.caller, flow)
    return true
  }

  /** Returns the newest task of the caller with the most waiting tasks, if it has more than `caller` would with one more. */
  excess(caller: string): Ticket<T> | undefined {
    let longest: Flow<T> | undefined
    for (const flow of this.backloggedFlows.values())
      if (!longest || flow.waiting.size > longest.waiting.size) longest = flow
    if (!longest || longest.waiting.size <= (this.backloggedFlows.get(caller)?.waiting.size ?? 0) + 1) return undefined
    return longest.waiting.last?.value
  }

  private count(flow: Flow<T>, { cost }: Ticket<T>, sign: 1 | -1): void {
    flow.waitingCost = flow.waiting.size === 0 ? 0 : flow.waitingCost + sign * cost
    this.waitingTasks += sign
    this.totalWaitingCost = this.waitingTasks === 0 ? 0 : this.totalWaitingCost + sign * cost
  }

  private flowOf(caller: string): Flow<T> {
    let flow = this.flows.get(caller)
    if (!flow) {
      flow = { start: this.virtualTime, waiting: new LinkedList(), waitingCost: 0, running: 0 }
      this.flows.set(caller, flow)
    }
    return flow
  }

  /**
   * Forgets an idle caller unless it was served more than its share. Of these, only the most recent `MAX_REMEMBERED` are
   * kept.
   */
  private forget(caller: string, flow: Flow<T>): void {
    if (flow.running > 0 || flow.waiting.size > 0) return
    this.flows.delete(caller)
    if (flow.start <= this.virtualTime) return
    this.flows.set(caller, flow)
    if (this.flows.size <= MAX_REMEMBERED) return
    for (const [name, { running, waiting }] of this.flows) {
      if (running > 0 || waiting.size > 0) continue
      this.flows.delete(name)
      break
    }
  }
}
