/**
 * Limits the gas of routes, and chooses the pools to exclude from a route above the limit. For example, a swap in a
 * drained pool with narrow ticks reads many empty tick bitmap words, which can cost more gas than a transaction has.
 */
import type { RoutePlan } from '@sluice/routing'

/** Maximum gas of a transaction by EIP-7825; also used on chains without that limit. */
const MAX_TRANSACTION_GAS = 16_777_216
/** Share of the gas limit that a route's estimated gas may use. The remaining share covers errors of the estimate. */
const MAX_GAS_SHARE = 0.8

/** Returns the maximum estimated gas of a route. @param simulatedGas - gas limit of the simulated transaction */
export function maxRouteGas(simulatedGas: bigint): number {
  return MAX_GAS_SHARE * Math.min(MAX_TRANSACTION_GAS, Number(simulatedGas))
}

/**
 * Returns the ids of the pools with the most gas whose removal reduces the route's gas to at most `maxGas`. Empty if
 * the route's gas is within the limit.
 */
export function poolsOverGasLimit({ gas, legs }: Pick<RoutePlan, 'gas' | 'legs'>, maxGas: number): readonly string[] {
  const gasByPool = new Map<string, number>()
  for (const { pool, gas: legGas } of legs) gasByPool.set(pool.id, (gasByPool.get(pool.id) ?? 0) + legGas)
  const excludedIds: string[] = []
  let remainingGas = gas
  for (const [id, poolGas] of [...gasByPool].sort(([, a], [, b]) => b - a)) {
    if (remainingGas <= maxGas) break
    excludedIds.push(id)
    remainingGas -= poolGas
  }
  return excludedIds
}
