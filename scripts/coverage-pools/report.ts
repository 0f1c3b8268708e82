/** Sums of coverages, as data and as text. */
import { type Counts, type Coverage, type PoolCoverage, type PoolState, STATES } from './coverage.ts'

/** Counts by state, and percentages of the counts that quotes can use. */
export type Shares = Counts & {
  readonly total: number
  /** Percentage that is served or sampled, rounded down to a hundredth; null if there are no counts. */
  readonly usablePercent: number | null
  /** Percentage that is served, sampled, or unread: an upper bound, because unread pools may be usable on the chain. */
  readonly usableOrUnreadPercent: number | null
}

export type Summary = {
  readonly tokens: number
  readonly swaps: Shares
  readonly transactions: Shares
  readonly pools: Shares
  readonly swapsOfOtherTokens: number
  /** Number of trades of contracts without a known swap event: pools, market makers, or no exchanges at all. */
  readonly otherTrades: number
  readonly used: readonly Group[]
  readonly unused: readonly Group[]
}

/** Pools in one state, of one DEX or with the same reason. */
type Group = {
  readonly state: PoolState
  readonly dex: string
  readonly swaps: number
  readonly pools: number
  readonly reason?: string
}

/** Sums the coverages of a chain: one for live blocks, or one for each recording. */
export function summaryOf(coverages: readonly Coverage[]): Summary {
  const pools = coverages.flatMap((coverage) => coverage.pools)
  const isUsed = ({ state }: PoolCoverage) => state === 'served' || state === 'sampled'
  const sum = (count: (coverage: Coverage) => number) =>
    coverages.reduce((total, coverage) => total + count(coverage), 0)
  const shares = (countsOfCoverage: (coverage: Coverage) => Counts) => {
    const count = (state: PoolState) => sum((coverage) => countsOfCoverage(coverage)[state])
    return sharesOf({
      served: count('served'),
      sampled: count('sampled'),
      unread: count('unread'),
      invisible: count('invisible'),
    })
  }
  return {
    tokens: new Set(coverages.flatMap(({ tokens }) => tokens)).size,
    swaps: shares(({ swaps }) => swaps),
    transactions: shares(({ transactions }) => transactions),
    pools: shares(({ poolCounts }) => poolCounts),
    swapsOfOtherTokens: sum(({ swapsOfOtherTokens }) => swapsOfOtherTokens),
    otherTrades: sum(({ otherTrades }) => otherTrades.reduce((total, { trades }) => total + trades, 0)),
    used: groupsOf(pools.filter(isUsed)),
    unused: groupsOf(pools.filter((pool) => !isUsed(pool))),
  }
}

function sharesOf(counts: Counts): Shares {
  const total = STATES.reduce((sum, state) => sum + counts[state], 0)
  const percent = (part: number) => (total === 0 ? null : Math.floor((10_000 * part) / total) / 100)
  const usedCount = counts.served + counts.sampled
  return {
    ...counts,
    total,
    usablePercent: percent(usedCount),
    usableOrUnreadPercent: percent(usedCount + counts.unread),
  }
}

function groupsOf(pools: readonly PoolCoverage[]): readonly Group[] {
  const groups = Map.groupBy(pools, ({ state, dex, kind, reason }) => `${state} ${reason?.text ?? dex ?? kind}`)
  return [...groups.values()]
    .map((group): Group => {
      const { state, dex, kind, reason } = group[0]!
      const swaps = group.reduce((sum, pool) => sum + pool.swaps, 0)
      return { state, dex: dex ?? kind, swaps, pools: group.length, ...(reason && { reason: reason.text }) }
    })
    .sort((a, b) => b.swaps - a.swaps || (a.dex < b.dex ? -1 : 1))
}

/** Returns the pools of each token as text, the most traded token first. */
export function tokenTable({ tokens, pools }: Coverage, nameOf: (token: string) => string): string {
  const lines = tokens.flatMap((token) => {
    const tokenPools = pools.filter((pool) => pool.tokens.includes(token))
    const swaps = tokenPools.reduce((sum, pool) => sum + pool.swaps, 0)
    return [`${nameOf(token)}: ${swaps} swaps in ${tokenPools.length} pools`, ...tokenPools.map(poolLine)]
  })
  return lines.join('\n')
}

function poolLine({ state, swaps, dex, kind, pool, reason }: PoolCoverage): string {
  return `  ${state.padEnd(9)} ${String(swaps).padStart(5)}  ${dex ?? kind} ${pool}${reason ? ` (${reason.text})` : ''}`
}

export function summaryText(name: string, { swaps, transactions, pools, unused, ...rest }: Summary): string {
  const lines = Object.entries({ swaps, transactions, pools }).map(([subject, shares]) => {
    const { total, served, sampled, unread, invisible, usablePercent, usableOrUnreadPercent } = shares
    const upTo = unread > 0 ? `, up to ${usableOrUnreadPercent} % with those unread` : ''
    const counts = `${served} served, ${sampled} sampled, ${unread} unread, ${invisible} invisible`
    return `  ${subject.padEnd(13)} ${usablePercent ?? 'none'} % of ${total} usable${upTo}: ${counts}`
  })
  const missing = unused.map(({ swaps: count, reason, dex }) => `  ${String(count).padStart(5)}  ${reason ?? dex}`)
  const notCounted = `  not counted   ${rest.otherTrades} trades of contracts without a known event, ${rest.swapsOfOtherTokens} swaps of other tokens`
  return [
    `${name}: ${rest.tokens} tokens`,
    ...lines,
    notCounted,
    ...(missing.length > 0 ? ['  Not usable, by swaps:'] : []),
    ...missing,
  ].join('\n')
}
