import { CostLimiter } from './limiter.ts'
import { defaultLimits, type SimulationLimits } from './limits.ts'
import { SlotResolver } from './slots/resolver.ts'

/** State that simulations on one chain share: learned storage layouts and limits. */
export type SimulationContext = {
  readonly slots: SlotResolver
  readonly limits: SimulationLimits
  readonly limiter: CostLimiter
}

export function createSimulationContext(limits: Partial<SimulationLimits> = {}): SimulationContext {
  const all = { ...defaultLimits, ...limits }
  const { maxConcurrent: capacity, maxQueued } = all
  const limiter = new CostLimiter({ capacity, reserved: Math.floor(capacity / 2), maxQueued })
  return { slots: new SlotResolver(), limits: all, limiter }
}
