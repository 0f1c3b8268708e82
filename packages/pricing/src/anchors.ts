import type { Address, Chain } from '@sluice/chains'
import { canonical, type TokenGraph } from './graph.ts'
import { weightedMedian } from './median.ts'
import { settle } from './settle.ts'

/** A stable this far from what the others agree on is off its peg, and is priced like any other token. */
const OFF_PEG = 0.03
/** Stables with at least this share of the deepest one's evidence count alike; thinner ones count by their evidence. */
const FULL_VOTE_SHARE = 0.1

/**
 * Which stables of the chain stand for one dollar now, with the price of a base unit each.
 *
 * They are compared with each other in units of the chain's native token, over the pools among the chain's hubs. Where
 * nothing connects them, all are taken at their word; a chain without a usable stable has no anchors and no prices.
 */
export function pickAnchors(
  graph: TokenGraph,
  chain: Chain,
  decimals: (token: Address) => number | undefined,
): Map<number, number> {
  const unit = (token: Address) => 10 ** (decimals(token) ?? Number.NaN)
  const idOf = (token: Address) => graph.idOf.get(canonical(token, chain))
  const stables = chain.stables.flatMap(({ address }) => {
    const id = idOf(address)
    return id === undefined || Number.isNaN(unit(address)) ? [] : [{ id, unit: unit(address) }]
  })
  const asAnchors = (chosen: typeof stables) => new Map(chosen.map((stable) => [stable.id, 1 / stable.unit]))

  const reference = chain.hubs[0] === undefined ? undefined : idOf(chain.hubs[0])
  if (reference === undefined) return asAnchors(stables)

  const among = new Uint8Array(graph.tokens.length)
  for (const token of [...chain.hubs, ...chain.stables.map((stable) => stable.address)]) {
    const id = idOf(token)
    if (id !== undefined) among[id] = 1
  }
  const { price, evidence } = settle(graph, new Map([[reference, 1]]), 0, among)
  const compared = stables.filter(({ id }) => evidence[id]! > 0)
  if (compared.length === 0) return asAnchors(stables)

  const deepest = Math.max(...compared.map(({ id }) => evidence[id]!).filter(Number.isFinite), 0)
  const values = compared.map(({ id, unit }) => price[id]! * unit)
  const votes = compared.map(({ id }) => (deepest === 0 ? 1 : Math.min(evidence[id]!, deepest * FULL_VOTE_SHARE)))
  const dollar = weightedMedian(values, votes)
  return asAnchors(compared.filter((_, k) => Math.abs(values[k]! / dollar - 1) <= OFF_PEG))
}
