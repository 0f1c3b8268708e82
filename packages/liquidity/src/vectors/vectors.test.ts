import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseVectors, runVectors, type VectorFile } from './index.ts'

const dir = join(import.meta.dirname, '../../vectors')
const files = readdirSync(dir).filter((name) => name.endsWith('.json'))
const load = (name: string): VectorFile => JSON.parse(readFileSync(join(dir, name), 'utf8'))

test.each(files)('%s: every known answer is met', (name) => {
  const file = load(name)
  expect(runVectors(file)).toEqual({
    family: file.family,
    passed: file.vectors.length,
    failed: [],
    skipped: new Map(),
  })
})

test('a wrong answer is a mismatch', () => {
  const file = load('uniswap-v2.json')
  const [first] = file.vectors
  const wrong = { ...file, vectors: [{ ...first!, amountOut: `${BigInt(first!.amountOut!) + 1n}` }] }
  expect(runVectors(wrong).failed).toHaveLength(1)
})

test('what a pool must refuse is a mismatch when it is quoted, and the other way round', () => {
  const file = load('uniswap-v2.json')
  const [first] = file.vectors
  const refusing = { ...file, vectors: [{ ...first!, fails: true }] }
  expect(runVectors(refusing).failed).toHaveLength(1)
})

test('says why a vector is left out', () => {
  const file = load('uniswap-v2.json')
  const [first] = file.vectors
  const exactOut = { ...file, vectors: [{ ...first!, mode: 'exactOut' as const }] }
  expect(runVectors(exactOut).skipped).toEqual(new Map([['exactOut is not quoted', 1]]))
})

test('a state of another form is a mismatch that says what is wrong with it', () => {
  const file = load('uniswap-v3.json')
  const states = Object.fromEntries(
    Object.keys(file.states).map((key) => [key, { source: 'chain' as const, pool: {} }]),
  )
  const { passed, failed } = runVectors({ ...file, states })
  expect(passed).toBe(0)
  expect(failed[0]).toMatch(/has not the form of uniswap-v3: /)
})

test('an index of files holds no vectors', () => {
  expect(parseVectors(JSON.stringify({ solidly: { vectors: 13, states: 9 } }))).toBeNull()
})

const whole = { family: 'solidly', vectors: [], states: {} }
const vector = { state: 'a', mode: 'exactIn', tokenIn: 'A', tokenOut: 'B', amountIn: '1', amountOut: '2' }
test.each([
  ['{', /^is not JSON: /],
  ['[]', /^the file: is no object/],
  [{}, /^family: is no text/],
  [{ ...whole, vectors: {} }, /^vectors: is no list/],
  [{ ...whole, states: [] }, /^states: is no object/],
  [{ ...whole, states: { a: { source: 'chain' } } }, /^states.a.pool: is no object/],
  [{ ...whole, vectors: [null] }, /^vectors\[0\]: is no object/],
  [{ ...whole, vectors: [{ ...vector, tokenIn: 1 }] }, /^vectors\[0\].tokenIn: is no text/],
  [{ ...whole, vectors: [vector, { ...vector, amountIn: '1.5' }] }, /^vectors\[1\].amountIn: is no whole number/],
])('a file of another form is refused by the field that is wrong: %j', (content, message) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  expect(() => parseVectors(text)).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }))
})
