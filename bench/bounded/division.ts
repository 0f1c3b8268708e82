/**
 * An independent division of a trade: exact quotes of the pools themselves, chunk by chunk to the path that pays most for it, and
 * then chunks moved between paths as long as that pays. It knows nothing of curves, prices, or capacity.
 */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { type MarketTrade, quoteOrNull } from './markets.ts'

export type DivisionLimits = {
  readonly maxHops: number
  /** Parts that the trade is cut into. */
  readonly chunks: number
  /** Paths that are considered, the shortest first. */
  readonly maxPaths: number
}

type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address }
type Path = readonly Hop[]

/** Output of the best division found; null when no division takes the whole amount. */
export function divide(pools: readonly Pool[], trade: MarketTrade, limits: DivisionLimits): bigint | null {
  const paths = pathsBetween(pools, trade, limits)
  if (paths.length === 0) return null
  const amounts = paths.map(() => 0n)
  let total: bigint | null = 0n
  const chunk = trade.amountIn / BigInt(limits.chunks) || 1n
  for (let left = trade.amountIn; left > 0n; ) {
    // The last one takes what the division by chunks leaves over.
    const size = left < 2n * chunk ? left : chunk
    const best = bestMove(paths, limits.maxHops, (place) => amounts.with(place, amounts[place]! + size))
    if (!best) return null
    amounts[best.place]! += size
    total = best.output
    left -= size
  }
  return improved(paths, amounts, { output: total!, chunk, maxHops: limits.maxHops })
}

/** Moves ever smaller parts from one path to another as long as the output rises. */
function improved(
  paths: readonly Path[],
  start: readonly bigint[],
  { output, chunk, maxHops }: { readonly output: bigint; readonly chunk: bigint; readonly maxHops: number },
): bigint {
  let amounts = [...start]
  let best = output
  const used = () => [...amounts.keys()].filter((place) => amounts[place]! > 0n)
  for (let size = chunk; size * 20_000n > chunk && size > 0n; ) {
    let moved = false
    for (const from of used()) {
      const taken = smaller(amounts[from]!, size)
      if (taken === 0n) continue
      const less = amounts.with(from, amounts[from]! - taken)
      const move = bestMove(paths, maxHops, (place) => (place === from ? null : less.with(place, less[place]! + taken)))
      if (!move || move.output <= best) continue
      amounts = less.with(move.place, less[move.place]! + taken)
      best = move.output
      moved = true
    }
    if (!moved) size /= 4n
  }
  return best
}

// `Math.min` takes no bigint.
const smaller = (a: bigint, b: bigint): bigint => {
  if (a < b) return a
  return b
}

type Move = { readonly place: number; readonly output: bigint }

function bestMove(
  paths: readonly Path[],
  maxHops: number,
  after: (place: number) => readonly bigint[] | null,
): Move | null {
  let best: Move | null = null
  for (const place of paths.keys()) {
    const amounts = after(place)
    const output = amounts && outputOf(paths, amounts, maxHops)
    if (output != null && !(best && best.output >= output)) best = { place, output }
  }
  return best
}

/**
 * Output of all paths together, each pool asked once for what it gets of all of them: as legs of one route are. Null when a pool
 * refuses, or is used both ways.
 */
function outputOf(paths: readonly Path[], amounts: readonly bigint[], maxHops: number): bigint | null {
  const inputs = new Map<string, { readonly hop: Hop; amount: bigint }>()
  let output = 0n
  // Hops of the paths by depth: a pool's input is known once all paths have reached it, so paths are walked pool by pool.
  const states = paths.flatMap((path, k) => (amounts[k]! > 0n ? [{ path, amount: amounts[k]!, at: 0 }] : []))
  const order = orderOf(
    states.map(({ path }) => path),
    maxHops,
  )
  if (!order) return null
  const held = new Map<Path, bigint>(states.map(({ path, amount }) => [path, amount]))
  for (const key of order) {
    const through = states.filter(({ path }) => path.some((hop) => keyOf(hop) === key))
    const hop = through[0]!.path.find((each) => keyOf(each) === key)!
    const sum = through.reduce((all, { path }) => all + held.get(path)!, 0n)
    const paid = sum > 0n ? quoteOrNull(hop.pool, hop.tokenIn, hop.tokenOut, sum) : 0n
    if (paid === null) return null
    inputs.set(key, { hop, amount: sum })
    let left = paid
    for (const [k, { path }] of through.entries()) {
      const own = k === through.length - 1 ? left : (paid * held.get(path)!) / (sum || 1n)
      left -= own
      held.set(path, own)
    }
  }
  for (const { path } of states) output += held.get(path)!
  return output
}

/**
 * Pools in an order in which each comes after those before it on all paths; null when there is none, when one is used both ways, or when
 * paths that meet make a longer one than may be.
 */
function orderOf(paths: readonly Path[], maxHops: number): readonly string[] | null {
  const after = new Map<string, Set<string>>()
  const pools = new Map<string, string>()
  const ends = new Map<string, { readonly tokenIn: Address; readonly tokenOut: Address }>()
  for (const path of paths)
    for (const [k, hop] of path.entries()) {
      const key = keyOf(hop)
      if ((pools.get(hop.pool.id) ?? key) !== key) return null
      pools.set(hop.pool.id, key)
      ends.set(key, hop)
      const before = after.get(key) ?? new Set()
      after.set(key, before)
      if (k > 0) before.add(keyOf(path[k - 1]!))
    }
  const order: string[] = []
  const done = new Set<string>()
  const depth = new Map<Address, number>()
  while (done.size < after.size) {
    // A token is divided once all that buys it is known: its depth is then that of the longest way to it.
    const ready = [...after].filter(([key, before]) => !done.has(key) && [...before].every((each) => done.has(each)))
    if (ready.length === 0) return null
    for (const [key] of ready) {
      done.add(key)
      order.push(key)
    }
  }
  for (let round = 0; round <= maxHops; round++)
    for (const key of order) {
      const { tokenIn, tokenOut } = ends.get(key)!
      const reached = (depth.get(tokenIn) ?? 0) + 1
      if (reached > maxHops) return null
      if (reached > (depth.get(tokenOut) ?? 0)) depth.set(tokenOut, reached)
    }
  return order
}

const keyOf = ({ pool, tokenIn, tokenOut }: Hop): string => `${pool.id} ${tokenIn} ${tokenOut}`

function pathsBetween(
  pools: readonly Pool[],
  { tokenIn, tokenOut }: MarketTrade,
  limits: DivisionLimits,
): readonly Path[] {
  const found: Path[] = []
  let layer: Path[] = [[]]
  for (let hops = 0; hops < limits.maxHops && found.length < limits.maxPaths; hops++) {
    const next: Path[] = []
    for (const path of layer) {
      const token = path.at(-1)?.tokenOut ?? tokenIn
      for (const pool of pools) {
        if (!pool.tokens.includes(token) || path.some((hop) => hop.pool === pool)) continue
        for (const other of pool.tokens) {
          if (other === token || other === tokenIn || path.some((hop) => hop.tokenOut === other)) continue
          const longer = [...path, { pool, tokenIn: token, tokenOut: other }]
          if (other === tokenOut) found.push(longer)
          else next.push(longer)
        }
      }
    }
    layer = next
  }
  return found.slice(0, limits.maxPaths)
}
