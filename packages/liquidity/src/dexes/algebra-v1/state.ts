/** Reads Algebra V1 pools. */
import { AlgebraV1Lens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, PoolReads } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import type { Tick } from '../../math/concentrated.ts'
import { readTicks } from '../common/concentrated-state.ts'
import { readEach } from '../common/read-each.ts'
import type { AlgebraV1State } from './types.ts'

const LENS = lensOf('AlgebraV1Lens')
const lensInterface = AlgebraV1Lens__factory.createInterface()

/** Estimated gas to read one pool without its ticks. The lens simulates two swaps, which each compute a volatility. */
const HEAD_GAS = 600_000

/** State without its ticks. The first round of calls reads it. */
type Head = Omit<AlgebraV1State, 'ticks'>

/**
 * Reads states. In early releases, the tick bitmap has one bit per multiple of the tick spacing. In later releases, it
 * has one bit per tick. No getter reports the layout, so the early layout is tried first. If the net liquidity of the
 * ticks does not sum to the liquidity in range, the bitmap is read again with one bit per tick.
 */
export function* readStates(_row: DexRow, pools: readonly Pool[]): PoolReads<AlgebraV1State> {
  const heads = yield* readHeads(pools)
  const states = yield* addTicks(pools, heads)
  const unresolvedHeads = heads.map((head, i) => (head && !states[i] ? { ...head, tickSpacing: 1 } : null))
  const statesWithSpacingOne = yield* addTicks(pools, unresolvedHeads)
  return states.map((state, i) => state ?? statesWithSpacingOne[i]!)
}

/**
 * Reads prices and fees again, because fees change with time. Logs report all changes of ticks. So ticks are read again
 * only if their net liquidity does not sum to the liquidity in range.
 */
export function* refreshStates(row: DexRow, pools: readonly Pool<AlgebraV1State>[]): PoolReads<AlgebraV1State> {
  const heads = yield* readHeads(pools)
  const states = heads.map((head, i) => {
    const { ticks, tickSpacing } = pools[i]!.state
    return head && sumsToLiquidity(ticks, head) ? { ...head, tickSpacing, ticks } : null
  })
  const unresolvedPools = pools.filter((_, i) => heads[i] && !states[i])
  if (unresolvedPools.length === 0) return states
  const rereadStates = yield* readStates(row, unresolvedPools)
  return states.map((state, i) => state ?? rereadStates[unresolvedPools.indexOf(pools[i]!)] ?? null)
}

function readHeads(pools: readonly Pool[]): PoolReads<Head> {
  return readEach(
    pools,
    (pool) => lensRead(LENS, lensInterface.encodeFunctionData('read', [pool.address]), HEAD_GAS),
    decodeHead,
  )
}

/**
 * Reads the ticks of each pool with the tick spacing of its head. Returns null for a pool if the net liquidity of the
 * ticks does not sum to the liquidity in range.
 */
function* addTicks(pools: readonly Pool[], heads: readonly (Head | null)[]): PoolReads<AlgebraV1State> {
  const ticks = yield* readTicks(LENS, pools, heads)
  return heads.map((head, i) =>
    head && ticks[i] && sumsToLiquidity(ticks[i], head) ? { ...head, ticks: ticks[i] } : null,
  )
}

/**
 * True if the net liquidity of the ticks up to the price sums to the liquidity in range. False if a tick has no gross
 * liquidity, because such a tick is not initialized. False for an empty list, because it proves nothing.
 */
function sumsToLiquidity(ticks: readonly Tick[], { tick, liquidity }: Head): boolean {
  const inRange = ticks.reduce((sum, [initializedTick, net]) => (initializedTick <= tick ? sum + net : sum), 0n)
  return ticks.length > 0 && ticks.every(([, , gross]) => gross! > 0n) && inRange === liquidity
}

function decodeHead(answer: Hex): Head {
  const [head] = lensInterface.decodeFunctionResult('read', answer)
  return {
    sqrtPriceX96: head.sqrtPriceX96,
    tick: Number(head.tick),
    liquidity: head.liquidity,
    feePpm: Number(head.fee0Ppm),
    fee1Ppm: Number(head.fee1Ppm),
    tickSpacing: Number(head.tickSpacing),
  }
}
