import { toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Step } from '@sluice/program'
import { expect, test } from 'vitest'
import type { Leg } from '../types.ts'
import { mergeHops } from './merge.ts'

const address = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [A, B, C, manager] = [address('1'), address('2'), address('3'), address('d')]
type Token = typeof A

const leg = (tokenIn: Token, tokenOut: Token) => ({ tokenIn, tokenOut }) as Leg
/** Steps of one Uniswap v4 manager that could all be joined. */
const step = ({ tokenIn, tokenOut }: Leg): Step => ({
  op: 'uniswap-v4',
  manager,
  tokenIn,
  hops: [{ tokenOut, fee: 3_000, tickSpacing: 60, hooks: ZERO_ADDRESS }],
  input: { kind: 'rest' },
  output: { kind: 'executor' },
})
const merged = (...legs: readonly Leg[]) => mergeHops(legs.map(step), legs)

test('hops through a token that no other leg uses are joined', () => {
  expect(merged(leg(A, B), leg(B, C))).toMatchObject([{ tokenIn: A, hops: [{ tokenOut: B }, { tokenOut: C }] }])
})

test('hops stay apart if another leg also makes the token, which would leave that part in the Executor', () => {
  expect(merged(leg(A, B), leg(A, B), leg(B, C))).toHaveLength(3)
})

test('hops stay apart if another leg also takes the token', () => {
  expect(merged(leg(A, B), leg(B, C), leg(B, C))).toHaveLength(3)
})

test('steps that do not follow each other stay apart', () => {
  expect(merged(leg(A, B), leg(A, C), leg(B, C))).toHaveLength(3)
})

test('steps beyond the legs are kept', () => {
  const legs = [leg(A, B)]
  expect(mergeHops([step(leg(A, B)), step(leg(B, C))], legs)).toHaveLength(2)
})
