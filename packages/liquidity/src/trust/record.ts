/** Rules by which a token or pool that the chain's file does not name earns trust, block by block, and loses it. */

/** Conditions for earning trust. */
export type Terms = {
  /** Minimum consecutive blocks at which the other conditions hold. */
  readonly blocks: number
  /** Minimum number of pools with named tokens, and of different named tokens in them. */
  readonly pools: number
  readonly namedTokens: number
  /** Minimum value of the named tokens in those pools, in USD. */
  readonly depthUsd: number
  /** Blocks after which the token must be measured again. */
  readonly reportBlocks: number
}

/** Liquidity seen at a block. */
export type ObservedLiquidity = { readonly pools: number; readonly namedTokens: number; readonly depthUsd: number }

/** Trust level of a token, with a reason. */
export type Standing = {
  readonly standing: 'named' | 'earned' | 'stranger'
  /** Reason, for display. */
  readonly reason: string
}

/** Trust record of one token or pool. Immutable. */
export type TrustRecord = {
  /** First of the consecutive blocks at which the conditions have held; null if they do not hold. */
  readonly heldSince: number | null
  /** The newest block at which it was observed. */
  readonly lastSeenAt: number
  readonly depthUsd: number
  /** Block of the last clean measurement; null if there is none. */
  readonly cleanAt: number | null
  /** Condition that fails; null if all hold. */
  readonly fault: string | null
  /** Last breach that reset its trust; null if there was none. */
  readonly breach: string | null
}

/** Record of a token or pool that has not been observed. */
export const UNOBSERVED: TrustRecord = {
  heldSince: null,
  lastSeenAt: 0,
  depthUsd: 0,
  cleanAt: null,
  fault: 'not seen yet',
  breach: null,
}

/** Returns the record after a block. */
export function recordLiquidity(
  record: TrustRecord,
  liquidity: ObservedLiquidity,
  block: number,
  terms: Terms,
): TrustRecord {
  const { depthUsd } = liquidity
  const fault = failedCondition(liquidity, terms)
  if (fault !== null) return { ...UNOBSERVED, lastSeenAt: block, depthUsd, fault, breach: record.breach }
  return { ...record, heldSince: record.heldSince ?? block, lastSeenAt: block, depthUsd, fault: null }
}

function failedCondition({ pools, namedTokens, depthUsd }: ObservedLiquidity, terms: Terms): string | null {
  if (pools < terms.pools) return `in ${pools} pools with named tokens, of ${terms.pools} at least`
  if (namedTokens < terms.namedTokens)
    return `traded with ${namedTokens} named tokens, of ${terms.namedTokens} at least`
  if (!(depthUsd >= terms.depthUsd)) return `less than ${terms.depthUsd} USD of named tokens stand against it`
  return null
}

/**
 * Returns the record after a measurement at a block.
 *
 * @param fault - the fault that was measured; null for a clean report
 */
export function recordMeasurement(record: TrustRecord, fault: string | null, block: number): TrustRecord {
  return fault === null ? { ...record, cleanAt: block } : brokenRecord(record, fault)
}

/** Returns the record after a breach: all trust is lost at once. */
export function brokenRecord({ lastSeenAt, depthUsd }: TrustRecord, fault: string): TrustRecord {
  return { ...UNOBSERVED, lastSeenAt, depthUsd, fault, breach: fault }
}

/** True if only a measurement is missing, or the last one expires soon. */
export function isDueForReport(
  { heldSince, lastSeenAt, cleanAt }: TrustRecord,
  { blocks, reportBlocks }: Terms,
): boolean {
  if (heldSince === null || lastSeenAt - heldSince + 1 < blocks) return false
  return cleanAt === null || lastSeenAt - cleanAt >= reportBlocks
}

/** True if all conditions have held long enough and the last measurement is recent. */
export function hasEarned({ heldSince, lastSeenAt, cleanAt }: TrustRecord, { blocks, reportBlocks }: Terms): boolean {
  if (heldSince === null || cleanAt === null || lastSeenAt - heldSince + 1 < blocks) return false
  // Accept a measurement for twice its interval, since measuring can be delayed. After that the result is too old.
  return lastSeenAt - cleanAt <= 2 * reportBlocks
}

/** Returns the trust level that a record has earned, with a reason. */
export function standingOf(record: TrustRecord, terms: Terms): Standing {
  const { heldSince, lastSeenAt, cleanAt, fault, breach } = record
  const untrustedStanding = (reason: string): Standing => ({ standing: 'stranger', reason })
  if (heldSince === null) return untrustedStanding(fault ?? 'not seen yet')
  const blocks = lastSeenAt - heldSince + 1
  if (blocks < terms.blocks) {
    const after = breach === null ? '' : `, after ${breach}`
    return untrustedStanding(`seen to behave for ${blocks} blocks, of ${terms.blocks} at least${after}`)
  }
  if (cleanAt === null) return untrustedStanding('not measured yet')
  if (!hasEarned(record, terms)) return untrustedStanding('not measured lately')
  return { standing: 'earned', reason: `seen to behave for ${blocks} blocks` }
}
