import { type Address, NATIVE, toAddress } from '@sluice/chains'
import { type QuoteRequest, QuotingError } from '@sluice/quoting'
import { expect, test } from 'vitest'
import type { ChainQuotes } from './chain-router.ts'
import { answerWebhook, readWebhook } from './uniswapx.ts'

const [IN, OUT, FILLER] = ['1', '2', '9'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
]
const ZERO = `0x${'0'.repeat(40)}`
const WHOLE = 10n ** 18n
const body = (change: object = {}) => ({
  ...{ tokenInChainId: 1, tokenOutChainId: 1, requestId: 'request', quoteId: 'quote', swapper: ZERO },
  ...{ tokenIn: IN, tokenOut: OUT, amount: String(WHOLE), type: 'EXACT_INPUT', numOutputs: 1, protocol: 'v2' },
  ...change,
})
const { signal } = new AbortController()
const TIMEOUT_MS = 60_000

/** A chain that pays three for one, of which gas takes `gas`. */
function chainOf(gas: bigint | null, requests: QuoteRequest[] = []): ChainQuotes {
  return {
    wrappedNative: null,
    guard: FILLER,
    quote: async (request) => {
      requests.push(request)
      const amountIn = request.amountIn ?? request.amountOut! / 3n
      const amountOut = amountIn * 3n
      const netAmountOut = gas === null ? null : amountOut - gas
      return { route: { amountIn }, amountOut, netAmountOut } as unknown as Awaited<ReturnType<ChainQuotes['quote']>>
    },
  }
}

test('an exact input pays what gas leaves of the output, and ids are echoed', async () => {
  const requests: QuoteRequest[] = []
  const answer = await answerWebhook(readWebhook(body()), chainOf(WHOLE / 10n, requests), FILLER, TIMEOUT_MS, signal)
  expect(answer).toEqual({
    ...{ chainId: 1, requestId: 'request', quoteId: 'quote', filler: FILLER },
    ...{ tokenIn: IN, tokenOut: OUT, amountIn: String(WHOLE), amountOut: String(3n * WHOLE - WHOLE / 10n) },
  })
  expect(requests).toMatchObject([
    { tokenIn: IN, tokenOut: OUT, amountIn: WHOLE, amountOut: undefined, slippagePpm: 0n },
  ])
})

test('an exact output costs the gas in addition: as much more input as gas is of the output', async () => {
  const wanted = 3n * WHOLE
  const request = readWebhook(body({ type: 'EXACT_OUTPUT', amount: String(wanted) }))
  const answer = await answerWebhook(request, chainOf((3n * WHOLE) / 4n), FILLER, TIMEOUT_MS, signal)
  expect(answer).toMatchObject({ amountOut: String(wanted) })
  // A quarter of the output is gas: the input pays four thirds.
  const exact = (4n * WHOLE) / 3n
  expect(BigInt(answer!.amountIn)).toBeGreaterThanOrEqual(exact)
  expect(BigInt(answer!.amountIn)).toBeLessThanOrEqual(exact + 2n)
})

test('the zero address is the native token, in requests and in answers', async () => {
  const requests: QuoteRequest[] = []
  const request = readWebhook(body({ tokenIn: ZERO, quoteId: undefined }))
  const answer = await answerWebhook(request, chainOf(0n, requests), FILLER, TIMEOUT_MS, signal)
  expect(requests[0]!.tokenIn).toBe(NATIVE)
  expect(answer).toMatchObject({ tokenIn: ZERO, tokenOut: OUT })
  expect(answer).not.toHaveProperty('quoteId')
})

test('there is no answer if gas takes all, if it has no price, and if the chain refuses', async () => {
  const of = (chain: ChainQuotes) => answerWebhook(readWebhook(body()), chain, FILLER, TIMEOUT_MS, signal)
  expect(await of(chainOf(3n * WHOLE))).toBeNull()
  expect(await of(chainOf(3n * WHOLE - 1n))).toMatchObject({ amountOut: '1' })
  expect(await of(chainOf(null))).toBeNull()
  const refuses = async () => {
    throw new QuotingError('NO_ROUTE', 'none')
  }
  expect(await of({ ...chainOf(0n), quote: refuses })).toBeNull()
})

test('a chain that never answers is given up', async () => {
  const hangs: ChainQuotes = { ...chainOf(0n), quote: () => new Promise(() => {}) }
  expect(await answerWebhook(readWebhook(body()), hangs, FILLER, 10, signal)).toBeNull()
})

test.each([
  ['amount', { amount: '0' }],
  ['amount', { amount: String(2n ** 256n) }],
  ['amount', { amount: 5 }],
  ['tokenIn', { tokenIn: '0x12' }],
  ['tokenOutChainId', { tokenOutChainId: 2 }],
  ['type', { type: 'EXACT' }],
  ['requestId', { requestId: '' }],
])('%s is named if it is wrong', (field, change) => {
  expect(() => readWebhook(body(change))).toThrow(field)
})

test('a body that is no object is refused', () => expect(() => readWebhook(null)).toThrow('the body'))
