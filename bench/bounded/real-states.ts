/** States of real pools, from the known answers of every family, with what a market needs to place them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { familyOf, orRefused, type Pool } from '@sluice/liquidity'
import { asksOf, parseVectors } from '@sluice/liquidity/vectors'

export type RealState = {
  readonly pool: Pool
  /** Places of the token sold and of the token bought. */
  readonly i: number
  readonly j: number
  /** Base units bought for a base unit sold, for a small input and before the fee. */
  readonly rate: number
  /** An input of the size that the pool is asked about, base units. */
  readonly scale: number
}

/** States of one family at most: some have thousands of known answers, which must not crowd out the others. */
const MAX_PER_FAMILY = 12
const folder = join(import.meta.dirname, '../../packages/liquidity/vectors')

let known: readonly RealState[] | undefined

export function realStates(): readonly RealState[] {
  known ??= load()
  return known
}

function load(): readonly RealState[] {
  const byFamily = new Map<string, Map<string, RealState>>()
  const files = [
    ...readdirSync(folder).filter((name) => name.endsWith('.json')),
    ...readdirSync(join(folder, 'genuine')).map((name) => join('genuine', name)),
  ]
  for (const name of files) {
    const bytes = readFileSync(join(folder, name))
    const file = parseVectors((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
    if (!file) continue
    for (const ask of asksOf(file)) {
      const question = ask()
      if ('skip' in question || question.amountOut === null || question.amountOut === 0n) continue
      const { pool, tokenIn, tokenOut, amountIn } = question
      const [i, j] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
      const states = byFamily.get(pool.family) ?? new Map<string, RealState>()
      byFamily.set(pool.family, states)
      if (states.size >= MAX_PER_FAMILY) continue
      const curve = orRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut))
      const rate = (curve?.sqrtPrice[0] ?? 0) ** 2
      const scale = Number(amountIn)
      if (!isUsual(scale) || !isUsual(scale * rate)) continue
      states.set(keyOf(pool, i, j), { pool, i, j, rate, scale })
    }
  }
  return [...byFamily.values()].flatMap((states) => [...states.values()])
}

/** True for an amount that people trade: of tokens with up to 27 decimals, and not a matter of single units. */
const isUsual = (units: number): boolean => units >= 1e3 && units <= 1e30

const keyOf = ({ state }: Pool, i: number, j: number): string =>
  `${i} ${j} ${JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`
