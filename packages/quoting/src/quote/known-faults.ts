/** Faults of pools and tokens that the rounds of a quote know, and those that they find in a failed route. */
import type { Address } from '@sluice/chains'
import type { InputLimit, RoutePlan } from '@sluice/routing'
import type { TaxRecords } from '../tokens/taxes.ts'
import { faultyLegs } from './faulty-legs.ts'
import type { FailedLeg, FaultyPools } from './faulty-pools.ts'
import { type FaultyTokens, faultyTokens, isIntermediate } from './faulty-tokens.ts'
import type { TokenKnowledge, Work } from './ports.ts'
import type { QuoteRequest } from './request.ts'
import type { TrialContext } from './try-route.ts'

export type FaultsContext = Omit<TrialContext, 'signal' | 'taxes'> & {
  readonly tokens: TokenKnowledge
  readonly faultyPools: Pick<FaultyPools, 'idsAt' | 'limitsAt' | 'record'>
  readonly faultyTokens: Pick<FaultyTokens, 'at' | 'record'>
}

/** Swaps that fail, as far as the rounds of a quote know. */
export type Faults = {
  /** Pools and swaps that failed lately; cleared once they are needed. */
  readonly recentFaults: {
    /** Ids of pools that searches leave out. */
    readonly pools: Set<string>
    /** Swaps that failed for their size. */
    readonly limits: Set<InputLimit>
  }
  /** Swaps that failed for their size in this quote. */
  readonly limits: InputLimit[]
  /** Tokens that routes do not pass through; cleared once they are needed. */
  readonly avoidedTokens: Set<Address>
  /** Legs that failed alone, though their tokens may be the cause. */
  readonly failed: FailedLeg[]
}

export function knownFaults(
  { tokenIn, tokenOut }: QuoteRequest,
  { view, faultyPools, faultyTokens, wrappedNative }: FaultsContext,
): Faults {
  const { timestamp } = view.snapshot.block
  const tokens = faultyTokens
    .at(timestamp)
    .filter((token) => isIntermediate(token, { tokenIn, tokenOut }, wrappedNative))
  const recentFaults = {
    pools: new Set(faultyPools.idsAt(timestamp)),
    limits: new Set(faultyPools.limitsAt(timestamp)),
  }
  return { recentFaults, limits: [], avoidedTokens: new Set(tokens), failed: [] }
}

/**
 * Picks the pools that later rounds exclude, and lowers the trust of the route's pools and intermediate tokens.
 *
 * @param faults - extended by tokens that cannot be transferred, by legs that fail for their size, and by legs that fail alone, if
 *   their tokens may be the cause
 */
export async function poolsToExclude(
  route: RoutePlan,
  context: FaultsContext,
  { signal, time }: Work,
  faults: Faults,
): Promise<readonly string[]> {
  const { standings, taxes } = context.tokens
  standings.recordFailure(passedThrough(route))
  if (hasTaxes(route, taxes)) return suspects(route)
  const legs = await time('learn', () => faultyLegs(route, { ...context, signal }))
  const { timestamp } = context.view.snapshot.block
  const tokens = await time('learn', () => faultyTokens(route, legs, { ...context, signal }))
  if (tokens.length > 0) {
    for (const token of tokens) faults.avoidedTokens.add(token)
    context.faultyTokens.record(tokens, timestamp)
    return []
  }
  if (legs.isConfirmed) context.faultyPools.record(legs.failed, timestamp)
  else faults.failed.push(...legs.failed)
  const tooLarge = legs.failed.filter(({ maxWorking }) => maxWorking > 0n)
  for (const { pool, tokenIn, tokenOut, maxWorking } of tooLarge)
    faults.limits.push({ poolId: pool.id, tokenIn, tokenOut, maxInput: maxWorking })
  const faulty = legs.faulty.filter((id) => !tooLarge.some(({ pool }) => pool.id === id))
  return faulty.length + tooLarge.length > 0 ? faulty : suspects(route)
}

/** Records the failed legs whose tokens work in a route, so that the tokens are not the cause. */
export function recordExplained(
  failedLegs: readonly FailedLeg[],
  { legs }: RoutePlan,
  { faultyPools, view }: FaultsContext,
): void {
  const working = new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const explainedLegs = failedLegs.filter(({ tokenIn, tokenOut }) => working.has(tokenIn) && working.has(tokenOut))
  faultyPools.record(explainedLegs, view.snapshot.block.timestamp)
}

export function hasTaxes({ legs }: RoutePlan, { current }: TaxRecords): boolean {
  return legs.some(({ tokenIn, tokenOut }) => current.has(tokenIn) || current.has(tokenOut))
}

/** Ids of the route's pools and intermediate tokens. */
function passedThrough({ legs, tokenIn, tokenOut }: RoutePlan): ReadonlySet<string> {
  const ids = legs.flatMap((leg) => [leg.pool.id, leg.tokenIn, leg.tokenOut])
  return new Set(ids.filter((id) => id !== tokenIn && id !== tokenOut))
}

/** The pool with the largest share of the trade, which is excluded if no leg fails on its own. */
function suspects({ legs, amountIn, tokenIn }: RoutePlan): readonly string[] {
  const share = (leg: (typeof legs)[number]) =>
    leg.tokenIn === tokenIn ? Number(leg.amountIn) / Number(amountIn) : 0.5
  const [first] = [...legs].sort((a, b) => share(b) - share(a))
  return first ? [first.pool.id] : []
}
