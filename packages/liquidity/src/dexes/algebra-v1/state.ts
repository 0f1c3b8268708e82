import { AlgebraV1Lens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import type { Tick } from '../../math/concentrated.ts'
import { readTicks } from '../common/concentrated-state.ts'
import { readEach } from '../common/read-each.ts'
import type { AlgebraV1State } from './types.ts'

const LENS = lensOf('AlgebraV1Lens')
const lens = AlgebraV1Lens__factory.createInterface()

/** Two swaps that are undone, each with a look at the volatility of a day. */
const HEAD_GAS = 600_000

type Head = Omit<AlgebraV1State, 'ticks'>

/**
 * The first releases keep a bit for each multiple of the spacing, later ones for every tick, and nothing tells which. The
 * short table is read first; where its ticks do not make up the liquidity in range, the long one.
 */
export function* readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (AlgebraV1State | null)[]> {
  const heads = yield* readHeads(pools)
  const states = yield* withTicks(pools, heads)
  const doubtful = heads.map((head, i) => (head && !states[i] ? { ...head, tickSpacing: 1 } : null))
  const others = yield* withTicks(pools, doubtful)
  return states.map((state, i) => state ?? others[i]!)
}

/** The fee follows the time; ticks change by logs alone, and are read again only where they do not explain the liquidity. */
export function* refreshStates(
  row: DexRow,
  pools: readonly Pool<AlgebraV1State>[],
): Reads<readonly (AlgebraV1State | null)[]> {
  const heads = yield* readHeads(pools)
  const states = heads.map((head, i) => {
    const { ticks, tickSpacing } = pools[i]!.state
    return head && explains(ticks, head) ? { ...head, tickSpacing, ticks } : null
  })
  const doubtful = pools.filter((_, i) => heads[i] && !states[i])
  if (doubtful.length === 0) return states
  const read = yield* readStates(row, doubtful)
  return states.map((state, i) => state ?? read[doubtful.indexOf(pools[i]!)] ?? null)
}

function readHeads(pools: readonly Pool[]): Reads<readonly (Head | null)[]> {
  return readEach(
    pools,
    (pool) => ({ ...LENS, data: lens.encodeFunctionData('read', [pool.address]) as Hex, gas: HEAD_GAS }),
    decodeHead,
  )
}

/** The pools whose ticks, read at the spacing given, explain their liquidity. */
function* withTicks(
  pools: readonly Pool[],
  heads: readonly (Head | null)[],
): Reads<readonly (AlgebraV1State | null)[]> {
  const ticks = yield* readTicks(LENS, pools, heads)
  return heads.map((head, i) => (head && ticks[i] && explains(ticks[i], head) ? { ...head, ticks: ticks[i] } : null))
}

/** Ticks that are none have no gross liquidity; a table of which nothing is seen explains nothing. */
function explains(ticks: readonly Tick[], { tick, liquidity }: Head): boolean {
  const inRange = ticks.reduce((sum, [index, net]) => (index <= tick ? sum + net : sum), 0n)
  return ticks.length > 0 && ticks.every(([, , gross]) => gross! > 0n) && inRange === liquidity
}

function decodeHead(answer: Hex): Head {
  const [head] = lens.decodeFunctionResult('read', answer)
  return {
    sqrtPriceX96: head.sqrtPriceX96,
    tick: Number(head.tick),
    liquidity: head.liquidity,
    feePpm: Number(head.fee0Ppm),
    fee1Ppm: Number(head.fee1Ppm),
    tickSpacing: Number(head.tickSpacing),
  }
}
