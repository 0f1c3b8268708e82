import { NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Leg, RoutePlan } from '@sluice/routing'
import { SimulationError, type SimulationRequest } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { FaultyTokens, findFaultyTokens, withFaultyTokens } from './faulty-tokens.ts'
import type { TrialContext } from './try-route.ts'

const NOW = 1_800_000_000
const [A, X, B, WETH] = [...'1234'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [never, never, never, never]
const leg = (tokenIn: Leg['tokenIn'], tokenOut: Leg['tokenOut']) =>
  ({ tokenIn, tokenOut, amountIn: 5_000n, amountOut: 7_000n }) as Leg
const route = {
  tokenIn: A,
  tokenOut: B,
  legs: [leg(A, X), leg(X, B), leg(A, WETH), leg(WETH, B)],
} as unknown as RoutePlan

function contextOf(outcome: boolean | Error) {
  const transfers: SimulationRequest[] = []
  const simulate = async (request: SimulationRequest) => {
    transfers.push(request)
    if (outcome instanceof Error) throw outcome
    return { success: outcome }
  }
  const context = {
    ...{ simulate, contracts: { executor: { address: WETH } }, wrappedNative: WETH },
    ...{ view: { snapshot: { block: { hash: '0x', number: 1 } } }, signal: new AbortController().signal },
  } as unknown as TrialContext
  return { context, transfers }
}

test('a token is avoided for a minute, but not at blocks before its failure', () => {
  const tokens = new FaultyTokens()
  tokens.record([X], NOW)
  expect([NOW, NOW + 59].map((now) => tokens.tokensAt(now))).toEqual([[X], [X]])
  expect([NOW - 1, NOW + 60].map((now) => tokens.tokensAt(now))).toEqual([[], []])
  expect(tokens.count.entries).toBe(1)
  tokens.forget()
  expect(tokens.tokensAt(NOW)).toEqual([])
})

test.each([
  [false, [X]],
  [true, []],
  [new SimulationError('BAD_TOKEN', 'no answer'), [X]],
  [new SimulationError('UNKNOWN_SLOTS', 'cannot be funded'), []],
])('a token without a working leg is faulty if its transfer does not succeed: %s', async (outcome, expected) => {
  const { context, transfers } = contextOf(outcome)
  expect(await findFaultyTokens(route, { workingLegs: [route.legs[2]!] }, context)).toEqual(expected)
  expect(transfers).toMatchObject([{ to: X, tokenIn: X, amountIn: 6n }])
})

test('tokens at the ends, the native token, its wrapper, and tokens of a working leg are no candidates', async () => {
  const { context, transfers } = contextOf(false)
  expect(await findFaultyTokens(route, { workingLegs: [route.legs[1]!] }, context)).toEqual([])
  const native = { ...route, tokenIn: NATIVE, legs: [leg(ZERO_ADDRESS, WETH), leg(WETH, B)] }
  expect(await findFaultyTokens(native, { workingLegs: [] }, context)).toEqual([])
  expect(transfers).toEqual([])
})

test('a faulty token takes all of a transfer, whatever its taxes were', () => {
  const tax = {
    usual: { buyPpm: 1, sellPpm: 2, transferPpm: 3 },
    inPool: new Map([['pool', { buyPpm: 4, sellPpm: 5, transferPpm: 6 }]]),
  }
  const taxes = withFaultyTokens(
    new Map([
      [A, tax],
      [X, tax],
    ]),
    new Set([X]),
  )
  expect(taxes.get(A)).toBe(tax)
  expect(taxes.get(X)).toEqual({ usual: { buyPpm: 1_000_000, sellPpm: 1_000_000, transferPpm: 0 }, inPool: new Map() })
})
