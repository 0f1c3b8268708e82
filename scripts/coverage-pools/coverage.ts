/** Compares the pools of mined swaps with the pools that a quote of the same tokens can use. */
import { type Address, type Chain, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { createMarket, type FoundPool, familyOf, orRefused, type Pool } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import { id } from 'ethers'
import type { Assigned } from './assign.ts'
import { readAddress } from './reads.ts'
import { type Reason, reasonOf } from './reasons.ts'
import { mostTraded, type Swap, UNKNOWN } from './swaps.ts'

/**
 * `served`: quoted by exact math. `sampled`: quoted from swaps that are simulated at each block. `unread`: of a served row,
 * but the recorded state lacks slots that its reading needs. `invisible`: no quote can use the pool.
 */
export const STATES = ['served', 'sampled', 'unread', 'invisible'] as const
export type PoolState = (typeof STATES)[number]

export type PoolCoverage = {
  readonly pool: string
  readonly contract: Address
  readonly kind: string
  readonly tokens: readonly Address[]
  readonly swaps: number
  readonly state: PoolState
  readonly dex: string | null
  /** Why no quote uses it; null if quotes do. */
  readonly reason: Reason | null
}

/** Counts by state. A transaction counts by the least usable pool that it swapped in. */
export type Counts = Readonly<Record<PoolState, number>>

export type Coverage = {
  /** Most traded tokens, by their number of swaps. */
  readonly tokens: readonly Address[]
  readonly swaps: Counts
  readonly transactions: Counts
  readonly poolCounts: Counts
  /** Pools of those tokens, those with the most swaps first. */
  readonly pools: readonly PoolCoverage[]
  /** Contracts without a known event that took one token for another: pools, market makers, or no exchange at all. */
  readonly otherTrades: readonly { readonly contract: Address; readonly trades: number }[]
  /** Swaps of pools that trade none of the tokens. */
  readonly swapsOfOtherTokens: number
  /** False if the search of past logs for pools was not complete. */
  readonly isScanned: boolean
}

export type CoverageOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  /** Number of tokens, the most traded ones. */
  readonly tokens: number
  /** Longest wait for the search of pools, in milliseconds. */
  readonly settleMs: number
  /**
   * Assigns pools that swapped to rows, for a recorded state, which lacks what factories and past logs of the chain would
   * say. Pools that it cannot read either count as `unread`.
   */
  readonly assign?: (swaps: readonly Swap[], known: ReadonlyMap<string, Pool>) => Promise<ReadonlyMap<string, Assigned>>
}

/** Tokens of one transaction that are searched together, at most. */
const MAX_TOGETHER = 8

/**
 * Finds the pools of the swapped tokens as a quote does, and compares them with the pools that swapped.
 *
 * @throws RpcError if the node fails
 */
export async function coverageOf(all: readonly Swap[], options: CoverageOptions): Promise<Coverage> {
  const { chain, rpc, tokens: count, settleMs, assign } = options
  const swaps = await Promise.all(
    all.filter(({ kind }) => kind !== UNKNOWN).map(async (swap) => ({ ...swap, tokens: await tokensOf(swap, rpc) })),
  )
  const market = createMarket({ chain, rpc })
  try {
    await market.ensure([])
    const groups = new Map(
      swaps.map(({ tokens, moved }) => {
        const group = [...new Set([...(tokens ?? []), ...moved])].slice(0, MAX_TOGETHER)
        return [group.join(), group]
      }),
    )
    const { pools: found } = await market.ensureGroups([...groups.values()])
    const assigned = await assign?.(swaps, found)
    const isPool = (entry: Assigned): entry is FoundPool => entry.pool !== null
    if (assigned) await market.take([...assigned.values()].filter(isPool))
    const { pools: usable, block } = await market.settled(settleMs)
    const listed = (await market.listed?.([...new Set([...groups.values()].flat())])) ?? []
    const known = new Map<string, Assigned>([...listed.map((entry) => [entry.pool.id, entry] as const), ...(assigned ?? [])])

    const traded = swaps.map((swap) => {
      const pool = usable.get(swap.pool) ?? sharedPool(usable, swap)
      return { swap, pool, tokens: rankedTokens(swap, pool ?? known.get(swap.pool)?.pool ?? undefined, chain) }
    })
    const tokens = mostTraded(traded, count)
    const top = new Set(tokens)
    const inScope = traded.filter((each) => each.tokens.length === 0 || each.tokens.some((token) => top.has(token)))

    const pools = new Map<string, PoolCoverage>()
    for (const [key, group] of Map.groupBy(inScope, keyOf)) {
      const { swap, pool } = group[0]!
      const row = known.get(swap.pool)?.row
      const isUsed = pool !== undefined && isUsable(pool)
      const reason = isUsed ? null : await reasonOf(swap, { chain, rpc, block, pool, row })
      const isUnread = assign !== undefined && row !== undefined && !familyOf(row.family)!.sampled
      pools.set(key, {
        ...{ pool: pool?.id ?? swap.pool, contract: swap.contract, kind: swap.kind },
        tokens: pool?.tokens ?? known.get(swap.pool)?.pool?.tokens ?? group[0]!.tokens,
        swaps: group.length,
        state: isUsed ? (familyOf(pool.family)!.sampled ? 'sampled' : 'served') : isUnread ? 'unread' : 'invisible',
        dex: pool?.dex ?? row?.brand ?? null,
        reason,
      })
    }
    const stateOf = (each: (typeof inScope)[0]) => pools.get(keyOf(each))!.state
    const transactions = [...Map.groupBy(inScope, ({ swap }) => swap.transaction).values()]
    return {
      tokens,
      swaps: countsOf(inScope.map(stateOf)),
      transactions: countsOf(transactions.map((group) => worstOf(group.map(stateOf)))),
      poolCounts: countsOf([...pools.values()].map(({ state }) => state)),
      pools: [...pools.values()].sort((a, b) => b.swaps - a.swaps || (a.pool < b.pool ? -1 : 1)),
      otherTrades: otherTrades(all),
      swapsOfOtherTokens: traded.length - inScope.length,
      isScanned: (market.health().scan?.state ?? 'done') === 'done',
    }
  } finally {
    await market.stop()
  }
}

/** Counts each state. */
export function countsOf(states: readonly PoolState[]): Counts {
  const count = (state: PoolState) => states.filter((each) => each === state).length
  return { served: count('served'), sampled: count('sampled'), unread: count('unread'), invisible: count('invisible') }
}

const worstOf = (states: readonly PoolState[]): PoolState => STATES.findLast((state) => states.includes(state))!

/** Pools without an id of their own in one contract differ by their tokens. */
function keyOf({ swap: { pool, contract }, tokens }: { readonly swap: Swap; readonly tokens: readonly Address[] }) {
  return pool === contract ? `${contract} ${[...tokens].sort().join()}` : pool
}

/** Returns the pool of a contract that holds many and names none of them by an id in its event. */
function sharedPool(pools: ReadonlyMap<string, Pool>, { pool, contract, tokens, moved }: Swap): Pool | undefined {
  if (pool !== contract) return undefined
  const others = new Set<Address>([...moved, ZERO_ADDRESS])
  const isOf = (own: readonly Address[]) =>
    tokens ? tokens.every((token) => own.includes(token)) : own.every((token) => others.has(token))
  return [...pools.values()].find((each) => each.address === contract && isOf(each.tokens))
}

/** Returns the tokens for which a swap counts, the native token as its wrapper. Of large pools only tokens that moved. */
function rankedTokens({ tokens, moved }: Swap, pool: Pool<unknown> | undefined, { wrappedNative }: Chain): readonly Address[] {
  const plain = (token: Address) => (token === ZERO_ADDRESS || token === NATIVE ? (wrappedNative?.address ?? token) : token)
  const own = (pool?.tokens ?? []).map(plain)
  return [...new Set(tokens?.map(plain) ?? (own.length === 2 ? own : own.filter((token) => moved.includes(token))))]
}

/** True if the pool accepts an amount of any of its tokens. */
function isUsable(pool: Pool): boolean {
  const family = familyOf(pool.family)!
  const accepts = (tokenIn: Address, tokenOut: Address) =>
    tokenIn !== tokenOut && orRefused(() => family.maxInput(pool, tokenIn, tokenOut) !== 0n) === true
  return pool.tokens.some((tokenIn) => pool.tokens.some((tokenOut) => accepts(tokenIn, tokenOut)))
}

function otherTrades(all: readonly Swap[]): Coverage['otherTrades'] {
  const trades = Map.groupBy(
    all.filter(({ kind }) => kind === UNKNOWN),
    ({ contract }) => contract,
  )
  return [...trades].map(([contract, own]) => ({ contract, trades: own.length })).sort((a, b) => b.trades - a.trades)
}

const [TOKEN0, TOKEN1] = ['token0()', 'token1()'].map((signature) => id(signature).slice(0, 10) as Hex)

/** Returns the tokens of a swap by the pool's getters, if the logs do not say. */
async function tokensOf({ tokens, pool, contract }: Swap, rpc: Rpc): Promise<Swap['tokens']> {
  if (tokens || pool !== contract) return tokens
  const [first, second] = await Promise.all([TOKEN0!, TOKEN1!].map((data) => readAddress(rpc, contract, data)))
  return first && second ? [first, second] : null
}
