/** Compares the pools of mined swaps with the pools that a quote of the same tokens can use. */
import { type Address, type Chain, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { createMarket, familyOf, nullIfRefused, type Pool, type PoolEntry } from '@sluice/liquidity'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { id } from 'ethers'
import type { AssignedPool } from './assign.ts'
import { readAddress } from './reads.ts'
import { type Reason, reasonOf, unreadReason } from './reasons.ts'
import { type Swap, topTokens, UNKNOWN_KIND } from './swaps.ts'

/**
 * States of a pool, the most usable first. `served`: the service quotes the pool by exact math. `sampled`: the service
 * quotes the pool from swaps that it simulates at each block. `unread`: the service serves the pool's DEX deployment (a
 * row of the chain's file), but the recorded state of the chain lacks storage slots of the pool. `invisible`: no quote
 * can use the pool.
 */
export const STATES = ['served', 'sampled', 'unread', 'invisible'] as const
export type PoolState = (typeof STATES)[number]

export type PoolCoverage = {
  readonly pool: string
  readonly contract: Address
  /** Kind of DEX that emits the swap event; see `swaps.ts`. */
  readonly kind: string
  readonly tokens: readonly Address[]
  readonly swaps: number
  readonly state: PoolState
  readonly dex: string | null
  /** Reason why no quote uses the pool; null if quotes use it. */
  readonly reason: Reason | null
}

/** Numbers of swaps, pools, or transactions by state. A transaction has the state of its least usable pool. */
export type Counts = Readonly<Record<PoolState, number>>

export type Coverage = {
  /** The most traded tokens, ordered by their number of swaps. */
  readonly tokens: readonly Address[]
  readonly swaps: Counts
  readonly transactions: Counts
  readonly poolCounts: Counts
  /** Pools of `tokens`, those with the most swaps first. */
  readonly pools: readonly PoolCoverage[]
  /**
   * Contracts that received one token and sent another without a known swap event, with the number of these trades.
   * They may be pools, market makers, or no exchanges at all.
   */
  readonly otherTrades: readonly { readonly contract: Address; readonly trades: number }[]
  /** Number of swaps in pools that trade none of `tokens`. */
  readonly swapsOfOtherTokens: number
  /** False if the search of past logs for pools was not complete. */
  readonly isScanned: boolean
}

export type CoverageOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  /** Number of most traded tokens whose pools are compared. */
  readonly tokenCount: number
  /** Maximum wait for the search of pools, in milliseconds. */
  readonly settleMs: number
  /**
   * Finds the row of the chain's file (one deployment of a DEX) of each pool that swapped. Needed for recorded state,
   * which has neither the storage of factories nor past logs. Assigned pools that cannot be read count as `unread`.
   */
  readonly assign?: (
    swaps: readonly Swap[],
    knownPools: ReadonlyMap<string, Pool>,
  ) => Promise<ReadonlyMap<string, AssignedPool>>
}

/** Maximum number of tokens of one transaction between which pools are searched. */
const MAX_TOKENS_OF_GROUP = 8

/** A swap, its pool if the market has the pool in memory, and the tokens in whose number of swaps it counts. */
type TradedSwap = { readonly swap: Swap; readonly pool: Pool | undefined; readonly tokens: readonly Address[] }

/**
 * Result of the search for pools. Both maps are by pool id. `assignedPools` has the pools that `assign` or the scan of
 * past logs found, each with its row.
 */
type PoolSearch = {
  readonly poolsInMemory: ReadonlyMap<string, Pool>
  readonly assignedPools: ReadonlyMap<string, AssignedPool>
  readonly block: BlockHeader
  readonly isScanned: boolean
}

/**
 * Finds the pools of the swapped tokens as a quote does, and compares them with the pools that swapped.
 *
 * @throws RpcError if the node fails
 */
export async function coverageOf(allSwaps: readonly Swap[], options: CoverageOptions): Promise<Coverage> {
  const { chain, rpc, tokenCount, assign } = options
  const swaps = await Promise.all(
    allSwaps
      .filter(({ kind }) => kind !== UNKNOWN_KIND)
      .map(async (swap) => ({ ...swap, tokens: await tokensOf(swap, rpc) })),
  )
  const { poolsInMemory, assignedPools, block, isScanned } = await findPools(swaps, options)
  const tradedSwaps = swaps.map((swap): TradedSwap => {
    const pool = poolsInMemory.get(swap.pool) ?? poolInSharedContract(poolsInMemory, swap)
    return {
      swap,
      pool,
      tokens: countedTokens(swap, (pool ?? assignedPools.get(swap.pool)?.pool)?.tokens ?? [], chain),
    }
  })
  const tokens = topTokens(tradedSwaps, tokenCount)
  const topTokenSet = new Set(tokens)
  const countedSwaps = tradedSwaps.filter(
    (tradedSwap) => tradedSwap.tokens.length === 0 || tradedSwap.tokens.some((token) => topTokenSet.has(token)),
  )

  const pools = new Map<string, PoolCoverage>()
  for (const [key, group] of Map.groupBy(countedSwaps, keyOf)) {
    const { swap, pool, tokens: swapTokens } = group[0]!
    const { row, pool: assignedPool } = assignedPools.get(swap.pool) ?? {}
    const family = familyOf(pool?.family ?? row?.family ?? '')
    const isUsed = pool !== undefined && isUsable(pool)
    const isUnread = !isUsed && assign !== undefined && row !== undefined && !family?.sampled
    const state = isUsed ? (family?.sampled ? 'sampled' : 'served') : isUnread ? 'unread' : 'invisible'
    const reason = isUsed ? null : isUnread ? unreadReason(row) : await reasonOf(swap, { chain, rpc, block, pool, row })
    pools.set(key, {
      ...{ pool: pool?.id ?? swap.pool, contract: swap.contract, kind: swap.kind, state, reason },
      tokens: (pool ?? assignedPool)?.tokens ?? swapTokens,
      swaps: group.length,
      dex: pool?.dex ?? row?.brand ?? null,
    })
  }
  const stateOf = (tradedSwap: TradedSwap) => pools.get(keyOf(tradedSwap))!.state
  const transactions = [...Map.groupBy(countedSwaps, ({ swap }) => swap.transaction).values()]
  return {
    tokens,
    swaps: countsOf(countedSwaps.map(stateOf)),
    transactions: countsOf(transactions.map((group) => worstStateOf(group.map(stateOf)))),
    poolCounts: countsOf([...pools.values()].map(({ state }) => state)),
    pools: [...pools.values()].sort((a, b) => b.swaps - a.swaps || (a.pool < b.pool ? -1 : 1)),
    otherTrades: otherTrades(allSwaps),
    swapsOfOtherTokens: tradedSwaps.length - countedSwaps.length,
    isScanned,
  }
}

/** Searches the pools of the swapped tokens with the service's own market. */
async function findPools(swaps: readonly Swap[], options: CoverageOptions): Promise<PoolSearch> {
  const { chain, rpc, tokenCount, settleMs, assign } = options
  const market = createMarket({ chain, rpc })
  try {
    const groups = groupsOf(swaps, tokenCount)
    const { pools: foundPools } = await market.ensureGroups(groups)
    const newlyAssignedPools = await assign?.(swaps, foundPools)
    const isPool = (entry: AssignedPool): entry is PoolEntry => entry.pool !== null
    if (newlyAssignedPools) await market.addFoundPools([...newlyAssignedPools.values()].filter(isPool))
    const { pools: poolsInMemory, block } = await market.whenIdle(settleMs)
    const scannedPools = (await market.scannedPools?.([...new Set(groups.flat())])) ?? []
    return {
      ...{ poolsInMemory, block, isScanned: (market.health().scan?.state ?? 'done') === 'done' },
      assignedPools: new Map([
        ...scannedPools.map((entry): [string, AssignedPool] => [entry.pool.id, entry]),
        ...(newlyAssignedPools ?? []),
      ]),
    }
  } finally {
    await market.stop()
  }
}

/**
 * Returns groups of tokens between which pools are searched, without duplicates. The group of a swap has the tokens of
 * its pool. If these tokens are unknown, the group has up to `MAX_TOKENS_OF_GROUP` tokens that moved in the
 * transaction. Omits groups without a much traded token.
 */
function groupsOf(swaps: readonly Swap[], count: number): readonly (readonly Address[])[] {
  const candidates = swaps.map(({ tokens, movedTokens }) => ({
    tokens: tokens ?? movedTokens.slice(0, MAX_TOKENS_OF_GROUP),
  }))
  // Keeps twice as many tokens, because the final ranking counts fewer tokens per swap and may differ from this one.
  const top = new Set(topTokens(candidates, 2 * count))
  const groups = candidates.map(({ tokens }) => tokens).filter((tokens) => tokens.some((token) => top.has(token)))
  return [...new Map(groups.map((tokens) => [[...tokens].sort().join(), tokens])).values()]
}

function countsOf(states: readonly PoolState[]): Counts {
  const count = (state: PoolState) => states.filter((poolState) => poolState === state).length
  return { served: count('served'), sampled: count('sampled'), unread: count('unread'), invisible: count('invisible') }
}

const worstStateOf = (states: readonly PoolState[]): PoolState => STATES.findLast((state) => states.includes(state))!

/** Returns a key of the swap's pool. A contract with several pools but no pool ids has one key per set of tokens. */
function keyOf({ swap: { pool, contract }, tokens }: TradedSwap): string {
  return pool === contract ? `${contract} ${[...tokens].sort().join()}` : pool
}

/** Returns the pool of a swap whose contract holds many pools and emits events without a pool id. */
function poolInSharedContract(
  pools: ReadonlyMap<string, Pool>,
  { pool, contract, tokens, movedTokens }: Swap,
): Pool | undefined {
  if (pool !== contract) return undefined
  const movedOrNative = new Set<Address>([...movedTokens, ZERO_ADDRESS])
  const hasSwapTokens = (poolTokens: readonly Address[]) =>
    tokens ? tokens.every((token) => poolTokens.includes(token)) : poolTokens.every((token) => movedOrNative.has(token))
  return [...pools.values()].find((pool) => pool.address === contract && hasSwapTokens(pool.tokens))
}

/**
 * Returns the tokens in whose number of swaps a swap counts. The native token counts as its wrapper. In a pool with
 * more than two tokens, only the tokens that moved count, unless the logs name the two traded tokens.
 *
 * @param poolTokens - tokens of the pool, if they are known
 */
function countedTokens(
  { tokens, movedTokens }: Swap,
  poolTokens: readonly Address[],
  { wrappedNative }: Chain,
): readonly Address[] {
  const isNative = (token: Address) => token === ZERO_ADDRESS || token === NATIVE
  const wrappedOf = (token: Address) => (isNative(token) ? (wrappedNative?.address ?? token) : token)
  const wrappedTokens = poolTokens.map(wrappedOf)
  const tradedTokens = tokens?.map(wrappedOf)
  if (tradedTokens || wrappedTokens.length === 2) return [...new Set(tradedTokens ?? wrappedTokens)]
  return [...new Set(wrappedTokens.filter((token) => movedTokens.includes(token)))]
}

/** Returns true if at least one of the pool's tokens can be sold to it. */
function isUsable(pool: Pool): boolean {
  const family = familyOf(pool.family)!
  const accepts = (tokenIn: Address, tokenOut: Address) =>
    tokenIn !== tokenOut && nullIfRefused(() => family.maxInput(pool, tokenIn, tokenOut) !== 0n) === true
  return pool.tokens.some((tokenIn) => pool.tokens.some((tokenOut) => accepts(tokenIn, tokenOut)))
}

function otherTrades(allSwaps: readonly Swap[]): Coverage['otherTrades'] {
  const trades = Map.groupBy(
    allSwaps.filter(({ kind }) => kind === UNKNOWN_KIND),
    ({ contract }) => contract,
  )
  return [...trades]
    .map(([contract, contractTrades]) => ({ contract, trades: contractTrades.length }))
    .sort((a, b) => b.trades - a.trades)
}

const [TOKEN0, TOKEN1] = ['token0()', 'token1()'].map((signature) => id(signature).slice(0, 10) as Hex)

/** Returns the tokens that the logs of a swap name; if there are none, the results of the pool's getters. */
async function tokensOf({ tokens, pool, contract }: Swap, rpc: Rpc): Promise<Swap['tokens']> {
  if (tokens || pool !== contract) return tokens
  const [token0, token1] = await Promise.all([TOKEN0!, TOKEN1!].map((data) => readAddress(rpc, contract, data)))
  return token0 && token1 ? [token0, token1] : null
}
