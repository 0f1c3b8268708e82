/** Tests of Ekubo prices, configs, quotes, and discovery. */
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { type Pool, PoolRefusal } from '../../family.ts'
import { concentratedType, configOf, decodeConfig, poolId } from './config.ts'
import { ekubo } from './index.ts'
import { MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, ratioAtTick, tickAtRatio, unpackRatio } from './ratio.ts'
import type { EkuboState } from './types.ts'

const [A, B] = ['aa', 'bb'].map((digits) => toAddress(`0x${digits.repeat(20)}`)) as [Address, Address]
const core = toAddress('0x00000000000014aa86c5d3c41765bb24e11bd701')
const FEE = 9_223_372_036_854_775n

function poolOf(config: Hex, state: Partial<EkuboState>): Pool<EkuboState> {
  const whole = { sqrtRatio: 1n << 128n, tick: 0, liquidity: 10n ** 18n, ticks: [], ...state }
  const tokens = [A, B] as const
  const id = poolId(tokens, { config })
  return { id, family: 'ekubo', dex: 'test', address: core, tokens, fixed: { config }, state: whole }
}

describe('prices', () => {
  test('end at the limits of the deployed core', () => {
    expect(MIN_RATIO).toBe(unpackRatio(4611797791050542631n))
    expect(MAX_RATIO).toBe(unpackRatio(79227682466138141934206691491n))
    expect(ratioAtTick(-19625000)).toBeLessThanOrEqual(unpackRatio(19808125322270460976177689492n))
    expect(() => ratioAtTick(MAX_TICK + 1)).toThrow(RangeError)
  })

  test('map to the tick at or below them', () => {
    for (const tick of [MIN_TICK, -44_361_417, -10_000_001, -1, 0, 1, 12_345, 88_722_000, MAX_TICK]) {
      expect(tickAtRatio(ratioAtTick(tick))).toBe(tick)
      if (tick > MIN_TICK) expect(tickAtRatio(ratioAtTick(tick) - 1n)).toBe(tick - 1)
    }
  })
})

test('a config contains extension, fee, and kind', () => {
  expect(decodeConfig('0x000000000000000000000000000000000000000000068db8bac710cb00000000')).toEqual({
    extension: ZERO_ADDRESS,
    fee: 1_844_674_407_370_955n,
    kind: { name: 'range', lower: MIN_TICK, upper: MAX_TICK },
  })
  expect(decodeConfig('0x000000000000000000000000000000000000000000000000000000011afee27b')?.kind).toEqual({
    name: 'range',
    lower: -1_169_489,
    upper: -1_169_487,
  })
  expect(decodeConfig(configOf(FEE, concentratedType(100)))?.kind).toEqual({ name: 'concentrated', tickSpacing: 100 })
  expect(decodeConfig(configOf(FEE, concentratedType(0)))).toBeNull()
})

describe('a pool with individual positions', () => {
  const ticks = [
    [-2_000_000, 10n ** 18n],
    [2_000_000, -(10n ** 18n)],
  ] as const
  const pool = poolOf(configOf(FEE, concentratedType(1_000)), { ticks })

  test('quotes match its curve, and reserves match its positions', () => {
    const { amountOut } = ekubo.quoteExactInput(pool, A, B, 10n ** 15n)
    const { sqrtPrice, liquidity, keepIn } = ekubo.priceCurve(pool, A, B)
    expect([...liquidity].map((depth) => depth / 1e18)).toEqual([expect.closeTo(1, 12)])
    // x·y = k with both reserves equal to the liquidity.
    const output = 1e15 * keepIn * sqrtPrice[0]! ** 2
    expect(Number(amountOut)).toBeCloseTo(output / (1 + (1e15 * keepIn) / 1e18), -5)
    const [held0, held1] = ekubo.reserves(pool)
    expect(Number(held0) / Number(held1)).toBeCloseTo(1, 6)
    expect(() => ekubo.quoteExactInput(pool, A, B, held0! * 4n)).toThrow(PoolRefusal)
  })

  test('takes at most what all of its positions take, to the unit', () => {
    const more = [ticks[0], [-1_000_000, 10n ** 18n], [1_000_000, -(10n ** 18n)], ticks[1]] as const
    const two = { ...pool, state: { ...pool.state, liquidity: 2n * 10n ** 18n, ticks: more } }
    const inputs = [A, B].map((tokenIn) => {
      const [tokenOut, max] = [tokenIn === A ? B : A, ekubo.maxInput(two, tokenIn, tokenIn === A ? B : A)!]
      expect(ekubo.quoteExactInput(two, tokenIn, tokenOut, max).amountOut).toBeGreaterThan(0n)
      expect(() => ekubo.quoteExactInput(two, tokenIn, tokenOut, max + 1n)).toThrow(PoolRefusal)
      expect(max).toBeGreaterThan(ekubo.maxInput(pool, tokenIn, tokenOut)!)
      return max
    })
    // The positions are symmetric about the price.
    expect(Number(inputs[0]) / Number(inputs[1])).toBeCloseTo(1, 5)
  })

  test('is not quoted beyond the ticks that were read', () => {
    const narrow = { ...pool, state: { ...pool.state, ticks: [], known: [-200_000, 200_000] as const } }
    const quote = () => ekubo.quoteExactInput(narrow, A, B, 10n ** 18n)
    expect(quote).toThrow(expect.objectContaining({ code: 'TOO_LARGE', isModelLimit: true }))
    expect(ekubo.quoteExactInput(narrow, A, B, 10n ** 12n).amountOut).toBeGreaterThan(0n)
  })

  test('refuses amounts that move no price or overflow', () => {
    expect(() => ekubo.quoteExactInput(pool, A, B, 1n)).toThrow(PoolRefusal)
    expect(() => ekubo.quoteExactInput(pool, A, B, 1n << 127n)).toThrow(PoolRefusal)
  })
})

test('pools of other versions are not served, and pools with an extension are not read', () => {
  const row = { family: 'ekubo', brand: 'Ekubo', role: 'core', address: core } as const
  expect(ekubo.rowsOf!({ ...row, version: '2' })).toEqual([])
  expect(ekubo.rowsOf!({ ...row, version: '3' })).toHaveLength(1)
  const words = (config: string) => [A, B, config].map((word) => word.slice(2).padStart(64, '0')).join('')
  const log = (config: string) => ({ data: `0x${'11'.repeat(32)}${words(config)}${'00'.repeat(64)}` }) as never
  const plain = configOf(FEE, concentratedType(100))
  expect(ekubo.createdPool!(row, log(plain))).toMatchObject({ tokens: [A, B], fixed: { config: plain }, address: core })
  const extended = ekubo.createdPool!(row, log(`0x${'51'.repeat(20)}${plain.slice(42)}`))!
  const pools = [ekubo.createdPool!(row, log(plain))!, extended]
  const reads = ekubo.readStates(row, pools)
  reads.next([])
  const word = (1n << 200n).toString(16).padStart(64, '0')
  // Only the ticks of the pool without an extension are read.
  const tickReads = reads.next([`0x${word}${word}`]).value as readonly unknown[]
  const plainReads = ekubo.readStates(row, [pools[0]!])
  plainReads.next([])
  expect(tickReads).toEqual(plainReads.next([`0x${word}`]).value)
  expect((reads.next(tickReads.map(() => null)).value as readonly unknown[])[1]).toBeNull()
})

test('listed pools are verified only by the hash of their keys', () => {
  const row = { family: 'ekubo', brand: 'test', role: 'core', address: core }
  const config = configOf(FEE, concentratedType(1_000))
  const { state: _, ...genuine } = poolOf(config, {})
  const absent = poolOf(configOf(FEE, concentratedType(2_000)), {})
  const extended = `0x${core.slice(2)}${config.slice(42)}` as Hex
  const listed = [
    genuine,
    absent,
    { ...genuine, fixed: { config: absent.fixed } },
    { ...genuine, fixed: absent.fixed },
    { ...genuine, id: poolId([A, B], { config: extended }), fixed: { config: extended } },
    { ...genuine, tokens: [A, A] },
    { ...genuine, fixed: undefined },
  ]
  const proving = ekubo.provePools!(row, listed)
  const { value: reads } = proving.next([]) as { value: readonly { data: Hex }[] }
  // The selector, and a word per valid pool.
  const ids = [genuine.id, absent.id, listed[4]!.id]
  expect(reads.map(({ data }) => data.slice(10))).toEqual([ids.map((id) => id.slice(2)).join('')])
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const { done, value } = proving.next([`0x${word(1n << 200n)}${word(0n)}${word(1n << 200n)}`])
  expect(done).toBe(true)
  expect(value).toEqual([{ ...genuine, state: null }, null, null, null, { ...listed[4], state: null }, null, null])
})

test('a pool is found only if the core reports a price; a read without an answer finds none', () => {
  const row = { family: 'ekubo', brand: 'ekubo', role: 'core', address: core, version: '3' } as const
  const answerWith = (answer: (slots: number) => Hex | null) => {
    const reads = ekubo.findPools!(row, [[A, B]])
    const { value } = reads.next([])
    const slots = ((value as readonly { readonly data: Hex }[])[0]!.data.length - 10) / 64
    return reads.next([answer(slots)]).value as readonly Pool[]
  }
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const all = answerWith((slots) => `0x${word(7n).repeat(slots)}`)
  expect(all.length).toBeGreaterThan(10)
  const first = answerWith((slots) => `0x${word(7n)}${word(0n).repeat(slots - 1)}`)
  expect(first.map(({ id }) => id)).toEqual([all[0]!.id])
  // An answer that is cut off says nothing of the pools beyond its end.
  expect(answerWith(() => `0x${word(7n)}`).map(({ id }) => id)).toEqual([all[0]!.id])
  expect(answerWith(() => null)).toEqual([])
})
