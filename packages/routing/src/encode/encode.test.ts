import { decodeGuardSwap } from '@sluice/bindings/guard'
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { decodeProgram, SHARE_DENOMINATOR } from '@sluice/program'
import { describe, expect, test } from 'vitest'
import {
  address,
  encode,
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
import type { EncodedSwap, StepMaker } from './index.ts'

const decode = ({ data, value }: EncodedSwap) => decodeGuardSwap(data, value)

const ab = pool('uniswap-v2', '5', tokenA, tokenB)
const ab3 = pool('uniswap-v3', '6', tokenA, tokenB)
const bc = pool('uniswap-v2', '7', tokenB, tokenC)
const bc3 = pool('uniswap-v3', '8', tokenB, tokenC)

describe('encodeSwap', () => {
  test('encodes the terms of the sender in the order, and the steps in the program', () => {
    const swap = encode(route(tokenA, tokenB, 100n, [leg(ab, tokenA, tokenB, 100n)]), {
      feePpm: 5n,
      feeRecipient: sender,
    })
    const order = decode(swap)
    expect(swap).toMatchObject({ to: guard, value: 0n })
    expect(order).toMatchObject({ amountIn: 100n, minOutput: 7n, deadline: 99n, feePpm: 5n, direct: false })
    expect(order.feeRecipient).toBe(sender)
    expect(decodeProgram(order.program, tokenA)).toEqual(swap.steps)
    expect(swap.steps).toMatchObject([{ input: { kind: 'pullAll' }, output: { kind: 'recipient' } }])
  })

  test('lets a pool pay the next one directly if that one measures its input', () => {
    const { steps } = encode(route(tokenA, tokenC, 9n, [leg(ab3, tokenA, tokenB, 9n), leg(bc, tokenB, tokenC, 8n)]))
    expect(steps).toMatchObject([
      { op: 'uniswap-v3', output: { kind: 'address', address: bc.address } },
      { op: 'uniswap-v2', input: { kind: 'atPool' }, output: { kind: 'recipient' } },
    ])
  })

  test('uses exact amounts of the input, shares of intermediate tokens, and the rest last', () => {
    const { steps } = encode(
      route(tokenA, tokenC, 10n, [
        leg(ab, tokenA, tokenB, 4n),
        leg(ab3, tokenA, tokenB, 6n),
        leg(bc, tokenB, tokenC, 5n, 1n, 2n),
        leg(bc3, tokenB, tokenC, 5n),
      ]),
    )
    expect(steps.map(({ input }) => input)).toEqual([
      { kind: 'pull', amount: 4n },
      { kind: 'pull', amount: 6n },
      { kind: 'share', share: SHARE_DENOMINATOR / 2 },
      { kind: 'rest' },
    ])
    expect(steps.map(({ output }) => output.kind)).toEqual(['executor', 'executor', 'recipient', 'recipient'])
  })

  test.each([
    ['nobody takes what a leg makes', [leg(ab, tokenA, tokenB, 10n)]],
    ['the last to take it takes a part', [leg(ab, tokenA, tokenB, 10n), leg(bc, tokenB, tokenC, 5n, 1n, 2n)]],
    [
      'more of it is made afterwards',
      [leg(ab, tokenA, tokenB, 4n), leg(bc, tokenB, tokenC, 3n), leg(ab3, tokenA, tokenB, 6n)],
    ],
  ])('refuses legs that would leave something in the Executor: %s', (_, legs) => {
    expect(() => encode(route(tokenA, tokenC, 10n, legs))).toThrow(/leave some of .* in the Executor/)
  })

  test('joins hops inside one singleton, unless another leg takes the intermediate token', () => {
    const v4 = (id: string, token0: Pool['address'], token1: Pool['address']): Pool => ({
      ...pool('uniswap-v4', id, token0, token1),
      address: address('d'),
    })
    const families = new Map([
      [
        'uniswap-v4',
        {
          step: ({ address: manager }: Pool, tokenIn, tokenOut, input, output) => ({
            op: 'uniswap-v4' as const,
            manager,
            tokenIn,
            hops: [{ tokenOut, fee: 3000, tickSpacing: 60, hooks: ZERO_ADDRESS }],
            input,
            output,
          }),
        } satisfies StepMaker,
      ],
    ])
    const [first, second, third] = [v4('5', tokenA, tokenB), v4('6', tokenB, tokenC), v4('7', tokenB, tokenC)]
    const chain = route(tokenA, tokenC, 9n, [leg(first, tokenA, tokenB, 9n), leg(second, tokenB, tokenC, 8n)])
    const joined = encode(chain, { families })
    expect(joined.steps).toMatchObject([
      { input: { kind: 'pullAll' }, output: { kind: 'recipient' }, hops: [{ tokenOut: tokenB }, { tokenOut: tokenC }] },
    ])
    const fork = route(tokenA, tokenC, 9n, [
      leg(first, tokenA, tokenB, 9n),
      leg(second, tokenB, tokenC, 4n, 1n, 2n),
      leg(third, tokenB, tokenC, 4n),
    ])
    expect(encode(fork, { families }).steps).toHaveLength(3)
  })

  test('lets the Guard wrap native input and unwrap native output', () => {
    const inPool = pool('uniswap-v2', '9', weth, tokenB)
    const into = encode(route(NATIVE, tokenB, 5n, [leg(inPool, weth, tokenB, 5n)]))
    expect(into.value).toBe(5n)
    expect(decode(into)).toMatchObject({ tokenIn: weth, amountIn: 5n, wrapper: ZERO_ADDRESS })
    const out = encode(route(tokenB, NATIVE, 5n, [leg(inPool, tokenB, weth, 5n)]))
    expect(decode(out)).toMatchObject({ tokenIn: tokenB, tokenOut: ZERO_ADDRESS, wrapper: weth })
    expect(out.steps).toMatchObject([{ op: 'uniswap-v2', output: { kind: 'recipient' } }])
  })

  describe('pools of the native token', () => {
    const v4 = (id: string, token: Pool['address']): Pool => ({
      ...pool('uniswap-v4', id, ZERO_ADDRESS, token),
      address: address('d'),
      fixed: { fee: 3000, tickSpacing: 60, hooks: ZERO_ADDRESS },
    })
    const wrapper: Pool = {
      ...pool('wrapped-native', '3', ZERO_ADDRESS, weth),
      state: { supply: 10n ** 24n },
    }
    const [nativeB, native2B] = [v4('e', tokenB), v4('f', tokenB)]
    const [wethB, weth3B] = [pool('uniswap-v3', '9', weth, tokenB), pool('uniswap-v3', '8', weth, tokenB)]

    test('take native input without wrapping', () => {
      const swap = encode(route(NATIVE, tokenB, 5n, [leg(nativeB, ZERO_ADDRESS, tokenB, 5n)]))
      expect(decode(swap)).toMatchObject({ tokenIn: ZERO_ADDRESS, wrapper: ZERO_ADDRESS })
      expect(swap.steps).toMatchObject([
        { op: 'uniswap-v4', tokenIn: ZERO_ADDRESS, input: { kind: 'rest' }, output: { kind: 'recipient' } },
      ])
    })

    test('share it with pools of the wrapper, which the Executor wraps for', () => {
      const legs = [
        leg(wethB, weth, tokenB, 3n),
        leg(nativeB, ZERO_ADDRESS, tokenB, 2n),
        leg(weth3B, weth, tokenB, 1n),
        leg(native2B, ZERO_ADDRESS, tokenB, 3n),
      ]
      const swap = encode(route(NATIVE, tokenB, 9n, legs))
      expect(decode(swap)).toMatchObject({ tokenIn: ZERO_ADDRESS, wrapper: ZERO_ADDRESS })
      expect(swap.steps).toMatchObject([
        { op: 'wrap', wrapped: weth, input: { kind: 'held', amount: 4n }, output: { kind: 'executor' } },
        { op: 'uniswap-v3', tokenIn: weth, input: { kind: 'held', amount: 3n } },
        { op: 'uniswap-v4', tokenIn: ZERO_ADDRESS, input: { kind: 'held', amount: 2n } },
        { op: 'uniswap-v3', tokenIn: weth, input: { kind: 'held', amount: 1n } },
        { op: 'uniswap-v4', tokenIn: ZERO_ADDRESS, input: { kind: 'rest' } },
      ])
    })

    test('pay native output directly, in addition to the part that the Guard unwraps', () => {
      const paid = leg(nativeB, tokenB, ZERO_ADDRESS, 5n)
      const alone = encode(route(tokenB, NATIVE, 5n, [paid]))
      expect(decode(alone).wrapper).toBe(ZERO_ADDRESS)
      expect(alone.steps).toMatchObject([{ op: 'uniswap-v4', output: { kind: 'recipient' } }])
      const both = encode(route(tokenB, NATIVE, 9n, [leg(wethB, tokenB, weth, 4n), paid]))
      expect(decode(both).wrapper).toBe(weth)
      expect(both.steps).toMatchObject([
        { op: 'uniswap-v3', output: { kind: 'recipient' } },
        { op: 'uniswap-v4', output: { kind: 'recipient' } },
      ])
    })

    test('are reached through the wrapper if the sender pays or receives the wrapper', () => {
      const from = encode(
        route(weth, tokenB, 5n, [leg(wrapper, weth, ZERO_ADDRESS, 5n), leg(nativeB, ZERO_ADDRESS, tokenB, 5n)]),
      )
      expect(from.steps).toMatchObject([{ op: 'unwrap', input: { kind: 'pullAll' } }, { op: 'uniswap-v4' }])
      const to = encode(
        route(tokenB, weth, 5n, [leg(nativeB, tokenB, ZERO_ADDRESS, 5n), leg(wrapper, ZERO_ADDRESS, weth, 5n)]),
      )
      expect(to.steps).toMatchObject([{ op: 'uniswap-v4' }, { op: 'wrap', output: { kind: 'recipient' } }])
    })
  })

  test('wraps and unwraps without a pool', () => {
    expect(encode(route(NATIVE, weth, 5n, []))).toMatchObject({ value: 5n, steps: [{ op: 'wrap', wrapped: weth }] })
    expect(encode(route(weth, NATIVE, 5n, []))).toMatchObject({ value: 0n, steps: [{ op: 'unwrap', tokenIn: weth }] })
  })

  test('pays the sender directly in direct mode', () => {
    const swap = encode(route(tokenA, tokenB, 5n, [leg(ab, tokenA, tokenB, 5n)]), { direct: true })
    expect(decode(swap).direct).toBe(true)
    expect(swap.steps).toMatchObject([{ output: { kind: 'recipient' } }])
  })

  test.each([
    [
      'legs that do not take the whole input',
      route(tokenA, tokenB, 6n, [leg(ab, tokenA, tokenB, 5n)]),
      'INVALID_ROUTE',
    ],
    ['legs that take more than the input', route(tokenA, tokenB, 4n, [leg(ab, tokenA, tokenB, 5n)]), 'INVALID_ROUTE'],
    [
      'a leg that buys the input back',
      route(tokenA, tokenC, 5n, [leg(ab, tokenA, tokenB, 5n), leg(ab3, tokenB, tokenA, 5n)]),
      'INVALID_ROUTE',
    ],
    ['no legs between two tokens', route(tokenA, tokenB, 6n, []), 'INVALID_ROUTE'],
    [
      'a family that nobody knows',
      route(tokenA, tokenB, 5n, [leg({ ...ab, family: 'unheard-of' }, tokenA, tokenB, 5n)]),
      'UNKNOWN_FAMILY',
    ],
  ])('refuses %s', (_, bad, code) => {
    expect(() => encode(bad)).toThrow(expect.objectContaining({ code }))
  })
})
