/** Trades of a step, and joining of steps. */
import { opOf, type Step } from './ops/index.ts'
import type { Keccak, StepTrade } from './ops/op.ts'
import { ZERO_ADDRESS } from './zero.ts'

/** Returns the trades of a step, one per pool. */
export function tradesOf(step: Step, keccak256: Keccak): readonly StepTrade[] {
  return opOf(step).trades(step as never, keccak256)
}

/** Returns the contract that holds the pools of a step, if one holds many. */
export function singletonOf(step: Step): `0x${string}` | undefined {
  return addressField(step, opOf(step).singleton)
}

/** Returns the separate contract that keeps the tokens of a step's pool, if any. */
export function keeperOf(step: Step): `0x${string}` | undefined {
  const keeper = addressField(step, opOf(step).keeper)
  return keeper === ZERO_ADDRESS ? undefined : keeper
}

function addressField(step: Step, field: string | undefined): `0x${string}` | undefined {
  return field === undefined ? undefined : (step as unknown as Record<string, `0x${string}`>)[field]
}

/**
 * Joins two steps: consecutive hops in one singleton then need one unlock or batch, and no transfer between them.
 *
 * @returns undefined if they cannot be joined, or if the first pays anyone but the second
 */
export function joinSteps(first: Step, second: Step): Step | undefined {
  if (first.output.kind !== 'executor' || second.input.kind !== 'rest') return undefined
  if (first.op !== second.op || !('hops' in first) || !('hops' in second)) return undefined
  if (singletonOf(first) !== singletonOf(second)) return undefined
  return { ...first, output: second.output, hops: [...first.hops, ...second.hops] } as Step
}
