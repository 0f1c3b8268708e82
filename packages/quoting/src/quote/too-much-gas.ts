/**
 * The gas that a route may take, and the pools to leave out of one that takes more. A pool of narrow ticks that is drained walks over
 * millions of gas of empty words: such a route fits no transaction, however well it pays.
 */
import type { Route } from '@sluice/routing'

/** Gas of a transaction, by EIP-7825; chains without it have no use for larger swaps either. */
const TRANSACTION_GAS = 16_777_216
/** Part of what there is that a route may be expected to take: the rest is for what the model of its gas does not know. */
const PART = 0.8

/** @param simulatedGas - of the transaction that tries the route */
export function mostRouteGas(simulatedGas: bigint): number {
  return PART * Math.min(TRANSACTION_GAS, Number(simulatedGas))
}

/** Ids of the fewest pools without which the rest of the route takes no more gas than that; none where it takes no more. */
export function tooMuchGas({ gas, legs }: Pick<Route, 'gas' | 'legs'>, most: number): readonly string[] {
  const byPool = new Map<string, number>()
  for (const { pool, gas } of legs) byPool.set(pool.id, (byPool.get(pool.id) ?? 0) + gas)
  const left: string[] = []
  let rest = gas
  for (const [id, ofPool] of [...byPool].sort(([, a], [, b]) => b - a)) {
    if (rest <= most) break
    left.push(id)
    rest -= ofPool
  }
  return left
}
