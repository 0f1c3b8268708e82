import { BareRuns } from './bare-runs.ts'
import { FeeReader } from './fees.ts'
import { CostLimiter } from './limiter.ts'
import { defaultLimits, type SimulationLimits } from './limits.ts'
import { SlotResolver } from './slots/resolver.ts'
import { TransactionLimit } from './transaction-limit.ts'

/** State that simulations on one chain share: learned storage layouts and limits. */
export type SimulationContext = {
  readonly slots: SlotResolver
  readonly limits: SimulationLimits
  readonly limiter: CostLimiter
  readonly fees: FeeReader
  readonly bareRuns: BareRuns
  readonly transactionLimit: TransactionLimit
  /** Milliseconds between two blocks of the chain. */
  readonly blockIntervalMs: number
}

export type SimulationOptions = Partial<SimulationLimits> & Partial<Pick<SimulationContext, 'blockIntervalMs'>>

export function createSimulationContext({
  blockIntervalMs = 1_000,
  ...limits
}: SimulationOptions = {}): SimulationContext {
  const all = { ...defaultLimits, ...limits }
  const { maxConcurrent: capacity, maxQueued } = all
  const limiter = new CostLimiter({ capacity, reserved: Math.floor(capacity / 2), maxQueued })
  return {
    slots: new SlotResolver(),
    limits: all,
    limiter,
    fees: new FeeReader(),
    bareRuns: new BareRuns(),
    transactionLimit: new TransactionLimit(),
    blockIntervalMs,
  }
}
