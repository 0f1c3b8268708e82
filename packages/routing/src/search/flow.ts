/**
 * A split route as shares on an acyclic set of edges: each token's amount is divided over the edges that sell it. Found by
 * water-filling: at every token the shares are set so that all edges in use earn the same at the margin, given what their
 * outputs are worth further down, until nothing improves.
 */
import type { Address } from '@sluice/chains'
import type { Edge } from '../graph.ts'
import { inputAtRate, marginalRate, outputOf } from './response.ts'

export type Flow = {
  /** Tokens from source to target, each before all that its edges buy. */
  readonly order: readonly Address[]
  /** Edges in use out of each token. */
  readonly out: ReadonlyMap<Address, readonly Edge[]>
  /** Part of its token's amount that each edge takes. */
  readonly share: ReadonlyMap<Edge, number>
  /** Input of each edge and what arrives at the target, base units as floats. */
  readonly input: ReadonlyMap<Edge, number>
  readonly amountOut: number
  /** Output at the target that one more unit of the source buys. */
  readonly marginal: number
}

const MAX_ROUNDS = 80
const TOLERANCE = 1e-11
/** Edges with less than this part of their token are dropped from a finished flow. */
const NEGLIGIBLE = 1e-7

/** Tokens in topological order, or null where the edges form a circle. */
export function topologicalOrder(edges: Iterable<Edge>, source: Address): readonly Address[] | null {
  const out = groupByInput(edges)
  const order: Address[] = []
  const state = new Map<Address, 'open' | 'done'>()
  const visit = (token: Address): boolean => {
    const seen = state.get(token)
    if (seen) return seen === 'done'
    state.set(token, 'open')
    for (const { tokenOut } of out.get(token) ?? []) if (!visit(tokenOut)) return false
    state.set(token, 'done')
    order.unshift(token)
    return true
  }
  return visit(source) ? order : null
}

/**
 * The best shares over the given edges.
 *
 * @param amountIn - base units of the source
 * @param start - shares to begin with, from a flow over nearly the same edges
 */
export function optimise(
  edges: Iterable<Edge>,
  source: Address,
  target: Address,
  amountIn: number,
  start?: ReadonlyMap<Edge, number>,
): Flow | null {
  const usable = liveEdges([...edges], source, target)
  const order = usable.length > 0 ? topologicalOrder(usable, source) : null
  if (!order) return null
  const out = groupByInput(usable)
  let share = initialShares(out, start)
  let state = evaluate(order, out, share, source, target, amountIn)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const wanted = fillAll(order, out, state)
    let improved = false
    for (let step = 1; step >= 1 / 64; step /= 2) {
      const tried = blend(share, wanted, step)
      const next = evaluate(order, out, tried, source, target, amountIn)
      if (next.amountOut > state.amountOut) {
        improved = next.amountOut > state.amountOut * (1 + TOLERANCE)
        share = tried
        state = next
        break
      }
    }
    if (!improved) break
  }
  return { order, out, share, input: state.input, amountOut: state.amountOut, marginal: state.worth.get(source) ?? 0 }
}

/** Edges of a flow that carry anything worth a leg. */
export function usedEdges(flow: Flow): readonly Edge[] {
  return [...flow.share]
    .filter(([edge, share]) => share > NEGLIGIBLE && (flow.input.get(edge) ?? 0) >= 1)
    .map(([edge]) => edge)
}

type State = {
  readonly amount: ReadonlyMap<Address, number>
  readonly input: ReadonlyMap<Edge, number>
  /** Output at the target that one more unit of a token buys. */
  readonly worth: ReadonlyMap<Address, number>
  readonly amountOut: number
}

function evaluate(
  order: readonly Address[],
  out: ReadonlyMap<Address, readonly Edge[]>,
  share: ReadonlyMap<Edge, number>,
  source: Address,
  target: Address,
  amountIn: number,
): State {
  const amount = new Map<Address, number>([[source, amountIn]])
  const input = new Map<Edge, number>()
  for (const token of order) {
    const held = amount.get(token) ?? 0
    for (const edge of out.get(token) ?? []) {
      const sold = held * share.get(edge)!
      input.set(edge, sold)
      amount.set(edge.tokenOut, (amount.get(edge.tokenOut) ?? 0) + outputOf(edge.response, sold))
    }
  }
  const worth = new Map<Address, number>([[target, 1]])
  for (let index = order.length - 1; index >= 0; index--) {
    const token = order[index]!
    if (token === target) continue
    let best = 0
    let mean = 0
    for (const edge of out.get(token) ?? []) {
      const rate = marginalRate(edge.response, input.get(edge)!) * (worth.get(edge.tokenOut) ?? 0)
      best = Math.max(best, rate)
      mean += share.get(edge)! * rate
    }
    worth.set(token, (amount.get(token) ?? 0) > 0 ? mean : best)
  }
  return { amount, input, worth, amountOut: amount.get(target) ?? 0 }
}

/** For every token, the shares that would be best if the worth of what its edges buy stayed as it is. */
function fillAll(
  order: readonly Address[],
  out: ReadonlyMap<Address, readonly Edge[]>,
  state: State,
): Map<Edge, number> {
  const wanted = new Map<Edge, number>()
  for (const token of order) {
    const edges = out.get(token)
    if (!edges) continue
    const held = state.amount.get(token) ?? 0
    const inputs = edges.length > 1 && held > 0 ? waterFill(edges, held, state.worth) : null
    const total = inputs?.reduce((sum, value) => sum + value, 0) ?? 0
    edges.forEach((edge, index) => {
      wanted.set(edge, inputs && total > 0 ? inputs[index]! / total : 1 / edges.length)
    })
  }
  return wanted
}

/** Inputs at which all edges earn the same at the margin and which add up to what is held: bisection on that rate. */
function waterFill(edges: readonly Edge[], held: number, worth: ReadonlyMap<Address, number>): number[] {
  const value = edges.map(({ tokenOut }) => worth.get(tokenOut) ?? 0)
  const inputsAt = (rate: number) =>
    edges.map(({ response }, index) => (value[index]! > 0 ? inputAtRate(response, rate / value[index]!) : 0))
  const sum = (inputs: readonly number[]) => inputs.reduce((total, input) => total + input, 0)
  let high = Math.max(...edges.map(({ response }, index) => marginalRate(response, 0) * value[index]!))
  if (!(high > 0)) return edges.map(() => held / edges.length)
  let low = high
  for (let step = 0; step < 200 && sum(inputsAt(low)) < held; step++) low /= 4
  for (let step = 0; step < 100 && high / low > 1 + 1e-14; step++) {
    const middle = Math.sqrt(low * high)
    if (sum(inputsAt(middle)) < held) high = middle
    else low = middle
  }
  return inputsAt(low)
}

function blend(from: ReadonlyMap<Edge, number>, to: ReadonlyMap<Edge, number>, step: number): Map<Edge, number> {
  return new Map([...from].map(([edge, share]) => [edge, share + step * (to.get(edge)! - share)]))
}

function initialShares(
  out: ReadonlyMap<Address, readonly Edge[]>,
  start?: ReadonlyMap<Edge, number>,
): Map<Edge, number> {
  const share = new Map<Edge, number>()
  for (const edges of out.values()) {
    const known = edges.reduce((sum, edge) => sum + (start?.get(edge) ?? 0), 0)
    for (const edge of edges) share.set(edge, known > 0 ? (start?.get(edge) ?? 0) / known : 1 / edges.length)
  }
  return share
}

/** Edges that lie on some way from the source to the target. */
function liveEdges(edges: readonly Edge[], source: Address, target: Address): readonly Edge[] {
  let live = edges
  for (;;) {
    const reached = new Set<Address>([source, ...live.map(({ tokenOut }) => tokenOut)])
    const leaving = new Set<Address>([target, ...live.map(({ tokenIn }) => tokenIn)])
    const kept = live.filter(({ tokenIn, tokenOut }) => reached.has(tokenIn) && leaving.has(tokenOut))
    if (kept.length === live.length) return kept
    live = kept
  }
}

function groupByInput(edges: Iterable<Edge>): Map<Address, Edge[]> {
  const out = new Map<Address, Edge[]>()
  for (const edge of edges) {
    const list = out.get(edge.tokenIn)
    if (list) list.push(edge)
    else out.set(edge.tokenIn, [edge])
  }
  return out
}
