import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runVectors, type VectorFile } from './index.ts'

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
