/** Tests each field of the Guard's order, and each step of the Executor's program, at distinctive values and limits. */
import { decodeGuardSwap, type SignedPermit } from '@sluice/bindings/guard'
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { decodeProgram, SHARE_DENOMINATOR } from '@sluice/program'
import { describe, expect, test } from 'vitest'
import {
  address,
  encode,
  executor,
  guard,
  leg,
  pool,
  route,
  sender,
  tokenA,
  tokenB,
  tokenC,
  weth,
} from '../testing/encode-routes.ts'
import type { RoutePlan } from '../types.ts'
import type { EncodeRequest, StepMaker } from './index.ts'

const [recipient, feeRecipient] = [address('e'), address('f')]
const MAX_AMOUNT = 2n ** 256n - 1n
const permit: SignedPermit = {
  kind: 'permit2',
  amount: 11n,
  nonce: 13n,
  deadline: 17n,
  signature: `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`,
}

const ab = pool('uniswap-v2', '5', tokenA, tokenB)
const ab3 = pool('uniswap-v3', '6', tokenA, tokenB)
const bc = pool('uniswap-v2', '7', tokenB, tokenC)
const bc3 = pool('uniswap-v3', '8', tokenB, tokenC)
const ac3 = pool('uniswap-v3', '9', tokenA, tokenC)
const wethB = pool('uniswap-v3', 'd', weth, tokenB)
const nativeB: Pool = {
  ...pool('uniswap-v4', 'e', ZERO_ADDRESS, tokenB),
  fixed: { fee: 3_000, tickSpacing: 60, hooks: ZERO_ADDRESS },
}

const erc20 = route(tokenA, tokenB, 100n, [leg(ab, tokenA, tokenB, 100n)])
const wrapped = route(NATIVE, tokenB, 100n, [leg(wethB, weth, tokenB, 100n)])
const brought = route(NATIVE, tokenB, 100n, [leg(nativeB, ZERO_ADDRESS, tokenB, 100n)])
const unwrapped = route(tokenB, NATIVE, 100n, [leg(wethB, tokenB, weth, 100n)])
const paidNative = route(tokenB, NATIVE, 100n, [leg(nativeB, tokenB, ZERO_ADDRESS, 100n)])

/** Order of `erc20` without any option: the Guard pays the sender, whom the calldata does not name. */
const PLAIN = {
  tokenIn: tokenA,
  amountIn: 100n,
  value: 0n,
  tokenOut: tokenB,
  minOutput: 7n,
  deadline: 99n,
  executor,
  wrapper: ZERO_ADDRESS,
  feePpm: 0n,
  feeRecipient: ZERO_ADDRESS,
  direct: false,
}

describe('the order', () => {
  const fee = { feePpm: 100_000n, feeRecipient }
  test.each<[string, RoutePlan, Partial<EncodeRequest>, object]>([
    ['a plain swap', erc20, {}, {}],
    ['the sender as named recipient', erc20, { recipient: sender }, {}],
    ['another recipient', erc20, { recipient }, { recipient }],
    ['the largest fee', erc20, fee, { ...fee, recipient: sender }],
    ['the smallest fee', erc20, { ...fee, feePpm: 1n }, { feePpm: 1n, feeRecipient, recipient: sender }],
    ['a recipient and a fee', erc20, { ...fee, recipient }, { ...fee, recipient }],
    ['a fee of zero, whose recipient is not encoded', erc20, { ...fee, feePpm: 0n }, {}],
    ['a fee of zero and a recipient', erc20, { ...fee, feePpm: 0n, recipient }, { recipient }],
    ['a fee without a recipient', erc20, { feePpm: 5n }, { feePpm: 5n, recipient: sender }],
    ['direct mode', erc20, { direct: true }, { direct: true, recipient: sender }],
    ['direct mode with a recipient', erc20, { direct: true, recipient }, { direct: true, recipient }],
    ['a permit', erc20, { permit }, { permit: expect.objectContaining(permit), recipient: sender }],
    [
      'a permit in direct mode',
      erc20,
      { permit, direct: true, recipient },
      { permit: expect.objectContaining(permit), direct: true, recipient },
    ],
    [
      'the largest terms',
      erc20,
      { minOutput: MAX_AMOUNT, deadline: 2n ** 64n - 1n },
      { minOutput: MAX_AMOUNT, deadline: 2n ** 64n - 1n },
    ],
    ['the smallest terms', erc20, { minOutput: 1n, deadline: 0n }, { minOutput: 1n, deadline: 0n }],
    ['native input that the Guard wraps', wrapped, {}, { tokenIn: weth, value: 100n }],
    ['native input that pools take', brought, {}, { tokenIn: ZERO_ADDRESS, value: 100n }],
    ['native input for another', wrapped, { recipient }, { tokenIn: weth, value: 100n, recipient }],
    [
      'native output that the Guard unwraps for the sender',
      unwrapped,
      {},
      { tokenIn: tokenB, tokenOut: ZERO_ADDRESS, wrapper: weth, recipient: sender },
    ],
    [
      'native output that the Guard unwraps for another',
      unwrapped,
      { recipient, ...fee },
      { tokenIn: tokenB, tokenOut: ZERO_ADDRESS, wrapper: weth, recipient, ...fee },
    ],
    ['native output that pools pay', paidNative, {}, { tokenIn: tokenB, tokenOut: ZERO_ADDRESS }],
    ['a wrap', route(NATIVE, weth, 100n, []), {}, { tokenIn: ZERO_ADDRESS, tokenOut: weth, value: 100n }],
    ['an unwrap', route(weth, NATIVE, 100n, []), {}, { tokenIn: weth, tokenOut: ZERO_ADDRESS }],
    ['a chain without a wrapper', erc20, { wrappedNative: null }, {}],
    ['native output on a chain without a wrapper', paidNative, { wrappedNative: null }, { tokenOut: ZERO_ADDRESS }],
  ])('of %s has exactly the requested fields', (_, of, options, expected) => {
    const swap = encode(of, options)
    const { program, ...order } = decodeGuardSwap(swap.data, swap.value)
    const [tokenIn, tokenOut] = [of.tokenIn, of.tokenOut]
    expect(order).toEqual({ ...PLAIN, ...{ tokenIn, tokenOut }, ...expected })
    expect(swap).toMatchObject({ to: guard, value: order.value })
    expect(decodeProgram(program, order.tokenIn as Pool['address'])).toEqual(swap.steps)
  })

  test.each([
    ['the sender as recipient', { recipient: sender }],
    ['a fee of zero', { feePpm: 0n, feeRecipient }],
    ['no direct mode', { direct: false }],
  ])('with %s has the bytes of a plain swap', (_, options) => {
    expect(encode(erc20, options).data).toBe(encode(erc20).data)
  })
})

describe('the program', () => {
  const inputsOf = (route: RoutePlan) => encode(route).steps.map(({ input }) => input)

  test('pays the next pool only if that pool measures its input, trades once, and alone takes the token', () => {
    const outputs = (...legs: Parameters<typeof leg>[]) =>
      encode(
        route(
          tokenA,
          tokenC,
          9n,
          legs.map((one) => leg(...one)),
        ),
      ).steps.map(({ output, input }) => [input.kind, output.kind])
    const toB = [ab3, tokenA, tokenB, 9n] as const
    expect(outputs([...toB], [bc, tokenB, tokenC, 8n])).toEqual([
      ['pullAll', 'address'],
      ['atPool', 'recipient'],
    ])
    expect(outputs([...toB], [bc3, tokenB, tokenC, 8n])).toEqual([
      ['pullAll', 'executor'],
      ['rest', 'recipient'],
    ])
    expect(outputs([...toB], [bc, tokenB, tokenC, 4n, 1n, 2n], [bc3, tokenB, tokenC, 4n])).toEqual([
      ['pullAll', 'executor'],
      ['share', 'recipient'],
      ['rest', 'recipient'],
    ])
  })

  test('does not pay a pool ahead that another leg also uses, whose balances would change in between', () => {
    const tokenD = address('f')
    const [bcd, ad] = [{ ...bc, tokens: [tokenB, tokenC, tokenD] }, pool('uniswap-v3', 'a', tokenA, tokenD)]
    const step: StepMaker['step'] = ({ address }, tokenIn, tokenOut, input, output) => ({
      ...{
        op: 'uniswap-v2' as const,
        pool: address,
        tokenIn,
        tokenOut,
        zeroForOne: true,
        feePpm: 3_000,
        input,
        output,
      },
    })
    const legs = [
      leg(ab3, tokenA, tokenB, 4n),
      leg(ad, tokenA, tokenD, 5n),
      leg(bcd, tokenB, tokenC, 4n),
      leg(bcd, tokenD, tokenC, 4n),
    ]
    const families = new Map(['uniswap-v2', 'uniswap-v3'].map((id) => [id, { step }]))
    const { steps } = encode(route(tokenA, tokenC, 9n, legs), { families })
    expect(steps.map(({ output }) => output.kind)).toEqual(['executor', 'executor', 'recipient', 'recipient'])
  })

  test('draws the whole input only for a leg that takes all of it', () => {
    expect(inputsOf(erc20)).toEqual([{ kind: 'pullAll' }])
    const split = (first: bigint) =>
      route(tokenA, tokenB, 100n, [leg(ab, tokenA, tokenB, first), leg(ab3, tokenA, tokenB, 100n - first)])
    for (const first of [1n, 50n, 99n])
      expect(inputsOf(split(first))).toEqual([
        { kind: 'pull', amount: first },
        { kind: 'pull', amount: 100n - first },
      ])
  })

  test.each([
    [1n, 3n, (SHARE_DENOMINATOR - 1) / 3],
    [2n, 3n, Math.round((2 * SHARE_DENOMINATOR) / 3)],
    [1n, 2n ** 200n, 1],
    [2n ** 200n - 1n, 2n ** 200n, SHARE_DENOMINATOR - 1],
  ])('takes the share %d of %d that the leg states', (num, den, share) => {
    const legs = [
      leg(ab, tokenA, tokenB, 9n),
      leg(bc, tokenB, tokenC, 4n, num, den),
      leg(bc3, tokenB, tokenC, 4n, den, den),
    ]
    const [, part, rest] = inputsOf(route(tokenA, tokenC, 9n, legs))
    expect(part).toEqual({ kind: 'share', share: expect.closeTo(share, -1) })
    expect(rest).toEqual({ kind: 'rest' })
  })

  test('may end with a leg of another token than the one before', () => {
    const legs = [leg(ab3, tokenA, tokenB, 4n), leg(bc3, tokenB, tokenC, 4n), leg(ac3, tokenA, tokenC, 5n)]
    expect(inputsOf(route(tokenA, tokenC, 9n, legs))).toEqual([
      { kind: 'pull', amount: 4n },
      { kind: 'rest' },
      { kind: 'pull', amount: 5n },
    ])
  })

  test('gives what remains of the native input to the last leg that takes native token', () => {
    const legs = [leg(nativeB, ZERO_ADDRESS, tokenB, 60n), leg(wethB, weth, tokenB, 40n)]
    expect(inputsOf(route(NATIVE, tokenB, 100n, legs))).toEqual([
      { kind: 'held', amount: 40n },
      { kind: 'rest' },
      { kind: 'held', amount: 40n },
    ])
  })

  test.each([
    [NATIVE, weth, { op: 'wrap', tokenIn: ZERO_ADDRESS, wrapped: weth, input: { kind: 'rest' } }],
    [weth, NATIVE, { op: 'unwrap', tokenIn: weth, input: { kind: 'pullAll' } }],
  ])('of a conversion from %s to %s is one step', (tokenIn, tokenOut, step) => {
    expect(encode(route(tokenIn, tokenOut, 5n, [])).steps).toEqual([{ ...step, output: { kind: 'recipient' } }])
  })

  test.each([
    [NATIVE, tokenA],
    [tokenA, NATIVE],
    [weth, tokenA],
    [tokenA, weth],
    [NATIVE, NATIVE],
    [weth, weth],
    [tokenA, tokenA],
  ])('refuses a route from %s to %s without legs', (tokenIn, tokenOut) => {
    expect(() => encode(route(tokenIn, tokenOut, 5n, []))).toThrow(
      expect.objectContaining({ code: 'INVALID_ROUTE', message: expect.stringContaining('needs legs') }),
    )
  })

  test('refuses conversions on a chain without a wrapper', () => {
    for (const [tokenIn, tokenOut] of [
      [NATIVE, weth],
      [weth, NATIVE],
    ] as const)
      expect(() => encode(route(tokenIn, tokenOut, 5n, []), { wrappedNative: null })).toThrow(
        expect.objectContaining({ code: 'INVALID_ROUTE', message: 'this chain has no wrapped native token' }),
      )
  })
})
