/** What a hop costs, family by family: the marginal gas of real swaps. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, GAS_TABLE, type GasRow, type Pool } from '@sluice/liquidity'
import type { World } from '../../packages/liquidity/test/fuzz/world.ts'
import { type Random, random } from '../../packages/liquidity/test/random.ts'
import { approveAll, chain, gasOf, type Hop } from './swap.ts'

/** One swap in one pool, or in a wrapper and the pool of the native token behind it. */
export type Sample = {
  readonly world: string
  readonly family: string
  readonly pool: string
  /** Ticks or bins that the swap went beyond the first. */
  readonly pieces: number
  readonly gas: number
  /** The family of the pool behind a wrapper. */
  readonly behind?: string
}

/** Two swaps in a row, and what each costs alone. */
type Pair = { readonly alone: readonly [number, number]; readonly together: number }

export type Samples = { readonly swaps: readonly Sample[]; readonly pairs: readonly Pair[]; readonly reverted: number }

const PAIRS = 60
/** Times the input that moves the price by a hundredth: next to nothing, the usual, and enough to cross ticks. */
const SIZES = [0.01, 0.1, 0.5, 2, 5]

/** Swaps in some pools of every family, both ways, and pairs of pools one after the other. */
export async function sample(world: World, seed: number, poolsOfEach = 12): Promise<Samples> {
  const r = random(seed)
  await approveAll(world)
  const pools = choose(r, tradable(world), poolsOfEach)
  const swaps: Sample[] = []
  /** By pool and direction: without a piece crossed. */
  const alone = new Map<string, number>()
  let reverted = 0
  for (const { id, family } of pools) {
    for (const size of rowOf(family).piece > 0 ? SIZES : SIZES.slice(0, 3)) {
      for (const back of [false, true]) {
        const hops = throughWrapper(world, hopOf(await current(world, id), back))
        const route = chain(hops, amountFor(hops[0]!, size))
        const gas = route && (await gasOf(world, route))
        if (!route || gas === null) {
          if (route) reverted++
          continue
        }
        const pieces = piecesOf(family, route.legs.at(-1)!.gas)
        if (hops.length === 2) {
          if (pieces === 0)
            swaps.push({ world: world.name, family: hops[0]!.pool.family, pool: id, pieces, gas, behind: family })
          continue
        }
        swaps.push({ world: world.name, family, pool: id, pieces, gas })
        if (pieces === 0) alone.set(keyOf(hops[0]!), gas)
      }
    }
  }
  return { swaps, pairs: await samplePairs(world, r, pools, alone), reverted }
}

async function samplePairs(
  world: World,
  r: Random,
  pools: readonly Pool[],
  alone: ReadonlyMap<string, number>,
): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  const known = pools.flatMap((pool) => [hopOf(pool, false), hopOf(pool, true)]).filter((hop) => alone.has(keyOf(hop)))
  const both = known.flatMap((first) =>
    known.flatMap((second) =>
      first.tokenOut === second.tokenIn && first.tokenIn !== second.tokenOut ? [[first, second] as const] : [],
    ),
  )
  for (let tries = 0; both.length > 0 && pairs.length < PAIRS && tries < 2 * PAIRS; tries++) {
    const hops = await Promise.all(
      r.pick(both).map(async (hop) => ({ ...hop, pool: await current(world, hop.pool.id) })),
    )
    const route = chain(hops, amountFor(hops[0]!, SIZES[1]!))
    if (!route?.legs.every(({ pool, gas }) => piecesOf(pool.family, gas) === 0)) continue
    const together = await gasOf(world, route)
    const [first, second] = hops.map((hop) => alone.get(keyOf(hop))!)
    if (together !== null) pairs.push({ alone: [first!, second!], together })
  }
  return pairs
}

/** Gas of everything about a route but its hops: the transaction itself, the Guard and its transfers. */
export function routeGas(pairs: readonly Pair[]): number {
  return Math.round(median(pairs.map(({ alone, together }) => alone[0] + alone[1] - together)))
}

/** A row for every family that was swapped with. Each pool counts as much as any other. */
export function fit(swaps: readonly Sample[], route: number): ReadonlyMap<string, GasRow> {
  const rows = new Map<string, GasRow>()
  // Wrappers last: the pool behind them is taken off.
  const byFamily = [...Map.groupBy(swaps, ({ family }) => family)].sort(
    ([, [a]], [, [b]]) => Number(a!.behind !== undefined) - Number(b!.behind !== undefined),
  )
  for (const [family, samples] of byFamily) {
    const own = samples.flatMap((each) => {
      const behind = each.behind === undefined ? 0 : rows.get(each.behind)?.hop
      return behind === undefined ? [] : [{ ...each, gas: each.gas - route - behind }]
    })
    const bare = new Map(
      [...Map.groupBy(own, ({ pool }) => pool)].flatMap(([pool, list]) => {
        const whole = list.filter(({ pieces }) => pieces === 0).map(({ gas }) => gas)
        return whole.length > 0 ? [[pool, median(whole)]] : []
      }),
    )
    if (bare.size === 0) continue
    const slopes = own.flatMap(({ pool, pieces, gas }) =>
      pieces > 0 && bare.has(pool) ? [(gas - bare.get(pool)!) / pieces] : [],
    )
    const worlds = [...new Set(own.map(({ world }) => world))].join(' and ')
    const crossed =
      slopes.length > 0
        ? `, ${slopes.length} of them over ticks or bins`
        : rowOf(family).piece > 0
          ? ', none over ticks or bins: those are an estimate'
          : ''
    rows.set(family, {
      hop: Math.round(median([...bare.values()])),
      piece: slopes.length > 0 ? Math.round(median(slopes)) : rowOf(family).piece,
      basis: `measured: ${own.length} swaps in ${bare.size} pools of ${worlds}${crossed}`,
    })
  }
  return rows
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const rowOf = (family: string): GasRow => GAS_TABLE[family as keyof typeof GAS_TABLE]

/** Read back from a quote, which counts them. */
export function piecesOf(family: string, quotedGas: number): number {
  const { hop, piece } = rowOf(family)
  return piece > 0 ? Math.round((quotedGas - hop) / piece) : 0
}

const keyOf = ({ pool, tokenIn }: Hop): string => `${pool.id} ${tokenIn}`

async function current(world: World, id: string): Promise<Pool> {
  return (await world.market.sync()).pools.get(id)!
}

/** The first token against the last: for pools of two, the pair. */
export function hopOf(pool: Pool, back: boolean): Hop {
  const [a, b] = [pool.tokens[0]!, pool.tokens.at(-1)!]
  return back ? { pool, tokenIn: b, tokenOut: a } : { pool, tokenIn: a, tokenOut: b }
}

/** What is sold for the native token, or bought with it, is its wrapper: routes begin and end with ERC-20 tokens. */
function throughWrapper(world: World, hop: Hop): readonly Hop[] {
  if (hop.tokenIn !== ZERO_ADDRESS) return [hop]
  const wrapper = [...world.market.snapshot().pools.values()].find(({ family }) => family === 'wrapped-native')!
  return [{ pool: wrapper, tokenIn: wrapper.address, tokenOut: ZERO_ADDRESS }, hop]
}

/** `size` times what moves the price by a hundredth, but no more than a tenth of what the pool is known to hold. */
export function amountFor({ pool, tokenIn, tokenOut }: Hop, size: number): bigint {
  const family = familyOf(pool.family)!
  const { sqrtPrice, liquidity } = family.curve(pool, tokenIn, tokenOut)
  const end = (sqrtPrice[0] ?? 0) * Math.sqrt(0.99)
  let amount = 0
  for (let k = 0; k < liquidity.length && sqrtPrice[k]! > end; k++)
    amount += liquidity[k]! * (1 / Math.max(sqrtPrice[k + 1]!, end) - 1 / sqrtPrice[k]!)
  const held = family.reserves(pool)[pool.tokens.indexOf(tokenIn)]! / 10n
  const wanted = BigInt(Math.ceil(amount * size))
  return held > 0n && held < wanted ? held : wanted
}

/** Pools whose tokens move by the amounts asked for, and wrappers of tokens that round. */
export function tradable(world: World): readonly Pool[] {
  const wrappers = [...world.market.snapshot().pools.values()].filter(({ family }) => family === 'rate-wrapper')
  return [...world.pools(), ...wrappers].filter(({ family }) => family !== 'wrapped-native')
}

/** A few of each family. */
function choose(r: Random, pools: readonly Pool[], most: number): readonly Pool[] {
  return [...Map.groupBy(pools, ({ family }) => family).values()].flatMap((list) => {
    const left = [...list]
    return Array.from({ length: Math.min(most, left.length) }, () => left.splice(r.integer(left.length), 1)[0]!)
  })
}
