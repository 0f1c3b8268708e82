/** Runs all test vectors, and tests that mismatches and malformed files are reported. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type FormFile, parseVectors, runVectors, type VectorFile } from './index.ts'
import { EXACT_OUTPUT, isPlain } from './plain.ts'

const dir = join(import.meta.dirname, '../../vectors')
const files = readdirSync(dir).filter((name) => name.endsWith('.json'))
const load = (name: string): VectorFile => JSON.parse(readFileSync(join(dir, name), 'utf8'))

test.each(files)('%s: all vectors match', (name) => {
  const file = load(name)
  expect(runVectors(file)).toEqual({
    family: file.family,
    passed: file.vectors.length,
    failed: [],
    skipped: new Map(),
  })
})

/** Quotes of real contracts, with the number of skipped vectors by reason. */
const genuineDir = join(dir, 'genuine')
const expectedSkips: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'aave-gsm.json.gz': { 'exact output is not quoted': 30 },
  'aave-v3.json.gz': { 'its caller had a lower balance': 12 },
  'ambient.json.gz': {
    'exact output is not quoted': 175,
    'stops at a distant price limit': 10,
    'stops at a near price limit': 4,
    'the levels that it crossed are not recorded': 2,
  },
  'balancer-v3-extra.json.gz': {
    'exactOut is not quoted': 1724,
  },
  'ekubo.json.gz': {
    'exactOut is not quoted': 417,
    'toPrice is not quoted': 304,
    "beyond the family's own limit": 5,
  },
  'euler-swap.json.gz': { 'exactOut is not quoted': 646 },
  'iziswap.json.gz': { 'exactOut is not quoted': 146, 'price limits are not used': 3 },
  'fluid-dex.json.gz': { 'its state was read seconds before it, and interest grows by the second': 15 },
  'syncswap.json.gz': { 'aqua pools, whose source is not public, are left out': 76 },
  'pancake-infinity.json.gz': {
    'exactOut is not quoted': 665,
    'toPrice is not quoted': 226,
    "beyond the family's own limit": 10,
  },
  'uniswap-v4-hooks.json.gz': {
    'exactOut is not quoted': 60,
    'its hook takes part in swaps: such pools are left out': 80,
  },
}

test.each(readdirSync(genuineDir))('genuine/%s: all vectors match, and skipped ones are listed', (name) => {
  const text = gunzipSync(readFileSync(join(genuineDir, name))).toString('utf8')
  const file = parseVectors(text)! as FormFile
  const { passed, failed, skipped } = runVectors(file)
  expect(failed).toEqual([])
  // Plain files mark exact-output vectors themselves.
  const otherSkips = [...skipped].filter(([reason]) => !isPlain(file.content) || reason !== EXACT_OUTPUT)
  expect(Object.fromEntries(otherSkips)).toEqual(expectedSkips[name] ?? {})
  expect(passed).toBeGreaterThan(0)
})

test('a form vector with an error of one in the amount or state is a mismatch', () => {
  const file = JSON.parse(gunzipSync(readFileSync(join(genuineDir, 'dodo-v2.json.gz'))).toString('utf8'))
  const answeredVector = file.vectors.find(({ after }: { after?: object }) => after)
  const failedOf = (vector: object) =>
    runVectors(parseVectors(JSON.stringify({ ...file, vectors: [vector] }))!).failed.length
  expect(failedOf(answeredVector)).toBe(0)
  expect(failedOf({ ...answeredVector, amountOut: `${BigInt(answeredVector.amountOut) + 1n}` })).toBe(1)
  expect(
    failedOf({ ...answeredVector, after: { ...answeredVector.after, B0: `${BigInt(answeredVector.after.B0) + 1n}` } }),
  ).toBe(1)
  expect(failedOf({ ...answeredVector, fails: true })).toBe(1)
})

test('a plain vector with an error of one in the amount or state is a mismatch', () => {
  const file = JSON.parse(gunzipSync(readFileSync(join(genuineDir, 'kyber-classic.json.gz'))).toString('utf8'))
  const pool = file.pools.find(({ answers }: { answers: { after?: object }[] }) => answers[0]!.after)
  const [answer] = pool.answers
  const failedOf = (changes: object) =>
    runVectors(parseVectors(JSON.stringify({ ...file, pools: [{ ...pool, answers: [{ ...answer, ...changes }] }] }))!)
      .failed
  expect(failedOf({})).toEqual([])
  expect(failedOf({ amountOut: `${BigInt(answer.amountOut) + 1n}` })).toHaveLength(1)
  expect(failedOf({ amountOut: null })).toHaveLength(1)
  expect(failedOf({ after: { ...answer.after, reserve0: '1n' } })[0]).toMatch(
    /reserve0 \d+n|reserve0 "\d+n", not "1n", after/,
  )
  expect(failedOf({ in: 5 })).toHaveLength(1)
})

test('a wrong amount is a mismatch', () => {
  const file = load('uniswap-v2.json')
  const [firstVector] = file.vectors
  const changedFile = { ...file, vectors: [{ ...firstVector!, amountOut: `${BigInt(firstVector!.amountOut!) + 1n}` }] }
  expect(runVectors(changedFile).failed).toHaveLength(1)
})

test('a quote that must be refused is a mismatch', () => {
  const file = load('uniswap-v2.json')
  const [firstVector] = file.vectors
  const refusingFile = { ...file, vectors: [{ ...firstVector!, fails: true }] }
  expect(runVectors(refusingFile).failed).toHaveLength(1)
})

test('reports why a vector is skipped', () => {
  const file = load('uniswap-v2.json')
  const [firstVector] = file.vectors
  const exactOut = { ...file, vectors: [{ ...firstVector!, mode: 'exactOut' as const }] }
  expect(runVectors(exactOut).skipped).toEqual(new Map([['exactOut is not quoted', 1]]))
})

test('a malformed state is a mismatch that names the error', () => {
  const file = load('uniswap-v3.json')
  const states = Object.fromEntries(
    Object.keys(file.states).map((key) => [key, { source: 'chain' as const, pool: {} }]),
  )
  const { passed, failed } = runVectors({ ...file, states })
  expect(passed).toBe(0)
  expect(failed[0]).toMatch(/not in the format of uniswap-v3: /)
})

test('an index of files holds no vectors', () => {
  expect(parseVectors(JSON.stringify({ solidly: { vectors: 13, states: 9 } }))).toBeNull()
})

const emptyFile = { family: 'solidly', vectors: [], states: {} }
const vector = { state: 'a', mode: 'exactIn', tokenIn: 'A', tokenOut: 'B', amountIn: '1', amountOut: '2' }
test.each([
  ['{', /^is not JSON: /],
  ['[]', /^the file: must be an object/],
  [{}, /^family: must be a string/],
  [{ ...emptyFile, vectors: {} }, /^vectors: must be a list/],
  [{ ...emptyFile, states: [] }, /^states: must be an object/],
  [{ ...emptyFile, states: { a: { source: 'chain' } } }, /^states.a.pool: must be an object/],
  [{ ...emptyFile, vectors: [null] }, /^vectors\[0\]: must be an object/],
  [{ ...emptyFile, vectors: [{ ...vector, tokenIn: 1 }] }, /^vectors\[0\].tokenIn: must be a string/],
  [
    { ...emptyFile, vectors: [vector, { ...vector, amountIn: '1.5' }] },
    /^vectors\[1\].amountIn: must be a decimal integer/,
  ],
])('a malformed file is rejected with the name of the wrong field: %j', (content, message) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  expect(() => parseVectors(text)).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }))
})
