/** Reads states of real pools from the test vectors of every family, with their prices and typical inputs. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'
import { parseVectors, vectorReaders } from '@sluice/liquidity/vectors'

export type RealState = {
  readonly pool: Pool
  /** Index of the sold token in the pool. */
  readonly inputIndex: number
  /** Index of the bought token. */
  readonly outputIndex: number
  /** Base units bought per base unit sold, for a small input before the fee. */
  readonly rate: number
  /** Typical input in base units from the pool's test vectors. */
  readonly scale: number
}

/** Maximum number of states per family. Some families have thousands of vectors. */
const MAX_PER_FAMILY = 12
/** Families that share the maximum of another family, whose math they have. */
const SAME_MATH: ReadonlyMap<string, string> = new Map([['saddle', 'curve-stable']])
const folder = join(import.meta.dirname, '../../packages/liquidity/vectors')

let cachedStates: readonly RealState[] | undefined

export function realStates(): readonly RealState[] {
  cachedStates ??= loadStates()
  return cachedStates
}

function loadStates(): readonly RealState[] {
  const statesByFamily = new Map<string, Map<string, RealState>>()
  const files = [
    ...readdirSync(folder).filter((name) => name.endsWith('.json')),
    ...readdirSync(join(folder, 'genuine')).map((name) => join('genuine', name)),
  ]
  for (const name of files) {
    const bytes = readFileSync(join(folder, name))
    const file = parseVectors((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
    if (!file) continue
    for (const readVector of vectorReaders(file)) {
      const vector = readVector()
      if ('skip' in vector || vector.amountOut === null || vector.amountOut === 0n) continue
      const { pool, tokenIn, tokenOut, amountIn } = vector
      const [inputIndex, outputIndex] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
      const family = SAME_MATH.get(pool.family) ?? pool.family
      const states = statesByFamily.get(family) ?? new Map<string, RealState>()
      statesByFamily.set(family, states)
      if (states.size >= MAX_PER_FAMILY) continue
      const curve = nullIfRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut))
      const rate = (curve?.sqrtPrice[0] ?? 0) ** 2
      const scale = Number(amountIn)
      if (!isUsual(scale) || !isUsual(scale * rate)) continue
      states.set(keyOf(pool, inputIndex, outputIndex), { pool, inputIndex, outputIndex, rate, scale })
    }
  }
  return [...statesByFamily.values()].flatMap((states) => [...states.values()])
}

/** Returns true for amounts that occur in trades of tokens with up to 27 decimals. */
const isUsual = (units: number): boolean => units >= 1e3 && units <= 1e30

const keyOf = ({ state }: Pool, inputIndex: number, outputIndex: number): string =>
  `${inputIndex} ${outputIndex} ${JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`
