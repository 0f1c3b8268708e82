/** Creates the state that the simulations of a chain share. */
import { BareRuns } from './bare-runs.ts'
import { FeeReader } from './fees.ts'
import { CostLimiter } from './limiter.ts'
import { defaultLimits, type SimulationLimits } from './limits.ts'
import { SlotResolver } from './slots/resolver.ts'
import { TransactionLimit } from './transaction-limit.ts'

/** State shared by the simulations of a chain: learned storage layouts, caches, and limits. */
export type SimulationContext = {
  readonly slots: SlotResolver
  readonly limits: SimulationLimits
  readonly limiter: CostLimiter
  readonly fees: FeeReader
  /** Runs transactions without changing the sender's code, if the nodes support it. */
  readonly bareRuns: BareRuns
  /** Detects the chain's maximum gas per transaction. */
  readonly transactionLimit: TransactionLimit
  /** Block interval of the chain in milliseconds. */
  readonly blockIntervalMs: number
}

export type SimulationOptions = Partial<SimulationLimits> &
  Partial<Pick<SimulationContext, 'blockIntervalMs'>> & {
    /** Maximum gas per transaction after the chain's Osaka upgrade. Default: the limit of EIP-7825. */
    readonly osakaLimit?: bigint
  }

/** Creates the shared state of a chain. */
export function createSimulationContext({
  blockIntervalMs = 1_000,
  osakaLimit,
  ...limits
}: SimulationOptions = {}): SimulationContext {
  const allLimits = { ...defaultLimits, ...limits }
  const { maxConcurrent: capacity, maxQueued } = allLimits
  const limiter = new CostLimiter({ capacity, reserved: Math.floor(capacity / 2), maxQueued })
  return {
    slots: new SlotResolver(),
    limits: allLimits,
    limiter,
    fees: new FeeReader(),
    bareRuns: new BareRuns(),
    transactionLimit: new TransactionLimit(osakaLimit),
    blockIntervalMs,
  }
}
