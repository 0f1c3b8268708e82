/** Tests of the response bodies of quotes. */
import { type Chain, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { SwapQuote } from '@sluice/quoting'
import { describe, expect, test } from 'vitest'
import { NATIVE_TEXT } from '../requests.ts'
import type { SwapQuery } from './request.ts'
import { noRouteResponse, quoteResponse, swapResponse } from './response.ts'

const testAddress = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [src, dst, middle, weth, guard] = ['a', 'b', 'c', 'd', 'f'].map(testAddress) as [
  ...[Chain['hubs'][0], Chain['hubs'][0], Chain['hubs'][0], Chain['hubs'][0], Chain['hubs'][0]],
]
const chain = { chain: { wrappedNative: { address: weth, symbol: 'WETH' } } as Chain, routerAddress: guard }
const sent = (text: string) => ({ input: text, address: text.toLowerCase() })
const query = { src: sent('0xSRC'), dst: sent('0xDST'), from: sent('0xFROM'), amount: 100n } as unknown as SwapQuery
const leg = (tokenIn: string, tokenOut: string, amountIn: bigint, id = 'pool') => ({
  ...{
    pool: { id, family: 'uniswap-v3', dex: 'Uniswap' },
    tokenIn,
    tokenOut,
    amountIn,
    amountOut: amountIn * 2n,
    gas: 99.6,
  },
})
function quote(overrides: object = {}, route: object = {}): SwapQuote {
  return {
    route: {
      tokenIn: src,
      tokenOut: dst,
      amountIn: 100n,
      legs: [leg(src, dst, 100n)],
      optimalityGapBps: 1.5,
      optimalityGapNetBps: null,
      ...route,
    },
    ...{
      amountOut: 200n,
      minOutput: 199n,
      gasEstimate: 150_000n,
      gasCharged: 120_000n,
      gasChargedAtDeadline: 121_000n,
    },
    ...{
      block: { number: 7, hash: '0x07' },
      expiresAtBlock: 10,
      id: '1-7-ab',
      priceImpactPpm: 12_345n,
      slippage: undefined,
    },
    ...{ gasCostWei: 5n, gasCostUsd: 0.25, l1FeeWei: 2n, netAmountOut: -3n, poolsPending: false, warnings: ['thin'] },
    ...{ swap: { to: guard, data: '0xab', value: 6n }, calls: undefined },
    ...overrides,
  } as unknown as SwapQuote
}

test('the response contains the amounts of the quote, addresses as requested, and the transaction', () => {
  expect(swapResponse(query, quote(), chain)).toEqual({
    ...{ src: '0xSRC', dst: '0xDST', fromAmount: '100', toAmount: '200', minToAmount: '199', gasEstimate: '150000' },
    ...{ simulationBlock: 7, blockHash: '0x07', expiresAtBlock: 10, quoteId: '1-7-ab', priceImpact: 1.2345 },
    ...{ gasCharged: '120000', gasChargedAtDeadline: '121000', gasCost: { native: '5', usd: 0.25, l1Fee: '2' } },
    ...{ netToAmount: '-3', optimalityGap: 1.5, optimalityGapNet: null, warnings: ['thin'] },
    swaps: [
      {
        ...{ pool: 'pool', protocol: 'uniswap-v3', dex: 'Uniswap', tokenIn: src, tokenOut: dst },
        ...{ amountIn: '100', amountOut: '200', share: 100, gas: '100' },
      },
    ],
    tx: { from: '0xFROM', to: guard, data: '0xab', value: '6' },
  })
  expect(quoteResponse(query, quote(), chain)).not.toHaveProperty('tx')
})

test('unknown names of sources give a warning, and names of families and of DEXes of the chain do not', () => {
  const names = ['uniswap-v3', 'brand three', 'unsiwap-v3']
  const warningsOf = (change: object) =>
    quoteResponse({ ...query, ...change }, quote(), { ...chain, chain: { ...chain.chain, dexes } as unknown as Chain })
      .warnings
  const dexes = [{ brand: 'Brand Three', family: 'uniswap-v2' }]
  const reason = 'which is neither a DEX family nor a DEX of this chain'
  expect(warningsOf({ excludeSources: names })).toEqual(['thin', `excludeSources names unsiwap-v3, ${reason}`])
  expect(warningsOf({ includeSources: names, excludeSources: ['brand'] })).toEqual([
    ...['thin', `includeSources names unsiwap-v3, ${reason}`, `excludeSources names brand, ${reason}`],
  ])
  expect(warningsOf({ includeSources: names.slice(0, 2) })).toEqual(['thin'])
})

test('unknown values are null or absent', () => {
  const body = quoteResponse(
    query,
    quote({ priceImpactPpm: null, gasCostUsd: null, l1FeeWei: null, netAmountOut: null }),
    chain,
  )
  expect(body).toMatchObject({ priceImpact: null, netToAmount: null, gasCost: { usd: null, l1Fee: null } })
  expect(body).not.toHaveProperty('slippage')
  expect(body).not.toHaveProperty('poolsPending')
  const more = quoteResponse(query, quote({ poolsPending: true, slippage: { ppm: 3_000n, reason: 'calm' } }), chain)
  expect(more).toMatchObject({ poolsPending: true, slippage: { percent: 0.3, reason: 'calm' } })
  const calls = [{ to: src, data: '0x01', value: 0n }]
  expect(swapResponse(query, quote({ calls }), chain).calls).toEqual([{ to: src, data: '0x01', value: '0' }])
})

describe('shares', () => {
  const sharesOf = (route: object) => quoteResponse(query, quote({}, route), chain).swaps!.map(({ share }) => share)
  test('are percentages of the amount sold of a token, with two decimals', () => {
    const legs = [leg(src, dst, 1n), leg(src, middle, 2n), leg(middle, dst, 5n)]
    expect(sharesOf({ legs })).toEqual([33.33, 66.67, 100])
    expect(sharesOf({ legs: [leg(src, dst, 0n)] })).toEqual([0])
  })

  test('of native input add the native token and its wrapper', () => {
    const legs = [leg(ZERO_ADDRESS, dst, 30n), leg(weth, dst, 70n)]
    expect(sharesOf({ tokenIn: NATIVE, legs })).toEqual([30, 70])
    expect(sharesOf({ tokenIn: src, legs })).toEqual([100, 100])
  })
})

test('the native token has the address of the request', () => {
  const [swap] = quoteResponse(query, quote({}, { legs: [leg(ZERO_ADDRESS, NATIVE, 1n)] }), chain).swaps!
  expect(swap).toMatchObject({ tokenIn: NATIVE_TEXT, tokenOut: NATIVE_TEXT })
})

test('a wrap is one leg of the wrapper', () => {
  const route = { tokenIn: NATIVE, tokenOut: weth, amountIn: 9n, amountOut: 9n, legs: [], gas: 45_000 }
  expect(quoteResponse(query, quote({}, route), chain).swaps).toEqual([
    {
      ...{ pool: weth, protocol: 'wrapped-native', dex: 'WETH', tokenIn: NATIVE_TEXT, tokenOut: weth },
      ...{ amountIn: '9', amountOut: '9', share: 100, gas: '45000' },
    },
  ])
})

test('a missing route is an output of zero in version A', () => {
  const none = { src: '0xSRC', dst: '0xDST', toAmount: '0', gasEstimate: '0', simulationBlock: 9, swaps: null }
  expect(noRouteResponse(query, 9)).toEqual({ ...none, fromAmount: '100' })
  expect(noRouteResponse({ ...query, amount: undefined } as SwapQuery, 9)).toEqual({ ...none, fromAmount: '0' })
})

test('a quote of a past block does not expire', () => {
  expect(quoteResponse(query as never, quote(), chain)).toMatchObject({ expiresAtBlock: 10 })
  const past = { ...query, block: 0 }
  expect(quoteResponse(past as never, quote(), chain)).not.toHaveProperty('expiresAtBlock')
})
