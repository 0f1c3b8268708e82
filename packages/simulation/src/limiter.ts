/**
 * Limits concurrent simulations by the expected gas, so that a few heavy simulations leave room for many light ones. A
 * light simulation costs one unit, and a heavy simulation costs more.
 */
import type { Address } from '@sluice/chains'
import { onAbort, RpcError } from '@sluice/rpc'
import { BoundedMap, type StateCount } from './bounded-map.ts'
import { SimulationError } from './errors.ts'

/** Gas per cost unit; a plain swap uses a fraction of it. */
const UNIT_GAS = 2_000_000
/**
 * Gas assumed for a target (the contract that a simulation calls) that has not run yet, or that timed out. High, so that
 * attackers gain nothing from calling a new address each time.
 */
const UNKNOWN_GAS = 8_000_000
/** Maximum targets whose gas is remembered. */
const MAX_REMEMBERED = 10_000

export type LimiterOptions = {
  /** Maximum cost units that run at a time. */
  readonly capacity: number
  /** Cost units that heavy simulations may not use, so that light simulations start soon. */
  readonly reserved: number
  /** Maximum queued simulations; more are refused. */
  readonly maxQueued: number
}

type QueuedRun = { readonly cost: number; readonly start: () => void }

export class CostLimiter {
  private readonly options: LimiterOptions
  /** Cost units of all running simulations. */
  private runningCost = 0
  /** Cost units of the running simulations that cost more than one unit. */
  private heavyCost = 0
  private readonly queue: QueuedRun[] = []
  private readonly gasByTarget = new BoundedMap<Address, number>(MAX_REMEMBERED)

  constructor(options: LimiterOptions) {
    this.options = options
  }

  /** Number of targets whose gas is remembered, for metrics. */
  get count(): StateCount {
    return this.gasByTarget.count
  }

  /**
   * Runs `simulate` when its cost fits. The cost is computed from the gas that the target used in past runs. The gas
   * limit of a request cannot show the cost, because it is half a block for most requests. The run time cannot show it
   * either, because it depends on the load.
   *
   * @throws SimulationError `OVERLOADED` if the queue is full, or the caller aborts while waiting
   */
  async run<T extends { readonly gasUsed: number }>(
    target: Address,
    simulate: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const cost = this.costOf(target)
    if (!this.canStart(cost)) await this.waitForCapacity(cost, signal)
    else this.addCost(cost)
    try {
      const result = await simulate()
      this.remember(target, result.gasUsed)
      return result
    } catch (error) {
      if (error instanceof RpcError && error.code === 'TIMEOUT') this.remember(target, UNKNOWN_GAS)
      throw error
    } finally {
      this.finish(cost)
    }
  }

  /** Returns the cost of a target in units: at most the capacity for heavy targets, so that each target can run. */
  private costOf(target: Address): number {
    const units = Math.ceil((this.gasByTarget.get(target) ?? UNKNOWN_GAS) / UNIT_GAS) || 1
    return Math.min(units, this.options.capacity - this.options.reserved)
  }

  /**
   * Records the gas of a run. A single run can at most halve the recorded gas, because the same router does both light
   * and heavy work.
   */
  private remember(target: Address, gas: number): void {
    const recordedGas = this.gasByTarget.get(target) ?? 0
    this.gasByTarget.set(target, Math.max(gas, recordedGas / 2))
  }

  private waitForCapacity(cost: number, signal?: AbortSignal): Promise<void> {
    if (this.queue.length >= this.options.maxQueued)
      throw new SimulationError('OVERLOADED', `${this.queue.length} simulations are waiting already`)
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.queue.splice(this.queue.indexOf(queuedRun), 1)
        reject(new SimulationError('OVERLOADED', 'gave up waiting for other simulations to end'))
      }
      const start = () => {
        detach()
        this.addCost(cost)
        resolve()
      }
      const queuedRun = { cost, start }
      this.queue.push(queuedRun)
      const detach = onAbort(signal, cancel)
    })
  }

  private canStart(cost: number): boolean {
    const { capacity, reserved } = this.options
    return this.runningCost + cost <= capacity && (cost === 1 || this.heavyCost + cost <= capacity - reserved)
  }

  private addCost(cost: number): void {
    this.runningCost += cost
    if (cost > 1) this.heavyCost += cost
  }

  private finish(cost: number): void {
    this.runningCost -= cost
    if (cost > 1) this.heavyCost -= cost
    this.startNext()
  }

  /** Starts the queued runs that fit. Light runs come first. */
  private startNext(): void {
    for (const queuedRun of [...this.queue].sort((a, b) => Number(a.cost > 1) - Number(b.cost > 1))) {
      if (!this.canStart(queuedRun.cost)) continue
      this.queue.splice(this.queue.indexOf(queuedRun), 1)
      queuedRun.start()
    }
  }
}
