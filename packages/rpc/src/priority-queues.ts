/**
 * Queues for the HTTP slots (concurrent requests) of one endpoint: one queue per priority, each with a maximum share of
 * the slots.
 */
import { monotonicMs } from './monotonic-clock.ts'
import { type Budgets, MAX_WAIT_MS, maxSlots, PRIORITIES, type Priority } from './priority.ts'

/** Maximum items per queue; more are refused. */
const MAX_QUEUED = 10_000

type PriorityQueue<T> = {
  readonly priority: Priority
  /** Maximum items in flight. */
  readonly maxInFlight: number
  /** Queued items, each with the time at which it was queued, in order. */
  readonly waiting: Map<T, number>
  inFlight: number
}

/** The queue to serve next. */
type QueueTurn<T> = { readonly priority: Priority; readonly items: IterableIterator<T> }

export class PriorityQueues<T> {
  private readonly queues: readonly PriorityQueue<T>[]
  private readonly capacity: number
  private readonly budgets: Budgets
  private readonly now: () => number

  constructor(capacity: number, budgets: Budgets, now: () => number = monotonicMs) {
    this.capacity = capacity
    this.budgets = budgets
    this.now = now
    this.queues = PRIORITIES.map((priority) => ({
      priority,
      maxInFlight: maxSlots(priority, capacity),
      waiting: new Map(),
      inFlight: 0,
    }))
  }

  /**
   * Adds an item to the queue of its priority.
   *
   * @returns false if the queue is full
   */
  enqueue(priority: Priority, item: T): boolean {
    const { waiting } = this.queueOf(priority)
    if (waiting.size >= MAX_QUEUED) return false
    waiting.set(item, this.now())
    return true
  }

  remove(priority: Priority, item: T): void {
    this.queueOf(priority).waiting.delete(item)
  }

  /** Returns the queue to serve next, with its items in order; undefined if nothing may start now. */
  nextTurn(mayStart: (priority: Priority) => boolean = () => true): QueueTurn<T> | undefined {
    if (this.queues.reduce((sum, { inFlight }) => sum + inFlight, 0) >= this.capacity) return undefined
    const readyQueues = this.queues.filter(
      ({ priority, maxInFlight, waiting, inFlight }) =>
        waiting.size > 0 && inFlight < maxInFlight && this.pauseMs(priority) === 0 && mayStart(priority),
    )
    const queue = readyQueues.find((candidate) => this.hasWaitedTooLong(candidate)) ?? readyQueues[0]
    return queue && { priority: queue.priority, items: queue.waiting.keys() }
  }

  /** Counts one more item in flight. Removes nothing from the queue: call `remove` for each item. */
  occupySlot(priority: Priority): void {
    this.queueOf(priority).inFlight++
  }

  /** Counts one item less in flight. */
  releaseSlot(priority: Priority): void {
    this.queueOf(priority).inFlight--
  }

  /** Returns the milliseconds until the budget of a priority admits more work. */
  pauseMs(priority: Priority): number {
    return this.budgets.waitMs(priority)
  }

  get waitingPriorities(): readonly Priority[] {
    return this.queues.filter(({ waiting }) => waiting.size > 0).map(({ priority }) => priority)
  }

  get queuedCount(): number {
    return this.queues.reduce((sum, { waiting }) => sum + waiting.size, 0)
  }

  /**
   * Returns the number of queued items of this priority and higher ones. All of them are served before a new item of
   * this priority. Lower priorities are not counted, although one of their items is served first once it has waited
   * longer than `MAX_WAIT_MS`.
   */
  countAhead(priority: Priority): number {
    const ownIndex = PRIORITIES.indexOf(priority)
    return this.queues.reduce((sum, { waiting }, queueIndex) => (queueIndex <= ownIndex ? sum + waiting.size : sum), 0)
  }

  private hasWaitedTooLong({ priority, waiting }: PriorityQueue<T>): boolean {
    if (priority === 'quote') return false
    const [enqueuedAt] = waiting.values()
    return enqueuedAt !== undefined && this.now() - enqueuedAt > MAX_WAIT_MS[priority]
  }

  private queueOf(priority: Priority): PriorityQueue<T> {
    return this.queues[PRIORITIES.indexOf(priority)]!
  }
}
