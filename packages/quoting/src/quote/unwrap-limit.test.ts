import { IERC20Supply__factory } from '@sluice/bindings'
import { type Address, NATIVE, toAddress } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { TaxRecords } from '../tokens/taxes.ts'
import { assertUnwrappable } from './unwrap-limit.ts'

const WRAPPER = toAddress(`0x${'9'.repeat(40)}`)
const abi = IERC20Supply__factory.createInterface()
const unwrap = { legs: [], tokenOut: NATIVE, amountIn: 101n }
const block = { number: 8, hash: '0x08' }

/** Checks a route against a supply of 100; null if the contract reverts. */
async function check(
  route: object,
  {
    amountOut = undefined as bigint | undefined,
    supply = 100n as bigint | null,
    wrapper = WRAPPER as Address | null,
  } = {},
) {
  const calls: unknown[] = []
  const rpc = {
    call: async (call: { readonly to: Address }, at: unknown) => {
      calls.push([call.to, at])
      if (supply === null) throw new RpcError('REVERTED', 'no')
      return abi.encodeFunctionResult('totalSupply', [supply])
    },
  }
  const request = { tokenIn: WRAPPER, tokenOut: NATIVE, feePpm: 0n, slippagePpm: 10_000n, amountOut }
  const source = { rpc, view: { snapshot: { block } }, wrappedNative: wrapper, tokens: { taxes: new TaxRecords() } }
  const check = assertUnwrappable(route as never, request as never, source as never, new AbortController().signal)
  return {
    calls,
    error: await check.then(
      () => null,
      (error: unknown) => error,
    ),
  }
}

test('more than is wrapped cannot be unwrapped; the error names the largest amount', async () => {
  const { error, calls } = await check(unwrap)
  expect(error).toMatchObject({
    code: 'INSUFFICIENT_LIQUIDITY',
    message: 'only 100 of the native token are wrapped; 100 can be routed',
    details: { reasons: [], block: 8, maxRoutableAmount: '100' },
  })
  expect(calls).toEqual([[WRAPPER, { blockHash: '0x08' }]])
  // Of an exact output, less than the supply by its slippage.
  expect((await check(unwrap, { amountOut: 101n })).error).toMatchObject({ details: { maxRoutableAmount: '99' } })
})

test.each([
  ['all that is wrapped', { ...unwrap, amountIn: 100n }, {}, 1],
  ['a wrap', { ...unwrap, tokenOut: WRAPPER }, {}, 0],
  ['a route over pools', { ...unwrap, legs: [{}] }, {}, 0],
  ['a chain without a wrapper', unwrap, { wrapper: null }, 0],
  ['a wrapper that does not answer', unwrap, { supply: null }, 1],
])('%s is not refused', async (_, route, of, calls) => {
  const result = await check(route, of)
  expect([result.error, result.calls.length]).toEqual([null, calls])
})
