/** Swaps of mined transactions, from their logs alone. */
import type { Address, Hex } from '@sluice/chains'
import { changesOf, type FlowLog, poolTrades, tokenFlows } from '@sluice/quoting'
import { reportedSwap, SYNC_TOPICS } from './swap-events.ts'

/** A mined transaction with its logs. */
export type MinedTransaction = {
  readonly hash: Hex
  readonly from: Address
  readonly to: Address | null
  readonly logs: readonly FlowLog[]
}

/** Kind of a swap of a pair that logs its reserves, but no known event of a swap. */
const PAIR = 'pair of another kind'
/** Kind of a trade of a contract that logs no known event: a pool, a market maker, or no exchange at all. */
export const UNKNOWN = 'unknown'

export type Swap = {
  readonly transaction: Hex
  readonly kind: string
  /** Id of the pool in a contract that holds many; the address of the contract if it is the pool itself. */
  readonly pool: string
  readonly contract: Address
  /** Tokens that the pool traded; null if the logs do not say, as of pools in a contract that holds many. */
  readonly tokens: readonly [Address, Address] | null
  /** Fee that the event reports, in ppm; null if it reports none. */
  readonly feePpm: number | null
  /** All tokens that moved in the transaction. */
  readonly moved: readonly Address[]
  /** Contract that the transaction called, and contracts that logged something in it. */
  readonly contracts: readonly Address[]
}

/**
 * Returns the swaps of a transaction: one per event of a known kind, and one per other account that received one token
 * and sent another. Does not count: the sender; the called contract, unless it trades with the sender; shares that a
 * contract issues or redeems itself; accounts whose trade is the other side of swaps already found. Pools that move the
 * native token itself are only seen by an event.
 *
 * @param wrapper - wrapped native token
 */
export function swapsOf({ hash, from, to, logs }: MinedTransaction, wrapper: Address | null): readonly Swap[] {
  const flows = tokenFlows(logs, wrapper)
  const changes = changesOf(flows)
  const sharedFields = {
    transaction: hash,
    moved: [...new Set(flows.map(({ token }) => token))],
    contracts: [...new Set([...(to ? [to] : []), ...logs.map(({ address }) => address)])],
  }
  const trades = new Map(poolTrades(changes).map((trade) => [trade.pool, trade]))
  const reportedSwaps = logs.flatMap((log): Swap[] => {
    const swap = reportedSwap(log)
    if (!swap) return []
    const trade = swap.isShared ? undefined : trades.get(log.address)
    const tokens = trade ? ([trade.tokenIn, trade.tokenOut] as const) : null
    const { kind, pool, feePpm } = swap
    return [{ ...sharedFields, kind, pool, contract: log.address, tokens, feePpm }]
  })

  /** Sum of the changes of all pools found so far, by token. */
  const sums = new Map<Address, bigint>()
  const add = (account: Address) => {
    for (const [token, change] of changes.get(account) ?? []) sums.set(token, (sums.get(token) ?? 0n) + change)
  }
  const pools = new Set(reportedSwaps.map(({ contract }) => contract))
  for (const contract of pools) add(contract)
  // A pool of the native token takes and gives through the wrapper.
  if (wrapper && pools.size > 0) add(wrapper)

  const syncing = new Set(logs.filter(({ topics }) => SYNC_TOPICS.has(topics[0] ?? '')).map(({ address }) => address))
  const otherTrades = [...trades.values()]
    .filter(({ pool, tokenIn, tokenOut }) => !pools.has(pool) && pool !== tokenIn && pool !== tokenOut)
    .filter(({ pool }) => pool !== from && (pool !== to || trades.has(from)))
    .sort((a, b) => Number(syncing.has(b.pool)) - Number(syncing.has(a.pool)))
  const unreportedSwaps = otherTrades.flatMap(({ pool, tokenIn, tokenOut }): Swap[] => {
    const isOtherSide = (sums.get(tokenIn) ?? 0n) < 0n && (sums.get(tokenOut) ?? 0n) > 0n
    if (isOtherSide) return []
    add(pool)
    const kind = syncing.has(pool) ? PAIR : UNKNOWN
    return [{ ...sharedFields, kind, pool, contract: pool, tokens: [tokenIn, tokenOut], feePpm: null }]
  })
  return [...reportedSwaps, ...unreportedSwaps]
}

/** Counts swaps by token, and returns the most traded tokens first. */
export function topTokens(
  swaps: readonly { readonly tokens: readonly Address[] }[],
  count: number,
): readonly Address[] {
  const counts = new Map<Address, number>()
  for (const { tokens } of swaps) for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, count)
    .map(([token]) => token)
}
