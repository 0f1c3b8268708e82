/**
 * Divides a trade between paths, independently of the router. Assigns one chunk of the input after the other to the
 * path with the best exact quote. Then moves amounts between paths while the output grows.
 */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { type MarketTrade, quoteOrNull } from './markets.ts'

export type DivisionLimits = {
  readonly maxHops: number
  /** Number of equal chunks of the input. */
  readonly chunks: number
  /** Maximum number of paths, shortest first. */
  readonly maxPaths: number
}

type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address }
type Path = readonly Hop[]

/** Returns the output of the best division found; null if no division accepts the whole amount. */
export function divide(pools: readonly Pool[], trade: MarketTrade, limits: DivisionLimits): bigint | null {
  const paths = pathsBetween(pools, trade, limits)
  if (paths.length === 0) return null
  const amounts = paths.map(() => 0n)
  let total: bigint | null = 0n
  const chunk = trade.amountIn / BigInt(limits.chunks) || 1n
  for (let remaining = trade.amountIn; remaining > 0n; ) {
    // The last chunk includes the remainder of the integer division.
    const size = remaining < 2n * chunk ? remaining : chunk
    const best = bestMove(paths, limits.maxHops, (pathIndex) => amounts.with(pathIndex, amounts[pathIndex]! + size))
    if (!best) return null
    amounts[best.pathIndex]! += size
    total = best.output
    remaining -= size
  }
  return improveByMoves(paths, amounts, { output: total!, chunk, maxHops: limits.maxHops })
}

/** Moves amounts between paths while the output grows. Reduces the amounts when no move helps. */
function improveByMoves(
  paths: readonly Path[],
  start: readonly bigint[],
  { output, chunk, maxHops }: { readonly output: bigint; readonly chunk: bigint; readonly maxHops: number },
): bigint {
  let amounts = [...start]
  let best = output
  const usedPaths = () => [...amounts.keys()].filter((pathIndex) => amounts[pathIndex]! > 0n)
  for (let size = chunk; size * 20_000n > chunk && size > 0n; ) {
    let hasMoved = false
    for (const from of usedPaths()) {
      const movedAmount = minOf(amounts[from]!, size)
      if (movedAmount === 0n) continue
      const remainingAmounts = amounts.with(from, amounts[from]! - movedAmount)
      const move = bestMove(paths, maxHops, (pathIndex) =>
        pathIndex === from ? null : remainingAmounts.with(pathIndex, remainingAmounts[pathIndex]! + movedAmount),
      )
      if (!move || move.output <= best) continue
      amounts = remainingAmounts.with(move.pathIndex, remainingAmounts[move.pathIndex]! + movedAmount)
      best = move.output
      hasMoved = true
    }
    if (!hasMoved) size /= 4n
  }
  return best
}

// `Math.min` does not accept bigint.
const minOf = (a: bigint, b: bigint): bigint => {
  if (a < b) return a
  return b
}

type Move = { readonly pathIndex: number; readonly output: bigint }

/**
 * Returns the best path for an increase of its amount, and the resulting output; null if no path accepts it.
 *
 * @param amountsAfter - returns the amounts of all paths after the increase of one path; null if this path is excluded
 */
function bestMove(
  paths: readonly Path[],
  maxHops: number,
  amountsAfter: (pathIndex: number) => readonly bigint[] | null,
): Move | null {
  let best: Move | null = null
  for (const pathIndex of paths.keys()) {
    const amounts = amountsAfter(pathIndex)
    const output = amounts && outputOf(paths, amounts, maxHops)
    if (output != null && !(best && best.output >= output)) best = { pathIndex, output }
  }
  return best
}

/**
 * Returns the total output of all paths. As in a route, a pool makes one swap for all paths through it. Returns null if
 * a pool rejects its input or is used in both directions.
 */
function outputOf(paths: readonly Path[], amounts: readonly bigint[], maxHops: number): bigint | null {
  let output = 0n
  // Make the swaps in the order of `orderOf`, because the input of a pool is known only after the earlier swaps of all
  // paths through the pool.
  const pathInputs = paths.flatMap((path, i) => (amounts[i]! > 0n ? [{ path, amount: amounts[i]! }] : []))
  const order = orderOf(
    pathInputs.map(({ path }) => path),
    maxHops,
  )
  if (!order) return null
  const balances = new Map<Path, bigint>(pathInputs.map(({ path, amount }) => [path, amount]))
  for (const key of order) {
    const inputsThrough = pathInputs.filter(({ path }) => path.some((hop) => keyOf(hop) === key))
    const hop = inputsThrough[0]!.path.find((edge) => keyOf(edge) === key)!
    const sum = inputsThrough.reduce((total, { path }) => total + balances.get(path)!, 0n)
    const hopOutput = sum > 0n ? quoteOrNull(hop.pool, hop.tokenIn, hop.tokenOut, sum) : 0n
    if (hopOutput === null) return null
    let remaining = hopOutput
    for (const [i, { path }] of inputsThrough.entries()) {
      const pathShare = i === inputsThrough.length - 1 ? remaining : (hopOutput * balances.get(path)!) / (sum || 1n)
      remaining -= pathShare
      balances.set(path, pathShare)
    }
  }
  for (const { path } of pathInputs) output += balances.get(path)!
  return output
}

/**
 * Returns the swaps (as keys) in an order that is compatible with all paths. Returns null if there is no such order, if
 * a pool is used in both directions, or if the paths together have more than `maxHops` swaps in series.
 */
function orderOf(paths: readonly Path[], maxHops: number): readonly string[] | null {
  const predecessors = new Map<string, Set<string>>()
  const keyByPool = new Map<string, string>()
  const hopByKey = new Map<string, { readonly tokenIn: Address; readonly tokenOut: Address }>()
  for (const path of paths)
    for (const [i, hop] of path.entries()) {
      const key = keyOf(hop)
      if ((keyByPool.get(hop.pool.id) ?? key) !== key) return null
      keyByPool.set(hop.pool.id, key)
      hopByKey.set(key, hop)
      const ownPredecessors = predecessors.get(key) ?? new Set()
      predecessors.set(key, ownPredecessors)
      if (i > 0) ownPredecessors.add(keyOf(path[i - 1]!))
    }
  const order: string[] = []
  const doneKeys = new Set<string>()
  const depth = new Map<Address, number>()
  while (doneKeys.size < predecessors.size) {
    const ready = [...predecessors].filter(
      ([key, before]) => !doneKeys.has(key) && [...before].every((edgeKey) => doneKeys.has(edgeKey)),
    )
    if (ready.length === 0) return null
    for (const [key] of ready) {
      doneKeys.add(key)
      order.push(key)
    }
  }
  // The depth of a token is the length of the longest path to it, because a route sells a token only after all its legs
  // that buy it.
  for (let round = 0; round <= maxHops; round++)
    for (const key of order) {
      const { tokenIn, tokenOut } = hopByKey.get(key)!
      const hopCount = (depth.get(tokenIn) ?? 0) + 1
      if (hopCount > maxHops) return null
      if (hopCount > (depth.get(tokenOut) ?? 0)) depth.set(tokenOut, hopCount)
    }
  return order
}

const keyOf = ({ pool, tokenIn, tokenOut }: Hop): string => `${pool.id} ${tokenIn} ${tokenOut}`

function pathsBetween(
  pools: readonly Pool[],
  { tokenIn, tokenOut }: MarketTrade,
  limits: DivisionLimits,
): readonly Path[] {
  const paths: Path[] = []
  let layer: Path[] = [[]]
  for (let hops = 0; hops < limits.maxHops && paths.length < limits.maxPaths; hops++) {
    const next: Path[] = []
    for (const path of layer) {
      const token = path.at(-1)?.tokenOut ?? tokenIn
      for (const pool of pools) {
        if (!pool.tokens.includes(token) || path.some((hop) => hop.pool === pool)) continue
        for (const nextToken of pool.tokens) {
          if (nextToken === token || nextToken === tokenIn || path.some((hop) => hop.tokenOut === nextToken)) continue
          const longerPath = [...path, { pool, tokenIn: token, tokenOut: nextToken }]
          if (nextToken === tokenOut) paths.push(longerPath)
          else next.push(longerPath)
        }
      }
    }
    layer = next
  }
  return paths.slice(0, limits.maxPaths)
}
