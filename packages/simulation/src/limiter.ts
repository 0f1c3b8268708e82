/** Lets simulations run by what they may cost, so that a few heavy ones leave room for many light ones. */
import type { Address } from '@sluice/chains'
import { SimulationError } from './errors.ts'

/** Time at the node that counts as one unit; a plain swap takes a fraction of it. */
const UNIT_MS = 25
const MAX_REMEMBERED = 10_000

export type LimiterOptions = {
  /** Units that may run at a time. */
  readonly capacity: number
  /** Of these, those that targets known to be slow may not take: others always find a place soon. */
  readonly reserved: number
  readonly maxQueued: number
}

type Waiting = { readonly cost: number; readonly start: () => void }

export class CostLimiter {
  private readonly options: LimiterOptions
  private running = 0
  private heavy = 0
  private readonly queue: Waiting[] = []
  /** Oldest first. */
  private readonly tookMs = new Map<Address, number>()

  constructor(options: LimiterOptions) {
    this.options = options
  }

  /**
   * Weighs a target by how long it took before, since a gas limit says nothing: everybody asks for half a block.
   *
   * @throws SimulationError `OVERLOADED` when too many wait, or the caller gives up while waiting
   */
  async run<T>(target: Address, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const cost = this.costOf(target)
    if (!this.fits(cost) || this.queue.length > 0) await this.wait(cost, signal)
    else this.enter(cost)
    const start = performance.now()
    try {
      return await work()
    } finally {
      this.remember(target, performance.now() - start)
      this.leave(cost)
    }
  }

  /** Never more than slow targets may take together, so that each can run. */
  private costOf(target: Address): number {
    const units = Math.ceil((this.tookMs.get(target) ?? 0) / UNIT_MS) || 1
    return Math.min(units, this.options.capacity - this.options.reserved)
  }

  /** Falls by half with each quicker run: a target may have been slow because the node was busy. */
  private remember(target: Address, ms: number): void {
    const before = this.tookMs.get(target) ?? 0
    this.tookMs.delete(target)
    this.tookMs.set(target, Math.max(ms, before / 2))
    if (this.tookMs.size > MAX_REMEMBERED) this.tookMs.delete(this.tookMs.keys().next().value!)
  }

  private wait(cost: number, signal?: AbortSignal): Promise<void> {
    if (this.queue.length >= this.options.maxQueued)
      throw new SimulationError('OVERLOADED', `${this.queue.length} simulations are waiting already`)
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1)
        reject(new SimulationError('OVERLOADED', 'gave up waiting for other simulations to end'))
      }
      const start = () => {
        signal?.removeEventListener('abort', cancel)
        this.enter(cost)
        resolve()
      }
      const waiting = { cost, start }
      this.queue.push(waiting)
      signal?.addEventListener('abort', cancel, { once: true })
      this.startNext()
    })
  }

  private fits(cost: number): boolean {
    const { capacity, reserved } = this.options
    return this.running + cost <= capacity && (cost === 1 || this.heavy + cost <= capacity - reserved)
  }

  private enter(cost: number): void {
    this.running += cost
    if (cost > 1) this.heavy += cost
  }

  private leave(cost: number): void {
    this.running -= cost
    if (cost > 1) this.heavy -= cost
    this.startNext()
  }

  /** In turn, but a light one does not wait behind a heavy one that does not fit. */
  private startNext(): void {
    for (const waiting of [...this.queue]) {
      if (!this.fits(waiting.cost)) continue
      this.queue.splice(this.queue.indexOf(waiting), 1)
      waiting.start()
    }
  }
}
