/**
 * Tests `inputFor` of all families: compares it with the minimum input by the family's own quotes, for every output in
 * the test vectors.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { balancerV2InputFor } from '../../src/dexes/balancer-v2/math.ts'
import type { BalancerV2State } from '../../src/dexes/balancer-v2/types.ts'
import { families, familyOf } from '../../src/dexes/index.ts'
import { PoolRefusal } from '../../src/family.ts'
import { inputForOutput, swapExactInput } from '../../src/math/concentrated.ts'
import { parseVectors } from './index.ts'
import { vectorReaders } from './run.ts'
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
  .flatMap(vectorReaders)
  .map((ask) => ask())
  .filter((question): question is Question => !('skip' in question) && !!question.amountOut)

/** Returns the minimum input that buys the output, searching from an approximate one. */
function minInput({ pool, tokenIn, tokenOut, amountOut }: Question, about: bigint): bigint {
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

const questionsOf = (id: string) => questions.filter(({ pool }) => pool.family === id)
/** Families with vectors of their own; the others share their math. */
const testedFamilies = families.flatMap(({ id, inputFor }) => (inputFor && questionsOf(id).length > 0 ? [id] : []))

test.each(testedFamilies)('%s: the result is off by a few units at most', (id) => {
  const ofFamily = questionsOf(id)
  const results = ofFamily.flatMap((question) => {
    const { pool, tokenIn, tokenOut, amountOut } = question
    const about = familyOf(id)!.inputFor!(pool, tokenIn, tokenOut, amountOut!)
    return about === null ? [] : [{ question, about }]
  })
  for (const { question, about } of results) {
    const minimum = minInput(question, about)
    const off = about > minimum ? about - minimum : minimum - about
    expect(off, `${question.label}: ${about}; the minimum is ${minimum}`).toBeLessThanOrEqual(4n + minimum / 10n ** 15n)
  }
  expect(results.length).toBeGreaterThan(ofFamily.length / 2)
})

test('balancer-v2: the input for an exact output is off by rounding only, in pools of each kind', () => {
  const kinds = new Set<string>()
  for (const question of questionsOf('balancer-v2')) {
    const { pool, tokenIn, tokenOut } = question
    const state = pool.state as BalancerV2State
    const [i, j] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
    for (const part of [1n, 3n, 1_000n]) {
      const amountOut = question.amountOut! / part
      const about = balancerV2InputFor(state, i, j, amountOut)
      if (about === null) continue
      const minimum = minInput({ ...question, amountOut }, about)
      const off = about > minimum ? about - minimum : minimum - about
      expect(off, `${question.label} / ${part}: ${about}`).toBeLessThanOrEqual(
        10n ** 6n + state.balances[i]! / 10n ** 7n,
      )
      kinds.add(state.kind)
    }
    expect(balancerV2InputFor(state, i, j, state.balances[j]!)).toBeNull()
    expect(balancerV2InputFor({ ...state, balances: state.balances.with(i, 0n) }, i, j, 1n)).toBeNull()
  }
  expect(kinds).toEqual(new Set(['weighted', 'stable']))
})

test('an output above the reserves has no input', () => {
  for (const { pool, tokenIn, tokenOut } of questions) {
    const { inputFor, reserves } = familyOf(pool.family)!
    const reserve = reserves(pool)[pool.tokens.indexOf(tokenOut)]!
    if (inputFor && reserve > 0n) expect(inputFor(pool, tokenIn, tokenOut, 2n * reserve + 2n ** 128n)).toBeNull()
  }
})

test('a tick out of range does not affect swaps that end before it', () => {
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
