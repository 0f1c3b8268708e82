/**
 * Collects the faults of pools and tokens during one quote. Starts with the faults that earlier quotes recorded, and
 * adds the faults of each failed route. Routes pass only through trusted pools and tokens: they are in the chain's
 * file, or have earned trust over many blocks. Pools and tokens that fail lose earned trust. Used by
 * `findWorkingRoute`.
 */
import { type Address, NATIVE } from '@sluice/chains'
import type { InputLimit, Leg, RoutePlan } from '@sluice/routing'
import type { TaxRecords } from '../tokens/taxes.ts'
import { untrustedParts } from '../tokens/untrusted-parts.ts'
import { type FaultyLegs, findFaultyLegs, worksForNeutralSender } from './faulty-legs.ts'
import type { FailedLeg, FaultyPools } from './faulty-pools.ts'
import { type FaultyTokens, findFaultyTokens, isIntermediate } from './faulty-tokens.ts'
import type { QuotingContext, TokenKnowledge } from './ports.ts'
import type { QuoteRequest } from './request.ts'
import type { TrialContext } from './try-route.ts'

export type FaultsContext = Omit<TrialContext, 'signal' | 'taxes'> & {
  readonly tokens: TokenKnowledge
  readonly faultyPools: Pick<FaultyPools, 'idsAt' | 'inputLimitsAt' | 'record'>
  readonly faultyTokens: Pick<FaultyTokens, 'tokensAt' | 'record'>
}

/** Faults of pools and tokens that a quote knows. The rounds of the quote extend and clear these collections. */
export type Faults = {
  /** Pools and swaps that failed in recent quotes. Cleared if no route exists without them. */
  readonly recentFaults: {
    /** Ids of pools that searches leave out. */
    readonly poolIds: Set<string>
    /** Maximum inputs of swaps that failed because of their size. */
    readonly inputLimits: Set<InputLimit>
  }
  /** Maximum inputs of swaps that failed in this quote because of their size. */
  readonly inputLimits: InputLimit[]
  /** Tokens that routes do not pass through. Cleared if no route exists without them. */
  readonly avoidedTokens: Set<Address>
  /** Legs that failed alone. Their tokens, rather than their pools, may be the cause. */
  readonly failedLegs: FailedLeg[]
}

/** Returns the faults that earlier quotes recorded and that still apply at the block of the view (state of the chain). */
export function knownFaults(
  { tokenIn, tokenOut }: QuoteRequest,
  { view, faultyPools, faultyTokens, wrappedNative }: FaultsContext,
): Faults {
  const { timestamp } = view.snapshot.block
  const avoidedTokens = faultyTokens
    .tokensAt(timestamp)
    .filter((token) => isIntermediate(token, { tokenIn, tokenOut }, wrappedNative))
  const recentFaults = {
    poolIds: new Set(faultyPools.idsAt(timestamp)),
    inputLimits: new Set(faultyPools.inputLimitsAt(timestamp)),
  }
  return { recentFaults, inputLimits: [], avoidedTokens: new Set(avoidedTokens), failedLegs: [] }
}

/**
 * Picks the pools of a failed route that later rounds exclude, and withdraws the trust of the pools and intermediate
 * tokens that caused the failure.
 *
 * @param faults - changed in place. Adds tokens that cannot be transferred, and input limits of legs that fail because
 *   of their size. Adds legs that fail alone, if their tokens may be the cause
 * @returns pool ids
 */
export async function poolsToExclude(
  route: RoutePlan,
  context: FaultsContext,
  { signal, time }: QuotingContext,
  faults: Faults,
): Promise<readonly string[]> {
  const { trustTracker, taxes } = context.tokens
  // Legs of taxed tokens are not run alone: the Guard (our entry contract) would pay their output with one more tax
  // than planned.
  if (hasTaxes(route, taxes)) return largestPoolIds(route)
  const trialContext = { ...context, signal }
  const legFaults = await time('learn', () => findFaultyLegs(route, trialContext))
  const { timestamp } = context.view.snapshot.block
  const stuckTokens = await time('learn', () => findFaultyTokens(route, legFaults, trialContext))
  trustTracker.recordFailure(await time('learn', () => causesOfFailure(route, legFaults, stuckTokens, trialContext)))
  if (stuckTokens.length > 0) {
    for (const token of stuckTokens) faults.avoidedTokens.add(token)
    context.faultyTokens.record(stuckTokens, timestamp)
    return []
  }
  if (legFaults.someInputWorks) context.faultyPools.record(legFaults.failedLegs, timestamp)
  else faults.failedLegs.push(...legFaults.failedLegs)
  const oversizedLegs = legFaults.failedLegs.filter(({ maxWorkingInput }) => maxWorkingInput > 0n)
  for (const { pool, tokenIn, tokenOut, maxWorkingInput } of oversizedLegs)
    faults.inputLimits.push({ poolId: pool.id, tokenIn, tokenOut, maxInput: maxWorkingInput })
  const faultyPoolIds = legFaults.faultyPoolIds.filter((id) => !oversizedLegs.some(({ pool }) => pool.id === id))
  return faultyPoolIds.length + oversizedLegs.length > 0 ? faultyPoolIds : largestPoolIds(route)
}

/**
 * Records the failed legs whose tokens work in a later route: the pools of these legs, not the tokens, caused the
 * failures.
 */
export function recordExplained(
  failedLegs: readonly FailedLeg[],
  { legs }: RoutePlan,
  { faultyPools, view }: FaultsContext,
): void {
  const workingTokens = new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const explainedLegs = failedLegs.filter(
    ({ tokenIn, tokenOut }) => workingTokens.has(tokenIn) && workingTokens.has(tokenOut),
  )
  faultyPools.record(explainedLegs, view.snapshot.block.timestamp)
}

/** True if a token of the route has a known tax. */
export function hasTaxes({ legs }: RoutePlan, { taxedTokens }: TaxRecords): boolean {
  return legs.some(({ tokenIn, tokenOut }) => taxedTokens.has(tokenIn) || taxedTokens.has(tokenOut))
}

/**
 * Returns the ids of pools and intermediate tokens that made a route fail. The caller chooses the sender, the
 * recipient, and the tokens at the ends, and could make any route fail with them. So a failed leg of an untrusted end
 * token, and a route that works for another sender, say nothing about pools. Untrusted pools and tokens can fail on
 * purpose. So trusted pools and tokens are blamed only if no untrusted pool or token can be the cause.
 */
async function causesOfFailure(
  route: RoutePlan,
  { failedLegs, faultyPoolIds, workingLegs }: FaultyLegs,
  stuckTokens: readonly Address[],
  context: FaultsContext & { readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  const { legs, tokenIn, tokenOut } = route
  const trust = context.tokens.trustTracker.trust('earned')
  const isUntrustedEnd = (token: Address) =>
    (token === tokenIn || token === tokenOut) && token !== NATIVE && !trust?.tokens.has(token)
  const hasUntrustedEnd = (leg: Pick<Leg, 'tokenIn' | 'tokenOut'>) =>
    isUntrustedEnd(leg.tokenIn) || isUntrustedEnd(leg.tokenOut)
  const untrustedIdsOf = (hops: readonly Leg[]) => (trust ? untrustedParts(hops, trust) : [])
  const isNotEndToken = (id: string) => id !== tokenIn && id !== tokenOut
  if (failedLegs.length + faultyPoolIds.length === 0) {
    if (hasUntrustedEnd(route) || (await worksForNeutralSender(route, context)) !== false) return new Set()
    const untrustedIds = untrustedIdsOf(legs)
    return new Set((untrustedIds.length > 0 ? untrustedIds : legs.flatMap(partsOf)).filter(isNotEndToken))
  }
  const failedPools = new Set([...failedLegs.map(({ pool }) => pool.id), ...faultyPoolIds])
  const movableTokens = new Set<string>(workingLegs.flatMap((leg) => [leg.tokenIn, leg.tokenOut]))
  const faultyParts = legs
    .filter((leg) => failedPools.has(leg.pool.id) && !hasUntrustedEnd(leg))
    .flatMap((leg) => {
      const untrustedIds = untrustedIdsOf([leg])
      return untrustedIds.length > 0 ? untrustedIds : partsOf(leg)
    })
  return new Set([...faultyParts.filter((id) => !movableTokens.has(id)), ...stuckTokens].filter(isNotEndToken))
}

const partsOf = ({ pool, tokenIn, tokenOut }: Leg): readonly string[] => [pool.id, tokenIn, tokenOut]

/** Returns the id of the pool with the largest share of the trade, in a list; empty for a route without pools. */
function largestPoolIds({ legs, amountIn, tokenIn }: RoutePlan): readonly string[] {
  // A leg after the first hop counts as half of the trade, because its input is in units of another token.
  const shareOf = (leg: (typeof legs)[number]) =>
    leg.tokenIn === tokenIn ? Number(leg.amountIn) / Number(amountIn) : 0.5
  const [largestLeg] = [...legs].sort((a, b) => shareOf(b) - shareOf(a))
  return largestLeg ? [largestLeg.pool.id] : []
}
