import { opOf, type Step } from './ops/index.ts'
import type { Keccak, Trade } from './ops/op.ts'
import { ZERO_ADDRESS } from './zero.ts'

/** The trades of a step as its bytes tell them, pool by pool. */
export function tradesOf(step: Step, keccak256: Keccak): readonly Trade[] {
  return opOf(step).trades(step as never, keccak256)
}

/** The contract that holds the pools of a step, where one holds many. */
export function singletonOf(step: Step): `0x${string}` | undefined {
  return addressIn(step, opOf(step).singleton)
}

/** A contract beside the pool of a step that keeps its tokens, where there is one. */
export function keeperOf(step: Step): `0x${string}` | undefined {
  const keeper = addressIn(step, opOf(step).keeper)
  return keeper === ZERO_ADDRESS ? undefined : keeper
}

function addressIn(step: Step, field: string | undefined): `0x${string}` | undefined {
  return field === undefined ? undefined : (step as unknown as Record<string, `0x${string}`>)[field]
}

/**
 * Two steps as one: hops that follow each other inside one singleton need one unlock or batch instead of two, and no transfer
 * of the token between them.
 *
 * @returns undefined where they cannot be joined, or where the first pays anyone but the second alone
 */
export function joinSteps(first: Step, second: Step): Step | undefined {
  if (first.output.kind !== 'executor' || second.input.kind !== 'rest') return undefined
  if (first.op !== second.op || !('hops' in first) || !('hops' in second)) return undefined
  if (singletonOf(first) !== singletonOf(second)) return undefined
  return { ...first, output: second.output, hops: [...first.hops, ...second.hops] } as Step
}
