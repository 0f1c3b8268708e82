import { defaultLimits, type SimulationLimits } from './limits.ts'
import { SlotResolver } from './slots/resolver.ts'

/** What simulations on one chain share: learned storage layouts and limits. */
export type SimulationContext = {
  readonly slots: SlotResolver
  readonly limits: SimulationLimits
}

export function createSimulationContext(limits: Partial<SimulationLimits> = {}): SimulationContext {
  return { slots: new SlotResolver(), limits: { ...defaultLimits, ...limits } }
}
