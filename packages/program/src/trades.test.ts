import { describe, expect, test } from 'vitest'
import {
  decodeProgram,
  encodeProgram,
  joinSteps,
  type Keccak,
  keeperOf,
  type Step,
  saltOf,
  toShare,
  tradesOf,
} from './index.ts'

const repeatedAddress = (byte: string) => `0x${byte.repeat(20)}` as const
const [A, B, C, D] = ['a1', 'b2', 'c3', 'd4'].map(repeatedAddress) as [Hex, Hex, Hex, Hex]
const [POOL, VAULT, MANAGER, HOOKS] = ['91', '92', '93', '94'].map(repeatedAddress) as [Hex, Hex, Hex, Hex]
const ZERO = repeatedAddress('00')
type Hex = `0x${string}`

/** Returns the step with its default input and output; the fields are those of the operation. */
const stepOf = (fields: object): Step =>
  ({ tokenIn: A, input: { kind: 'rest' }, output: { kind: 'executor' }, ...fields }) as unknown as Step
/** Keccak-256 that returns its input, so that an id shows the words of its key. */
const unhashed: Keccak = (data) => data
const wordsOf = (id: Hex) =>
  id
    .slice(2)
    .match(/.{64}/g)!
    .map((word) => BigInt(`0x${word}`))

describe('the trades of a step', () => {
  test('of several hops sell what the hop before bought', () => {
    const hops = [B, C, D].map((tokenOut, k) => ({ pool: repeatedAddress(`e${k}`), tokenOut }))
    expect(tradesOf(stepOf({ op: 'balancer-v3', vault: VAULT, hops }), unhashed)).toEqual([
      { pool: hops[0]!.pool, tokenIn: A, tokenOut: B },
      { pool: hops[1]!.pool, tokenIn: B, tokenOut: C },
      { pool: hops[2]!.pool, tokenIn: C, tokenOut: D },
    ])
  })

  test('in a buffer have the id of the share and the vault, in both directions', () => {
    const vault = '0xba1333333333a1ba1108e8412f11850a5c319ba9'
    const buffer = `${B}ba1333333333a1ba1108e841`
    const wrap = stepOf({ op: 'balancer-v3', vault, hops: [{ pool: B, tokenOut: B }] })
    const unwrap = stepOf({ op: 'balancer-v3', vault, tokenIn: B, hops: [{ pool: B, tokenOut: A }] })
    expect(tradesOf(wrap, unhashed)).toEqual([{ pool: buffer, tokenIn: A, tokenOut: B }])
    expect(tradesOf(unwrap, unhashed)).toEqual([{ pool: buffer, tokenIn: B, tokenOut: A }])
  })

  test('of PancakeSwap Infinity have the words of the pool key, the lower currency first', () => {
    const hop = { manager: MANAGER, kind: 'cl', fee: 67, parameters: 0x0a_0055, hooks: HOOKS }
    const key = [A, B, HOOKS, MANAGER].map(BigInt).concat(67n, 0x0a_0055n)
    for (const [tokenIn, tokenOut] of [
      [A, B],
      [B, A],
    ]) {
      const step = stepOf({ op: 'pancake-infinity', vault: VAULT, tokenIn, hops: [{ ...hop, tokenOut }] })
      const [trade] = tradesOf(step, unhashed)
      expect(trade).toMatchObject({ tokenIn, tokenOut })
      expect(wordsOf(trade!.pool)).toEqual(key)
    }
  })

  test('of Ambient have the words of the pool key, the base token first', () => {
    for (const [tokenIn, tokenOut] of [
      [A, B],
      [B, A],
    ]) {
      const step = stepOf({ op: 'ambient', dex: POOL, tokenIn, tokenOut, poolIdx: 420, limitBits: 0 })
      expect(wordsOf(tradesOf(step, unhashed)[0]!.pool)).toEqual([BigInt(A), BigInt(B), 420n])
    }
  })

  test.each([
    ['erc4626', 'deposit', {}],
    ['aave-v3', 'supply', { pool: POOL }],
  ])('of %s have the share as pool', (op, direction, fields) => {
    const step = (isDeposit: boolean) => stepOf({ op, ...fields, tokenIn: A, tokenOut: B, [direction]: isDeposit })
    expect(tradesOf(step(true), unhashed)).toEqual([{ pool: B, tokenIn: A, tokenOut: B }])
    expect(tradesOf(step(false), unhashed)).toEqual([{ pool: A, tokenIn: A, tokenOut: B }])
  })
})

test('the keeper of a pool is its vault; a pool without one keeps its own tokens', () => {
  const step = (vault: Hex) => stepOf({ op: 'syncswap', pool: POOL, vault })
  expect([keeperOf(step(VAULT)), keeperOf(step(ZERO))]).toEqual([VAULT, undefined])
  expect(keeperOf(stepOf({ op: 'uniswap-v3', pool: POOL, zeroForOne: true }))).toBeUndefined()
})

describe('two steps are joined', () => {
  const hopTo = (tokenOut: Hex) => ({ pool: POOL, tokenOut })
  const first = stepOf({ op: 'balancer-v3', vault: VAULT, hops: [hopTo(B)] })
  const second = stepOf({
    ...{ op: 'balancer-v3', vault: VAULT, tokenIn: B, hops: [hopTo(C)] },
    output: { kind: 'recipient' },
  })

  test('if the second takes all that the first buys, in the same singleton', () => {
    expect(joinSteps(first, second)).toEqual({
      ...first,
      output: { kind: 'recipient' },
      hops: [hopTo(B), hopTo(C)],
    })
  })

  test.each([
    ['the first pays another account', { ...first, output: { kind: 'recipient' } }, second],
    ['the second takes a part', first, { ...second, input: { kind: 'share', share: 1 } }],
    ['the singletons differ', first, { ...second, vault: MANAGER }],
    ['the operations differ', first, { ...second, op: 'balancer-v2' }],
  ] as [string, Step, Step][])('unless %s', (_, a, b) => {
    expect(joinSteps(a, b)).toBeUndefined()
  })
})

test('only Uniswap V2, Uniswap V3, and PancakeSwap V3 have pool addresses with a known salt', () => {
  expect(['uniswap-v2', 'uniswap-v3', 'pancake-v3', 'solidly', 'algebra-v1'].map(saltOf)).toEqual([
    'uniswap-v2',
    'uniswap-v3',
    'uniswap-v3',
    undefined,
    undefined,
  ])
})

test('a tick spacing of 2^23 is refused, because the contract reads a signed number', () => {
  const hop = { tokenOut: B, fee: 500, hooks: ZERO }
  const programOf = (tickSpacing: number) =>
    encodeProgram([stepOf({ op: 'uniswap-v4', manager: MANAGER, hops: [{ ...hop, tickSpacing }] })])
  expect(programOf(2 ** 23 - 1)).toContain('7fffff')
  expect(() => programOf(2 ** 23)).toThrow('tickSpacing must be below 8388608, not 8388608')
})

test('a program in upper-case hex is decoded into lower-case addresses', () => {
  const step = stepOf({ op: 'kyber-elastic', pool: POOL, zeroForOne: true, tokenIn: D })
  expect(decodeProgram(`0x${encodeProgram([step]).slice(2).toUpperCase()}`)).toEqual([step])
})

test('a share is rounded to the nearest numerator, and is never zero', () => {
  const unit = 2n ** 24n
  expect([toShare(1n, 3n), toShare(2n, 3n)]).toEqual([5_592_405, 11_184_811])
  expect([toShare(3n, 2n * unit), toShare(5n, 4n * unit), toShare(1n, 4n * unit)]).toEqual([2, 1, 1])
})
