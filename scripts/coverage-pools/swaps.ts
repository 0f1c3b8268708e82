/** Finds the swaps of mined transactions from their logs. */
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

/** Kind of a swap in a pair that emits a `Sync` event, but no known swap event. */
const OTHER_PAIR_KIND = 'pair of another kind'
/** Kind of a trade by a contract that emits no known event: a pool, a market maker, or no exchange at all. */
export const UNKNOWN_KIND = 'unknown'

/** A swap in a mined transaction. */
export type Swap = {
  readonly transaction: Hex
  /** Kind of DEX that emits the swap event, `OTHER_PAIR_KIND`, or `UNKNOWN_KIND`. */
  readonly kind: string
  /** Pool id if the contract holds many pools; otherwise the address of the contract, which is the pool. */
  readonly pool: string
  readonly contract: Address
  /** Tokens that the pool traded; null if unknown, for example if the contract holds many pools. */
  readonly tokens: readonly [Address, Address] | null
  /** Fee that the event reports, in ppm; null if it reports none. */
  readonly feePpm: number | null
  /** All tokens that moved in the transaction. */
  readonly movedTokens: readonly Address[]
  /** Contract that the transaction called, and contracts that emitted logs in it. */
  readonly contracts: readonly Address[]
}

/**
 * Returns the swaps of a transaction: one for each known swap event, and one for each other account that received one
 * token and sent another. A swap of the native token without a known event is not found, because it leaves no log.
 * These other accounts are left out:
 * - the sender;
 * - the called contract, unless the sender also traded;
 * - contracts that issue or redeem their own token;
 * - accounts whose trade is the other side of swaps already found.
 *
 * @param wrapper - wrapped native token
 */
export function swapsOf({ hash, from, to, logs }: MinedTransaction, wrapper: Address | null): readonly Swap[] {
  const flows = tokenFlows(logs, wrapper)
  const changes = changesOf(flows)
  const sharedFields = {
    transaction: hash,
    movedTokens: [...new Set(flows.map(({ token }) => token))],
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

  // Balance changes of all pools found so far, summed by token.
  const changeOfPools = new Map<Address, bigint>()
  const addChangesOf = (account: Address) => {
    for (const [token, change] of changes.get(account) ?? [])
      changeOfPools.set(token, (changeOfPools.get(token) ?? 0n) + change)
  }
  const foundPools = new Set(reportedSwaps.map(({ contract }) => contract))
  for (const contract of foundPools) addChangesOf(contract)
  // Pools of the native token receive and send it through its wrapper.
  if (wrapper && foundPools.size > 0) addChangesOf(wrapper)

  const syncedPairs = new Set(
    logs.filter(({ topics }) => SYNC_TOPICS.has(topics[0] ?? '')).map(({ address }) => address),
  )
  const otherTrades = [...trades.values()]
    .filter(({ pool, tokenIn, tokenOut }) => !foundPools.has(pool) && pool !== tokenIn && pool !== tokenOut)
    .filter(({ pool }) => pool !== from && (pool !== to || trades.has(from)))
    .sort((a, b) => Number(syncedPairs.has(b.pool)) - Number(syncedPairs.has(a.pool)))
  const unreportedSwaps = otherTrades.flatMap(({ pool, tokenIn, tokenOut }): Swap[] => {
    const isOtherSide = (changeOfPools.get(tokenIn) ?? 0n) < 0n && (changeOfPools.get(tokenOut) ?? 0n) > 0n
    if (isOtherSide) return []
    addChangesOf(pool)
    const kind = syncedPairs.has(pool) ? OTHER_PAIR_KIND : UNKNOWN_KIND
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
