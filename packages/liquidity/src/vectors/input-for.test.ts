/** Inputs that families tell for an output, against the least ones by their own quotes: for every output among the known answers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { families, familyOf } from '../dexes/index.ts'
import { PoolRefusal } from '../family.ts'
import { inputForOutput, swapExactInput } from '../math/concentrated.ts'
import { parseVectors } from './index.ts'
import { asksOf } from './run.ts'
import type { FormFile, Question, VectorFile } from './types.ts'

const dir = join(import.meta.dirname, '../../vectors')
const files: readonly (VectorFile | FormFile)[] = [
  ...readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as VectorFile),
  ...readdirSync(join(dir, 'genuine')).map(
    (name) => parseVectors(gunzipSync(readFileSync(join(dir, 'genuine', name))).toString('utf8'))!,
  ),
]
const questions = files
  .flatMap(asksOf)
  .map((ask) => ask())
  .filter((question): question is Question => !('skip' in question) && !!question.amountOut)

/** The least input that pays as much, from one that may be off by any number of units. */
function leastInput({ pool, tokenIn, tokenOut, amountOut }: Question, about: bigint): bigint {
  const pays = (amountIn: bigint): boolean => {
    try {
      return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut >= amountOut!
    } catch (error) {
      if (error instanceof PoolRefusal) return false
      throw error
    }
  }
  const isEnough = pays(about)
  let step = 1n
  while (step <= about && pays(isEnough ? about - step : about + step) === isEnough) step *= 2n
  let [low, high] = isEnough ? [about - step, about] : [about, about + step]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (pays(middle)) high = middle
    else low = middle
  }
  return high
}

const askedOf = (id: string) => questions.filter(({ pool }) => pool.family === id)
/** Families that have known answers of their own: others share their arithmetic. */
const turned = families.flatMap(({ id, inputFor }) => (inputFor && askedOf(id).length > 0 ? [id] : []))

test.each(turned)('%s: what it tells is off by a few units at most', (id) => {
  const asked = askedOf(id)
  const told = asked.flatMap((question) => {
    const { pool, tokenIn, tokenOut, amountOut } = question
    const about = familyOf(id)!.inputFor!(pool, tokenIn, tokenOut, amountOut!)
    return about === null ? [] : [{ question, about }]
  })
  for (const { question, about } of told) {
    const least = leastInput(question, about)
    const off = about > least ? about - least : least - about
    expect(off, `${question.asked}: ${about}, where ${least} is enough`).toBeLessThanOrEqual(4n + least / 10n ** 15n)
  }
  expect(told.length).toBeGreaterThan(asked.length / 2)
})

test('more than a pool holds has no input', () => {
  for (const { pool, tokenIn, tokenOut } of questions) {
    const { inputFor, reserves } = familyOf(pool.family)!
    const held = reserves(pool)[pool.tokens.indexOf(tokenOut)]!
    if (inputFor && held > 0n) expect(inputFor(pool, tokenIn, tokenOut, 2n * held + 2n ** 128n)).toBeNull()
  }
})

test('a tick that no genuine pool has is none, for what comes before it', () => {
  const ticks = [
    [-887_220, 10n ** 24n],
    [888_000, -(10n ** 24n)],
  ] as const
  const state = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 10n ** 24n, feePpm: 3_000, tickSpacing: 60, ticks }
  const { amountOut } = swapExactInput(state, 3_000, false, 10n ** 18n)
  const about = inputForOutput(state, 3_000, false, amountOut)!
  expect(swapExactInput(state, 3_000, false, about).amountOut).toBe(amountOut)
  expect(swapExactInput(state, 3_000, false, about - 1n).amountOut).toBeLessThan(amountOut)
})
