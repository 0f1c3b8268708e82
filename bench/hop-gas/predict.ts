/** What the table says of the router's own routes, beside what their senders are charged. */

import { ZERO_ADDRESS } from '@sluice/chains'
import type { GasRow } from '@sluice/liquidity'
import { buildGraph, findRoute, type Route } from '@sluice/routing'
import type { World } from '../../packages/liquidity/test/fuzz/world.ts'
import { random } from '../../packages/liquidity/test/random.ts'
import { amountFor, hopOf, piecesOf, tradable } from './measure.ts'
import { gasOf } from './swap.ts'

/** Gas as told by the table and as charged. */
export type Prediction = { readonly told: number; readonly charged: number; readonly legs: number }
type Table = { readonly route: number; readonly rows: ReadonlyMap<string, GasRow> }

const GAS_PRICE_WEI = 2_000_000_000n

/** Routes between random tokens, sent one after the other. */
export async function predict(world: World, table: Table, count: number, seed: number): Promise<readonly Prediction[]> {
  const r = random(seed)
  const wrappedNative = world.chain.wrappedNative?.address ?? null
  const ends = tradable(world).filter(
    ({ family, tokens }) => family !== 'rate-wrapper' && !tokens.includes(ZERO_ADDRESS),
  )
  const predictions: Prediction[] = []
  for (let tries = 0; predictions.length < count && tries < 3 * count; tries++) {
    const graph = buildGraph(await world.market.sync())
    const from = hopOf(r.pick(ends), r.integer(2) === 1)
    const tokenOut = r.pick(r.pick(ends).tokens)
    if (tokenOut === from.tokenIn) continue
    const amountIn = amountFor(from, r.pick([0.1, 0.5, 2]))
    const found = findRoute(graph, {
      tokenIn: from.tokenIn,
      tokenOut,
      amountIn,
      wrappedNative,
      gasPriceWei: GAS_PRICE_WEI,
    })
    const charged = found.ok ? await gasOf(world, found.route) : null
    if (found.ok && charged !== null)
      predictions.push({ told: tell(found.route, table), charged, legs: found.route.legs.length })
  }
  return predictions
}

function tell({ legs }: Route, { route, rows }: Table): number {
  return legs.reduce((sum, { pool, gas }) => {
    const row = rows.get(pool.family)!
    return sum + row.hop + row.piece * piecesOf(pool.family, gas)
  }, route)
}

/** Per cent of what was charged: how far off the table was, and to which side in the middle. */
export function errorsOf(predictions: readonly Prediction[]) {
  const signed = predictions.map(({ told, charged }) => (100 * (told - charged)) / charged).toSorted((a, b) => a - b)
  const absolute = signed.map(Math.abs).toSorted((a, b) => a - b)
  const at = (list: readonly number[], part: number) => Number(list[Math.floor(part * (list.length - 1))]!.toFixed(1))
  return {
    routes: predictions.length,
    legs: predictions.reduce((sum, { legs }) => sum + legs, 0),
    middle: at(signed, 0.5),
    absoluteMedian: at(absolute, 0.5),
    absoluteP90: at(absolute, 0.9),
    worst: at(absolute, 1),
  }
}
