/**
 * A queue that is fair between those who put work into it: start-time fair queueing (Goyal, Vin, Cheng 1996), weighted by
 * what each work costs. Pure: no clock, no I/O.
 */
import { type Link, LinkedList } from '@sluice/rpc'

export type Ticket<T> = {
  readonly caller: string
  /** In the unit of all costs of the queue. */
  readonly cost: number
  readonly item: T
  /** Among the works of the caller that wait. */
  place: Link<Ticket<T>> | undefined
}

type Flow<T> = {
  /** Virtual time at which the caller's next work may start: what it was given so far. Time that it did not use is not saved up. */
  start: number
  /** In order of arrival. */
  readonly waiting: LinkedList<Ticket<T>>
  waitingCost: number
  running: number
}

/** Callers kept in mind who have nothing here, but were lately given more than others. */
const MOST_REMEMBERED = 1_024

export class FairQueue<T> {
  private readonly flows = new Map<string, Flow<T>>()
  /** Those with works that wait, so that a choice does not pass over the others. */
  private readonly backlogged = new Map<string, Flow<T>>()
  /** Start of the work that was taken last. */
  private virtualTime = 0
  private waitingWorks = 0
  private waitingCosts = 0

  /** Works that wait. */
  get size(): number {
    return this.waitingWorks
  }

  /** Callers kept in mind. */
  get callers(): number {
    return this.flows.size
  }

  /**
   * Cost of what would be taken before a work that `caller` adds now: of every other caller at most as much as its own, since
   * turns are shared.
   */
  costBefore(caller: string): number {
    const own = this.backlogged.get(caller)?.waitingCost ?? 0
    const sharing = this.backlogged.size + (own > 0 ? 0 : 1)
    return Math.min(this.waitingCosts, own * sharing)
  }

  /** The caller's works that were taken and are not done. */
  running(caller: string): number {
    return this.flows.get(caller)?.running ?? 0
  }

  add(caller: string, cost: number, item: T): Ticket<T> {
    const flow = this.flowOf(caller)
    const ticket: Ticket<T> = { caller, cost, item, place: undefined }
    this.backlogged.set(caller, flow)
    ticket.place = flow.waiting.add(ticket)
    this.count(flow, ticket, 1)
    return ticket
  }

  /** Takes the work whose turn it is: the oldest of the caller who was given least. */
  take(mayStart: (running: number) => boolean = () => true): Ticket<T> | undefined {
    let next: Flow<T> | undefined
    for (const flow of this.backlogged.values())
      if ((!next || flow.start < next.start) && mayStart(flow.running)) next = flow
    if (!next) return undefined
    const ticket = next.waiting.first!.value
    this.virtualTime = Math.max(this.virtualTime, next.start)
    next.start = this.virtualTime + ticket.cost
    next.running++
    this.remove(ticket)
    return ticket
  }

  /** A work that was taken is done. @param cost - what it cost indeed, which the caller is charged with */
  done(ticket: Ticket<T>, cost: number): void {
    const flow = this.flows.get(ticket.caller)
    if (!flow) return
    flow.start += cost - ticket.cost
    flow.running--
    this.forget(ticket.caller, flow)
  }

  waits(ticket: Ticket<T>): boolean {
    return ticket.place?.isIn ?? false
  }

  /** Takes a work out that gives up waiting; false when it does not wait here. */
  remove(ticket: Ticket<T>): boolean {
    const flow = this.backlogged.get(ticket.caller)
    if (!flow || !ticket.place || !flow.waiting.remove(ticket.place)) return false
    this.count(flow, ticket, -1)
    if (flow.waiting.size === 0) this.backlogged.delete(ticket.caller)
    this.forget(ticket.caller, flow)
    return true
  }

  /** The youngest work of the caller with most works here, if that has more of them than `caller`. */
  excess(caller: string): Ticket<T> | undefined {
    let most: Flow<T> | undefined
    for (const flow of this.backlogged.values()) if (!most || flow.waiting.size > most.waiting.size) most = flow
    if (!most || most.waiting.size <= (this.backlogged.get(caller)?.waiting.size ?? 0) + 1) return undefined
    return most.waiting.last?.value
  }

  private count(flow: Flow<T>, { cost }: Ticket<T>, sign: 1 | -1): void {
    flow.waitingCost = flow.waiting.size === 0 ? 0 : flow.waitingCost + sign * cost
    this.waitingWorks += sign
    this.waitingCosts = this.waitingWorks === 0 ? 0 : this.waitingCosts + sign * cost
  }

  private flowOf(caller: string): Flow<T> {
    let flow = this.flows.get(caller)
    if (!flow) {
      flow = { start: this.virtualTime, waiting: new LinkedList(), waitingCost: 0, running: 0 }
      this.flows.set(caller, flow)
    }
    return flow
  }

  /** A caller with nothing here is kept in mind only while it was given more than its share, and the latest of them only. */
  private forget(caller: string, flow: Flow<T>): void {
    if (flow.running > 0 || flow.waiting.size > 0) return
    this.flows.delete(caller)
    if (flow.start <= this.virtualTime) return
    this.flows.set(caller, flow)
    if (this.flows.size <= MOST_REMEMBERED) return
    for (const [name, { running, waiting }] of this.flows) {
      if (running > 0 || waiting.size > 0) continue
      this.flows.delete(name)
      break
    }
  }
}
