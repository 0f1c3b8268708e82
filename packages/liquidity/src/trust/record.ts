/** Rules for earning and losing trust, block by block, for tokens and pools that the chain's file does not name. */

/** Conditions for earning trust. */
export type TrustTerms = {
  /** Minimum consecutive blocks at which the other conditions hold. */
  readonly blocks: number
  /**
   * Minimum number of pools with named tokens (tokens of the chain's file), and of different named tokens in these
   * pools.
   */
  readonly pools: number
  readonly namedTokens: number
  /** Minimum value of the named tokens in these pools, in USD. */
  readonly depthUsd: number
  /** Blocks after which the transfer behavior of the token must be measured again. */
  readonly measurementIntervalBlocks: number
}

/** Liquidity of a token or pool at a block. For its fields, see `TrustTerms`. */
export type ObservedLiquidity = { readonly pools: number; readonly namedTokens: number; readonly depthUsd: number }

/** Trust level of a token, with a reason. */
export type TokenStanding = {
  readonly standing: 'named' | 'earned' | 'stranger'
  /** Reason, for display. */
  readonly reason: string
}

/** Trust record of one token or pool. Immutable. */
export type TrustRecord = {
  /** First of the consecutive blocks at which the conditions have held; null if they do not hold. */
  readonly heldSinceBlock: number | null
  /** The newest block at which the token or pool was observed. */
  readonly lastSeenBlock: number
  readonly depthUsd: number
  /** Block of the last clean measurement; null if there is none. */
  readonly cleanMeasurementBlock: number | null
  /** Condition that fails; null if all hold. */
  readonly fault: string | null
  /** Last breach that reset the trust; null if there was none. */
  readonly breach: string | null
}

/** Record of a token or pool that has not been observed. */
export const UNOBSERVED: TrustRecord = {
  heldSinceBlock: null,
  lastSeenBlock: 0,
  depthUsd: 0,
  cleanMeasurementBlock: null,
  fault: 'not seen yet',
  breach: null,
}

/** Returns the record after a block in which `liquidity` was observed. */
export function recordLiquidity(
  record: TrustRecord,
  liquidity: ObservedLiquidity,
  block: number,
  terms: TrustTerms,
): TrustRecord {
  const { depthUsd } = liquidity
  const fault = describeFailedCondition(liquidity, terms)
  if (fault !== null) return { ...UNOBSERVED, lastSeenBlock: block, depthUsd, fault, breach: record.breach }
  return { ...record, heldSinceBlock: record.heldSinceBlock ?? block, lastSeenBlock: block, depthUsd, fault: null }
}

function describeFailedCondition(
  { pools, namedTokens, depthUsd }: ObservedLiquidity,
  terms: TrustTerms,
): string | null {
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
  return fault === null ? { ...record, cleanMeasurementBlock: block } : recordBreach(record, fault)
}

/** Returns the record after a breach: all trust is lost at once. */
export function recordBreach({ lastSeenBlock, depthUsd }: TrustRecord, fault: string): TrustRecord {
  return { ...UNOBSERVED, lastSeenBlock, depthUsd, fault, breach: fault }
}

/** True if all conditions have held long enough, and there is no measurement or the last one is due for renewal. */
export function isDueForMeasurement(
  { heldSinceBlock, lastSeenBlock, cleanMeasurementBlock }: TrustRecord,
  { blocks, measurementIntervalBlocks }: TrustTerms,
): boolean {
  if (heldSinceBlock === null || lastSeenBlock - heldSinceBlock + 1 < blocks) return false
  return cleanMeasurementBlock === null || lastSeenBlock - cleanMeasurementBlock >= measurementIntervalBlocks
}

/** True if all conditions have held long enough and the last measurement is recent. */
export function hasEarned(
  { heldSinceBlock, lastSeenBlock, cleanMeasurementBlock }: TrustRecord,
  { blocks, measurementIntervalBlocks }: TrustTerms,
): boolean {
  if (heldSinceBlock === null || cleanMeasurementBlock === null || lastSeenBlock - heldSinceBlock + 1 < blocks)
    return false
  // Accept a measurement for twice its interval, since measuring can be delayed. After that the result is too old.
  return lastSeenBlock - cleanMeasurementBlock <= 2 * measurementIntervalBlocks
}

/** Returns the trust level that a record has earned, with a reason. */
export function standingOf(record: TrustRecord, terms: TrustTerms): TokenStanding {
  const { heldSinceBlock, lastSeenBlock, cleanMeasurementBlock, fault, breach } = record
  const untrustedStanding = (reason: string): TokenStanding => ({ standing: 'stranger', reason })
  if (heldSinceBlock === null) return untrustedStanding(fault ?? 'not seen yet')
  const blocks = lastSeenBlock - heldSinceBlock + 1
  if (blocks < terms.blocks) {
    const breachText = breach === null ? '' : `, after ${breach}`
    return untrustedStanding(`seen to behave for ${blocks} blocks, of ${terms.blocks} at least${breachText}`)
  }
  if (cleanMeasurementBlock === null) return untrustedStanding('not measured yet')
  if (!hasEarned(record, terms)) return untrustedStanding('not measured lately')
  return { standing: 'earned', reason: `seen to behave for ${blocks} blocks` }
}
