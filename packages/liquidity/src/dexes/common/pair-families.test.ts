/** Tests the parts of families that map tokens to pools, pairs, and coins. */
import { type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { Pool, Reads } from '../../family.ts'
import { curveFamily } from './curve-family.ts'
import { inputFeeCapacity } from './exact-input.ts'
import { withNative } from './native-pairs.ts'
import { findTokenRow } from './token-row.ts'

const at = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [a, b, c, wrapper] = [at(1), at(2), at(3), at(4)]

describe('a pool of coins', () => {
  type State = { readonly balances: readonly bigint[] }
  const pool: Pool<State> = {
    ...{ id: 'x', family: 'curve-stable', dex: '', address: at(9), tokens: [a, b, c] },
    state: { balances: [10n, 20n, 30n] },
  }
  const family = curveFamily<State>({
    ...{ gas: 1, variant: 'int128', approximateMaxInput: () => 5n, tradingFunction: () => null },
    quote: (state, i, j, amountIn) => ({ amountOut: 100n * BigInt(i) + 10n * BigInt(j) + amountIn, state }),
    inputFor: (_state, i, j, amountOut) => 100n * BigInt(i) + 10n * BigInt(j) + amountOut,
  })

  test('is quoted and traded from the index of the input to that of the output', () => {
    expect(family.quoteExactInput(pool, a, c, 7n)).toMatchObject({ amountOut: 27n })
    expect(family.quoteExactInput(pool, c, b, 7n)).toMatchObject({ amountOut: 217n })
    expect(family.inputFor!(pool, c, a, 7n)).toBe(207n)
    const input = { kind: 'rest' } as const
    const output = { kind: 'recipient' } as const
    expect(family.step(pool, c, a, input, output)).toEqual({
      ...{ op: 'curve', pool: pool.address, variant: 'int128', i: 2, j: 0, tokenIn: c, tokenOut: a, input, output },
    })
    expect(family.step(pool, a, b, input, output)).toMatchObject({ i: 0, j: 1 })
  })

  test('refuses a token that it does not hold, and a coin for itself', () => {
    for (const [tokenIn, tokenOut] of [
      [a, wrapper],
      [wrapper, a],
      [b, b],
    ] as const)
      expect(() => family.quoteExactInput(pool, tokenIn, tokenOut, 1n)).toThrow(
        expect.objectContaining({ code: 'WRONG_TOKEN' }),
      )
  })
})

test('the curve of a pool with an input fee states the fee, and has the price without it', () => {
  type State = { readonly swapFee: bigint; readonly balances: readonly bigint[] }
  const E18 = 10n ** 18n
  // A fee of 1 %, and a price of 4.
  const state: State = { swapFee: E18 / 100n, balances: [1_000n * E18, 4_000n * E18] }
  const pool: Pool<State> = { id: 'x', family: 'x', dex: '', address: at(9), tokens: [a, b], state }
  const quote = ({ balances }: State, i: number, j: number, amountIn: bigint) => {
    const netIn = (amountIn * 99n) / 100n
    return { amountOut: (netIn * balances[j]!) / (balances[i]! + netIn), state }
  }
  const { priceCurve } = inputFeeCapacity(quote, () => 1_000n * E18)
  for (const [tokenIn, tokenOut, price] of [
    [a, b, 4],
    [b, a, 0.25],
  ] as const) {
    const curve = priceCurve(pool, tokenIn, tokenOut)
    expect(curve.keepIn).toBeCloseTo(0.99, 12)
    expect(curve.sqrtPrice[0]! ** 2 / price).toBeCloseTo(1, 3)
  }
})

test('pairs with the wrapper are also pairs with the native token, on either side', () => {
  const pairs = [
    [a, b],
    [wrapper, a],
    [b, wrapper],
  ] as const
  expect(withNative(pairs, wrapper)).toEqual([...pairs, [ZERO_ADDRESS, a], [b, ZERO_ADDRESS]])
  expect(withNative(pairs, undefined)).toEqual(pairs)
})

describe('a row that is a token', () => {
  const row = { family: 'erc4626', brand: 'vaults', address: c } as DexRow
  const read = { to: c, data: '0x01' } as const
  const decode = (answer: Hex) => AbiCoder.defaultAbiCoder().decode(['address'], answer)[0] as string
  const run = (reads: Reads<readonly Pool<null>[]>, answer: Hex | null) => {
    const first = reads.next([])
    const last = first.done ? first : reads.next([answer])
    return { isRead: !first.done, pools: last.done ? last.value : [] }
  }
  const answerOf = (underlying: string) => AbiCoder.defaultAbiCoder().encode(['address'], [underlying]) as Hex

  test('is the pool of a pair with its underlying token, in either order', () => {
    const pool = { id: c, family: 'erc4626', dex: 'vaults', address: c, tokens: [a, c], state: null }
    for (const pair of [
      [a, c],
      [c, a],
    ] as const)
      expect(run(findTokenRow(row, [pair], read, decode), answerOf(a))).toEqual({ isRead: true, pools: [pool] })
  })

  test('is no pool of other pairs, and is read only if a pair has it', () => {
    expect(run(findTokenRow(row, [[b, c]], read, decode), answerOf(a))).toEqual({ isRead: true, pools: [] })
    expect(run(findTokenRow(row, [[a, c]], read, decode), null)).toEqual({ isRead: true, pools: [] })
    expect(run(findTokenRow(row, [[a, b]], read, decode), answerOf(a))).toEqual({ isRead: false, pools: [] })
  })
})
