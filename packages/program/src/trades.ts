/** Trades and contracts of a step of the Executor, and a function that joins steps. */
import { opOf, type Step } from './ops/index.ts'
import type { Keccak, StepTrade } from './ops/op.ts'
import { ZERO_ADDRESS } from './zero.ts'

/** Returns the trades of a step, one per pool. */
export function tradesOf(step: Step, keccak256: Keccak): readonly StepTrade[] {
  return opOf(step).trades(step as never, keccak256)
}

/** Returns the singleton of a step: the contract that holds its pools, if one contract holds many. */
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
 * Joins two steps that swap in the same singleton. The joined step needs only one unlock or batch, and no transfer
 * between its hops.
 *
 * @returns undefined if the operations cannot be joined, or if the second step does not take the whole output of the
 *   first
 */
export function joinSteps(first: Step, second: Step): Step | undefined {
  if (first.output.kind !== 'executor' || second.input.kind !== 'rest') return undefined
  if (first.op !== second.op || !('hops' in first) || !('hops' in second)) return undefined
  if (singletonOf(first) !== singletonOf(second)) return undefined
  return { ...first, output: second.output, hops: [...first.hops, ...second.hops] } as Step
}
