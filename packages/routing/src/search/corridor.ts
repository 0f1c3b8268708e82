/** Edges that can be part of an optimum, out of all. */
import { FAR, type PotentialWithSecond } from './potentials.ts'
import type { Problem } from './problem.ts'

/**
 * No price along a route falls below what the trade pays at its margin, so an edge whose best spot way from source to
 * target is worth less than `floor` (output per unit of the source) can be left out.
 */
export function corridor(
  problem: Problem,
  forward: PotentialWithSecond,
  backward: PotentialWithSecond,
  floor: number,
): Int32Array {
  const { rate, maxHops } = problem
  const { from, to } = problem.graph.topology
  const found = new Int32Array(rate.length)
  let count = 0
  for (let edge = 0; edge < rate.length; edge++) {
    const u = from[edge]!
    const v = to[edge]!
    const spot = rate[edge]!
    if (forward.best[u]! * spot * backward.best[v]! < floor || spot === 0) continue
    if (forward.hops[u] === FAR || backward.hops[v] === FAR) continue
    if (forward.hops[u]! + 1 + backward.hops[v]! > maxHops) continue
    const before = forward.link[u]! >= 0 && from[forward.link[u]!] === v ? forward.second[u]! : forward.best[u]!
    const after = backward.link[v]! >= 0 && to[backward.link[v]!] === u ? backward.second[v]! : backward.best[v]!
    if (before * spot * after < floor || before === 0 || after === 0) continue
    found[count++] = edge
  }
  return found.subarray(0, count)
}
