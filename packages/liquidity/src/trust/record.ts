/**
 * The rules by which a token or a pool that the chain's file does not name earns trust, block by block, and how it
 * loses it.
 */

/** Conditions that have to hold all that time. */
export type Terms = {
  /** Blocks in a row. */
  readonly blocks: number
  /** Pools with named tokens, and how many different ones. */
  readonly pools: number
  readonly namedTokens: number
  /** Dollars of named tokens in those pools. */
  readonly depthUsd: number
  /** Blocks after which what was measured has to be measured again. */
  readonly reportBlocks: number
}

/** Liquidity that is there at a block. */
export type Sighting = { readonly pools: number; readonly namedTokens: number; readonly depthUsd: number }

export type Standing = {
  readonly standing: 'named' | 'earned' | 'stranger'
  /** In a few words, for people. */
  readonly reason: string
}

/** The record of one token or pool. Immutable. */
export type TrustRecord = {
  /** First block of those in a row at which the terms were met; null while they are not. */
  readonly since: number | null
  /** The newest block it was seen at. */
  readonly seen: number
  readonly depthUsd: number
  /** Block of the last clean report; null where there is none. */
  readonly cleanAt: number | null
  /** Why it does not meet the terms; null while it does. */
  readonly fault: string | null
  /** The breach that cost it all it had earned, last; null where it never did. */
  readonly breach: string | null
}

export const STRANGER: TrustRecord = {
  since: null,
  seen: 0,
  depthUsd: 0,
  cleanAt: null,
  fault: 'not seen yet',
  breach: null,
}

/** The record after a block. */
export function observed(record: TrustRecord, sighting: Sighting, block: number, terms: Terms): TrustRecord {
  const { depthUsd } = sighting
  const fault = lacks(sighting, terms)
  if (fault !== null) return { ...STRANGER, seen: block, depthUsd, fault, breach: record.breach }
  return { ...record, since: record.since ?? block, seen: block, depthUsd, fault: null }
}

function lacks({ pools, namedTokens, depthUsd }: Sighting, terms: Terms): string | null {
  if (pools < terms.pools) return `in ${pools} pools with named tokens, of ${terms.pools} at least`
  if (namedTokens < terms.namedTokens)
    return `traded with ${namedTokens} named tokens, of ${terms.namedTokens} at least`
  if (!(depthUsd >= terms.depthUsd)) return `less than ${terms.depthUsd} USD of named tokens stand against it`
  return null
}

/** The record after it was measured at a block. @param fault - what was found; null for a clean report */
export function measured(record: TrustRecord, fault: string | null, block: number): TrustRecord {
  return fault === null ? { ...record, cleanAt: block } : broken(record, fault)
}

/** The record after it did what cannot be trusted: all that was earned is lost at once. */
export function broken({ seen, depthUsd }: TrustRecord, fault: string): TrustRecord {
  return { ...STRANGER, seen, depthUsd, fault, breach: fault }
}

/** True where a report is all that is missing, or is soon. */
export function isDueForReport({ since, seen, cleanAt }: TrustRecord, { blocks, reportBlocks }: Terms): boolean {
  if (since === null || seen - since + 1 < blocks) return false
  return cleanAt === null || seen - cleanAt >= reportBlocks
}

export function hasEarned({ since, seen, cleanAt }: TrustRecord, { blocks, reportBlocks }: Terms): boolean {
  if (since === null || cleanAt === null || seen - since + 1 < blocks) return false
  // Twice as long as it should take: whatever is in the way of measuring it, it is not known any more.
  return seen - cleanAt <= 2 * reportBlocks
}

export function standingOf(record: TrustRecord, terms: Terms): Standing {
  const { since, seen, cleanAt, fault, breach } = record
  const stranger = (reason: string): Standing => ({ standing: 'stranger', reason })
  if (since === null) return stranger(fault ?? 'not seen yet')
  const blocks = seen - since + 1
  if (blocks < terms.blocks) {
    const after = breach === null ? '' : `, after ${breach}`
    return stranger(`seen to behave for ${blocks} blocks, of ${terms.blocks} at least${after}`)
  }
  if (cleanAt === null) return stranger('not measured yet')
  if (!hasEarned(record, terms)) return stranger('not measured lately')
  return { standing: 'earned', reason: `seen to behave for ${blocks} blocks` }
}
