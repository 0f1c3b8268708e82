/**
 * Recorded results of every pure function of every family, in real and random states, from one base unit to beyond the
 * largest input. Known answers of contracts (test/vectors) prove quotes right; records also cover what no contract
 * states: limits, price curves, inverses, outlines, and gas. A change that is intended updates the records
 * (`vitest run packages/liquidity/test/recorded-quotes.test.ts --update`), and its commit says what improved.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { exactIdOf } from '../src/dexes/common/twin-id.ts'
import { families, familyOf, type Pool, refusalOf } from '../src/index.ts'
import { marginalValues, swapOn } from '../src/math/trading-function.ts'
import { poolStates } from './pool-states.ts'

const SEED = 23
/** States per family. */
const STATES = 12
/** Characters of a digest: a change goes undetected with a probability of 1 in 16 million. */
const LENGTH = 6
/** Significant digits of floats. */
const DIGITS = 11
const MAX = 2n ** 128n - 1n

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`
    if (typeof one === 'number' && !Number.isSafeInteger(one)) return one.toPrecision(DIGITS)
    if (ArrayBuffer.isView(one)) return Array.from(one as Float64Array)
    return one instanceof Map || one instanceof Set ? [...one] : one
  }) ?? 'absent'
const digestOf = (value: unknown) => createHash('sha256').update(textOf(value)).digest('hex').slice(0, LENGTH)

/** Returns the result, or the code of the refusal. */
function outcomeOf<T>(compute: () => T): T | readonly [code: string, isModelLimit: boolean] {
  try {
    return compute()
  } catch (error) {
    const { code, isModelLimit } = refusalOf(error)
    return [code, isModelLimit]
  }
}

/** Selects states by their hashes, so that a new state of a family replaces few of the others. */
function selected(pools: readonly Pool[]): readonly (readonly [name: string, pool: Pool])[] {
  const named = pools.map((pool) => [digestOf([pool.state, pool.fixed]), pool] as const)
  return named.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, STATES)
}

/** Inputs from nothing to beyond the largest. */
function inputsUpTo(max: bigint): readonly bigint[] {
  const parts = [10n ** 12n, 10n ** 9n, 10n ** 6n, 10_000n, 333n, 21n, 3n].map((part) => max / part)
  return [...new Set([0n, 1n, 2n, ...parts, max - 1n, max, max + 1n, 2n * max, MAX])].filter((amount) => amount >= 0n)
}

/** Records one direction of a pool. */
function recordOf(pool: Pool, tokenIn: Pool['address'], tokenOut: Pool['address']): string {
  const family = familyOf(pool.family)!
  const maxInput = outcomeOf(() => family.maxInput(pool, tokenIn, tokenOut))
  const reserve = family.reserves(pool)[pool.tokens.indexOf(tokenIn)]!
  const end = typeof maxInput === 'bigint' && maxInput > 0n ? maxInput : 3n * reserve + 1n
  const quotes = inputsUpTo(end).map((amountIn) =>
    outcomeOf(() => {
      const quote = family.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
      // A second swap shows what the first one left.
      const state = { ...pool, state: quote.state }
      const back = outcomeOf(
        () => family.quoteExactInput(state, tokenOut, tokenIn, quote.amountOut / 3n + 1n).amountOut,
      )
      const after = amountIn === end / 3n && outcomeOf(() => family.maxInput(state, tokenIn, tokenOut))
      return { ...quote, back, after }
    }),
  )
  const bought = quotes.flatMap((quote) => ('amountOut' in quote ? [quote.amountOut] : []))
  const outputs = [0n, 1n, ...bought, (bought.at(-1) ?? 0n) + 1n]
  const inputs = outputs.map((amountOut) => outcomeOf(() => family.inputFor?.(pool, tokenIn, tokenOut, amountOut)))
  const curves = outcomeOf(() => family.priceCurve(pool, tokenIn, tokenOut))
  const digests = [...quotes, inputs, curves].map(digestOf).join(' ')
  return `${pool.tokens.indexOf(tokenIn)}>${pool.tokens.indexOf(tokenOut)} ${textOf(maxInput)} ${digests}`
}

/** Records what does not depend on a direction. */
function commonOf(pool: Pool): string {
  const family = familyOf(pool.family)!
  const { tokens } = pool
  const outlines = [0.001, 0.01, 0.1].map((band) => outcomeOf(() => family.outline?.(pool, band)))
  const tradingFunction = outcomeOf(() => family.tradingFunction?.(pool)) ?? null
  const swaps =
    tradingFunction && 'balances' in tradingFunction
      ? [1e-9, 1e-3, 1, 50].map((part) => {
          const balances = tradingFunction.balances.slice()
          const input = (part * balances[0]!) / tradingFunction.units[0]!
          const output = swapOn(tradingFunction, balances, 0, tokens.length - 1, input)
          return [output, balances, marginalValues(tradingFunction, balances)]
        })
      : null
  const values = [family.reserves(pool), outlines, [tradingFunction, swaps], family.readableState?.(pool)]
  return [...values, family.limitsEachSwap?.(pool)].map(digestOf).join(' ')
}

/** States per family in which numbers are changed (in all but the first to zero only), and numbers changed in each. */
const CHANGED_STATES = 4
const CHANGED_NUMBERS = 24
/** Facts of a pool that its contract bounds: no state has others. */
const BOUNDED_FACTS = new Set(['decimals', 'precision', 'unit', 'unit0', 'unit1', 'ratio', 'priceRoot'])
const changes: readonly ((value: bigint) => bigint)[] = [
  () => 0n,
  () => 1n,
  (value) => value >> 40n,
  (value) => value << 60n,
]

/**
 * Returns the state with one number replaced; null if it has fewer. The number of ticks, bins, or samples, which are
 * lists of lists, counts as one.
 */
function changedAt<T>(state: T, place: number, change: (value: bigint) => bigint): T | null {
  let at = 0
  const isTable = (list: readonly unknown[]) =>
    Array.isArray(list[0]) && list[0].length > 0 && !Array.isArray(list[0][0])
  const visit = (value: unknown): unknown => {
    if (typeof value === 'bigint') return at++ === place ? change(value) : value
    if (Array.isArray(value) && isTable(value)) {
      const length = BigInt(value.length)
      return at++ === place ? value.slice(0, Number(change(length) < length ? change(length) : length)) : value
    }
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, BOUNDED_FACTS.has(key) ? one : visit(one)]),
    )
  }
  const result = visit(state) as T
  return at > place ? result : null
}

/** Records results in states that a drained, new, or malicious pool can have. */
function recordsOfChanged(pool: Pool, by: typeof changes): string {
  const last = pool.tokens.length - 1
  const ends = [pool.tokens[0]!, pool.tokens[last]!] as const
  const digests = by.flatMap((change) =>
    Array.from({ length: CHANGED_NUMBERS }, (_, place) => {
      const state = changedAt(pool.state, place, change)
      const changed = { ...pool, state }
      return state === null
        ? []
        : digestOf([commonOf(changed), recordOf(changed, ...ends), recordOf(changed, ends[1], ends[0])])
    }),
  )
  return digests.flat().join(' ')
}

let states: ReturnType<typeof poolStates> | undefined

/** Returns the recorded states of a family. */
function chosenOf(id: string): ReturnType<typeof selected> {
  states ??= poolStates(SEED)
  return selected(states.get(id) ?? [])
}
/** A sampled twin computes as any other sampled family does. */
const ids = families.map(({ id }) => id).filter((id) => exactIdOf(id) === null)
/** Zero alone in place of each number. */
const TO_ZERO = changes.slice(0, 1)

test.each(ids)('%s computes as recorded', async (id) => {
  const chosen = chosenOf(id)
  const records = chosen.map(([name, pool]) => {
    const last = pool.tokens.length - 1
    const pairs = new Set([`0 ${last}`, `${last} 0`, `0 1`, `1 ${last}`].filter((pair) => pair !== '1 1'))
    const directions = [...pairs].map((pair) => {
      const [i, j] = pair.split(' ').map(Number)
      return recordOf(pool, pool.tokens[i!]!, pool.tokens[j!]!)
    })
    return `${[`${name} ${commonOf(pool)}`, ...directions].join('\n  ')}\n`
  })
  expect(
    records.length,
    `${id} has no pool with known answers: see packages/liquidity/vectors/README.md`,
  ).toBeGreaterThan(0)
  const [name, pool] = chosen[0]!
  const changed = `${name} changed ${recordsOfChanged(pool, TO_ZERO)}\n`
  await expect([...records, changed].join('')).toMatchFileSnapshot(`goldens/${id}.txt`)
})

test.each(ids)('%s computes as recorded in changed states', { tags: 'long' }, async (id) => {
  const changed = chosenOf(id)
    .slice(0, CHANGED_STATES)
    .map(([name, pool], k) => `${name} changed ${recordsOfChanged(pool, k === 0 ? changes : TO_ZERO)}\n`)
  await expect(changed.join('')).toMatchFileSnapshot(`goldens/changed/${id}.txt`)
})
