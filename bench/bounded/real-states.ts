/** Reads states of real pools from the test vectors of every family, with their rates and scales. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'
import { parseVectors, vectorReaders } from '@sluice/liquidity/vectors'

export type RealState = {
  readonly pool: Pool
  /** Indices of the sold and the bought token. */
  readonly i: number
  readonly j: number
  /** Base units bought per base unit sold, for a small input before the fee. */
  readonly rate: number
  /** Typical input in base units from the pool's test vectors. */
  readonly scale: number
}

/** Maximum states per family, since some families have thousands of vectors. */
const MAX_PER_FAMILY = 12
const folder = join(import.meta.dirname, '../../packages/liquidity/vectors')

let cachedStates: readonly RealState[] | undefined

export function realStates(): readonly RealState[] {
  cachedStates ??= load()
  return cachedStates
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
    for (const ask of vectorReaders(file)) {
      const question = ask()
      if ('skip' in question || question.amountOut === null || question.amountOut === 0n) continue
      const { pool, tokenIn, tokenOut, amountIn } = question
      const [i, j] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
      const states = byFamily.get(pool.family) ?? new Map<string, RealState>()
      byFamily.set(pool.family, states)
      if (states.size >= MAX_PER_FAMILY) continue
      const curve = nullIfRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut))
      const rate = (curve?.sqrtPrice[0] ?? 0) ** 2
      const scale = Number(amountIn)
      if (!isUsual(scale) || !isUsual(scale * rate)) continue
      states.set(keyOf(pool, i, j), { pool, i, j, rate, scale })
    }
  }
  return [...byFamily.values()].flatMap((states) => [...states.values()])
}

/** True for a usual amount: tokens with up to 27 decimals, and not just a few base units. */
const isUsual = (units: number): boolean => units >= 1e3 && units <= 1e30

const keyOf = ({ state }: Pool, i: number, j: number): string =>
  `${i} ${j} ${JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`
