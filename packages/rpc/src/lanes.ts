/** Queues of calls for a place at an endpoint: one for each priority, each with its share of the places. */
import { type Budgets, PATIENCE_MS, PRIORITIES, type Priority, places } from './priority.ts'

/** Limit of each priority's queue; more is refused. */
const MAX_QUEUED = 10_000

type Lane<T> = {
  readonly priority: Priority
  readonly places: number
  /** With the time of entry. */
  readonly waiting: Map<T, number>
  underWay: number
}

type Turn<T> = { readonly priority: Priority; readonly items: IterableIterator<T> }

export class Lanes<T> {
  private readonly lanes: readonly Lane<T>[]
  private readonly capacity: number
  private readonly budgets: Budgets
  private readonly now: () => number

  constructor(capacity: number, budgets: Budgets, now: () => number = Date.now) {
    this.capacity = capacity
    this.budgets = budgets
    this.now = now
    this.lanes = PRIORITIES.map((priority) => ({
      priority,
      places: places(priority, capacity),
      waiting: new Map(),
      underWay: 0,
    }))
  }

  /** @returns false when the queue is full */
  push(priority: Priority, item: T): boolean {
    const { waiting } = this.lane(priority)
    if (waiting.size >= MAX_QUEUED) return false
    waiting.set(item, this.now())
    return true
  }

  drop(priority: Priority, item: T): void {
    this.lane(priority).waiting.delete(item)
  }

  /** The queue whose turn it is, in order; undefined when nothing may start now. */
  next(mayGo: (priority: Priority) => boolean = () => true): Turn<T> | undefined {
    if (this.lanes.reduce((sum, { underWay }) => sum + underWay, 0) >= this.capacity) return undefined
    const ready = this.lanes.filter(
      ({ priority, places, waiting, underWay }) =>
        waiting.size > 0 && underWay < places && this.pauseMs(priority) === 0 && mayGo(priority),
    )
    const lane = ready.find((lane) => this.impatient(lane)) ?? ready[0]
    return lane && { priority: lane.priority, items: lane.waiting.keys() }
  }

  enter(priority: Priority): void {
    this.lane(priority).underWay++
  }

  leave(priority: Priority): void {
    this.lane(priority).underWay--
  }

  /** Milliseconds until the budget lets work of a priority go on. */
  pauseMs(priority: Priority): number {
    return this.budgets.waitMs(priority)
  }

  /** Priorities of which something waits. */
  get waiting(): readonly Priority[] {
    return this.lanes.filter(({ waiting }) => waiting.size > 0).map(({ priority }) => priority)
  }

  /** Requests that wait. */
  get queued(): number {
    return this.lanes.reduce((sum, { waiting }) => sum + waiting.size, 0)
  }

  /** Requests that go before a new one of this priority. */
  ahead(priority: Priority): number {
    const last = PRIORITIES.indexOf(priority)
    return this.lanes.reduce((sum, { waiting }, lane) => (lane <= last ? sum + waiting.size : sum), 0)
  }

  private impatient({ priority, waiting }: Lane<T>): boolean {
    if (priority === 'quote') return false
    const [since] = waiting.values()
    return since !== undefined && this.now() - since > PATIENCE_MS[priority]
  }

  private lane(priority: Priority): Lane<T> {
    return this.lanes[PRIORITIES.indexOf(priority)]!
  }
}
