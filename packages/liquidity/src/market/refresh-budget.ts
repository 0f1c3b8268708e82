/**
 * Chooses the silent pools (pools whose state changes without a log) that are refreshed at a block. If the price of a
 * pool changes without a log, the pool is always refreshed. If only parameters (a fee, weights, or rates) change
 * without a log, the pool is refreshed within a gas budget, because anyone can create such pools. Pools of recently
 * requested tokens come first, and then the other pools in turns.
 */
import type { Pool } from '../family.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import { SAMPLED_IDLE_MS } from './sampling-budget.ts'

/** Maximum gas, per block, of refreshing parameters of recently requested pools. */
export const MAX_RECENT_GAS = 30_000_000
/** Gas per block that is reserved for pools that were not requested recently. It bounds the age of their parameters. */
export const TURN_GAS = 10_000_000

type Candidate = { readonly id: string; readonly gas: number; readonly requestedAtMs: number }

/** Budget of one market. */
export class RefreshBudget {
  private readonly silentIds: Set<string>
  private readonly tokens: FollowedTokens
  private readonly gasOf: (pool: Pool) => number | null
  /** Ids of the pools that the last choice left out for lack of gas. */
  private waitingIds: ReadonlySet<string> = new Set()

  /**
   * @param silentIds - ids of the followed silent pools. The budget keeps them in the order in which they take turns
   * @param gasOf - `DexFamily.parameterGas` of the pool's family
   */
  constructor(silentIds: Set<string>, tokens: FollowedTokens, gasOf: (pool: Pool) => number | null) {
    this.silentIds = silentIds
    this.tokens = tokens
    this.gasOf = gasOf
  }

  /** True for a pool that waits for its turn. Its parameters may be of an earlier block. */
  isWaiting(id: string): boolean {
    return this.waitingIds.has(id)
  }

  /** Chooses the pools to refresh at a block, from `pools` without those that `isExcluded` accepts. */
  choose(
    pools: { get(id: string): Pool | undefined },
    isExcluded: (id: string) => boolean,
    nowMs = performance.now(),
  ): readonly string[] {
    const priceIds: string[] = []
    const candidates: Candidate[] = []
    for (const id of this.silentIds) {
      const pool = pools.get(id)
      if (!pool || isExcluded(id)) continue
      const gas = this.gasOf(pool)
      if (gas === null) priceIds.push(id)
      else if (gas > 0) candidates.push({ id, gas, requestedAtMs: this.tokens.lastRequestMs(pool.tokens) })
    }
    const recentCandidates = candidates
      .filter(({ requestedAtMs }) => nowMs - requestedAtMs < SAMPLED_IDLE_MS)
      .sort((a, b) => b.requestedAtMs - a.requestedAtMs)
    const recent = takeWithin(recentCandidates, MAX_RECENT_GAS)
    const otherCandidates = candidates.filter(({ id }) => !recent.ids.has(id))
    const others = takeWithin(otherCandidates, MAX_RECENT_GAS - recent.gas + TURN_GAS)
    const parameterIds = [...recent.ids, ...others.ids]
    this.waitingIds = new Set(otherCandidates.flatMap(({ id }) => (others.ids.has(id) ? [] : [id])))
    for (const id of parameterIds) {
      // Move the pool behind those that still wait for their turn.
      this.silentIds.delete(id)
      this.silentIds.add(id)
    }
    return [...priceIds, ...parameterIds]
  }
}

/** Returns the first candidates whose gas is within the limit, and the sum of their gas. */
function takeWithin(
  candidates: readonly Candidate[],
  maxGas: number,
): { readonly ids: ReadonlySet<string>; readonly gas: number } {
  const ids = new Set<string>()
  let sum = 0
  for (const { id, gas } of candidates) {
    if (sum + gas > maxGas) break
    sum += gas
    ids.add(id)
  }
  return { ids, gas: sum }
}
