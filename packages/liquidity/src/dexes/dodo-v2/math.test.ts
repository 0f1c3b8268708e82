/** Tests the PMM curve: cases computed by hand, and its defining integral with random values. */
import { DodoV2Lens__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, id } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { integrate, mulFloor, reciprocal, solveTarget, solveTrade } from './math.ts'

const ONE = 10n ** 18n
const E20 = 100n * ONE
const refusal = (code: string) => expect.objectContaining({ code })
/** ∫ price·(1 − k + k·(v0/v)²) dv. */
const integralOf = (v0: number, from: number, to: number, price: number, k: number) =>
  price * ((1 - k) * (to - from) + k * v0 ** 2 * (1 / from - 1 / to))

test.each([
  // Half of the way to the target of 100: 50 at a constant price, and 100²·(1/50 − 1/100) at a price of x·y = k.
  ['a constant price', 0n, 50n * ONE],
  ['the product of the reserves', ONE, 100n * ONE],
  ['half of each', ONE / 2n, 75n * ONE],
])('the integral of %s', (_, k, expected) => {
  expect(integrate(E20, 50n * ONE, E20, ONE, k)).toBe(expected)
  expect(integrate(E20, 50n * ONE, E20, 3n * ONE, k)).toBe(3n * expected)
})

test('a curve without a target, or with nothing of a token, has no price', () => {
  expect(() => integrate(0n, ONE, E20, ONE, ONE)).toThrow(refusal('EMPTY'))
  expect(() => integrate(E20, 0n, E20, ONE, ONE)).toThrow(refusal('EMPTY'))
  expect(integrate(E20, 0n, E20, ONE, 0n)).toBe(E20)
  expect(() => solveTrade(0n, E20, ONE, ONE, ONE)).toThrow(refusal('EMPTY'))
  expect(() => solveTrade(E20, 0n, ONE, ONE, ONE / 2n)).toThrow(refusal('EMPTY'))
})

test.each([
  ['a constant price', 0n, 100n * ONE, 30n * ONE, 30n * ONE],
  ['a constant price, up to the reserve', 0n, 20n * ONE, 30n * ONE, 20n * ONE],
  ['the product of the reserves', ONE, 100n * ONE, 100n * ONE, 50n * ONE],
  ['an input of nothing', ONE / 2n, 100n * ONE, 0n, 0n],
])('the output by %s', (_, k, reserve, delta, expected) => {
  expect(solveTrade(E20, reserve, delta, ONE, k)).toBe(expected)
})

const parts = fc.integer({ min: 1, max: 999 })

test('an output costs the input by the integral, and the solved target is where the integral ends', () => {
  fc.assert(
    fc.property(parts, parts, parts, parts, (slippage, reserve, input, cost) => {
      const k = (ONE * BigInt(slippage)) / 1_000n
      const [v1, delta, price] = [(E20 * BigInt(reserve)) / 1_000n, E20 * BigInt(input), (ONE * BigInt(cost)) / 100n]
      const output = solveTrade(E20, v1, delta, price, k)
      const paid = integralOf(1e20, Number(v1 - output), Number(v1), 1, Number(k) / 1e18)
      expect(paid / (Number(delta) * (Number(price) / 1e18))).toBeCloseTo(1, 6)
      const target = solveTarget(v1, delta, price, k)
      expect(target).toBeGreaterThanOrEqual(v1)
      const value = integralOf(Number(target), Number(v1), Number(target), 1, Number(k) / 1e18)
      expect(value / (Number(delta) * (Number(price) / 1e18))).toBeCloseTo(1, 6)
    }),
  )
})

test('targets at the ends: a constant price adds the value, and an empty reserve has none', () => {
  expect(solveTarget(7n * ONE, 3n * ONE, 2n * ONE, 0n)).toBe(13n * ONE)
  expect(solveTarget(0n, 3n * ONE, 2n * ONE, ONE)).toBe(0n)
  // x·y = k: the target v0 solves v0² / 4 − v0 = 3.
  expect(solveTarget(4n * ONE, 3n * ONE, ONE, ONE)).toBe(6n * ONE)
})

test('products are rounded down, and refused beyond a word', () => {
  expect([mulFloor(7n, ONE / 2n), reciprocal(3n * ONE)]).toEqual([3n, 333_333_333_333_333_333n])
  expect(mulFloor((1n << 256n) - 1n, 1n)).toBe(((1n << 256n) - 1n) / ONE)
  expect(() => mulFloor(1n << 255n, 2n)).toThrow(refusal('TOO_LARGE'))
})

test('a pool that is found has its base token first', () => {
  const [A, B, FACTORY, ADDRESS] = ['a', 'b', 'c', 'd'].map((digit) => toAddress(`0x${digit.repeat(40)}`))
  const row = { family: 'dodo-v2', brand: 'dodo', role: 'factory', address: FACTORY! } as const
  const tokensIf = (firstIsBase: boolean) => {
    const reads = findPools(row, [[A!, B!]])
    reads.next([])
    const answer = DodoV2Lens__factory.createInterface().encodeFunctionResult('find', [
      [[0n, 0n, ADDRESS!, firstIsBase]],
    ])
    const { value } = reads.next([answer as `0x${string}`])
    return (value as readonly { readonly tokens: unknown }[]).map(({ tokens }) => tokens)
  }
  expect(tokensIf(true)).toEqual([[A, B]])
  expect(tokensIf(false)).toEqual([[B, A]])
})

test('pools are looked for in the factories of all kinds, and known by their creation logs', () => {
  const [FACTORY, GSP_FACTORY, BIRTH, A, B, POOL] = [1, 2, 3, 4, 5, 6].map((n) =>
    toAddress(`0x${n.toString(16).padStart(40, '0')}`),
  )
  const contracts = { gspFactory: GSP_FACTORY!, dodoBirthFactory: BIRTH! }
  const row = { family: 'dodo-v2', brand: 'dodo', role: 'factory', address: FACTORY!, contracts } as const
  const [{ data }] = findPools(row, [[A!, B!]]).next([]).value as unknown as [{ readonly data: string }]
  const [factories] = DodoV2Lens__factory.createInterface().decodeFunctionData('find', data)
  expect([...factories]).toEqual([FACTORY, GSP_FACTORY])

  const topic = id('NewGSP(address,address,address,address)') as Hex
  expect(creationTopics).toContain(topic)
  const logData = AbiCoder.defaultAbiCoder().encode(Array(4).fill('address'), [B, A, FACTORY, POOL]) as Hex
  const log = { address: GSP_FACTORY!, topics: [topic], data: logData, blockNumber: 1, logIndex: 0 } as never
  expect(createdPool(row, log)).toMatchObject({ id: POOL, tokens: [B, A] })
})
