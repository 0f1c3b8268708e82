/**
 * The nine trades of the benchmark, which are the same for every router. One of them is also made with signatures instead
 * of an existing approval.
 */
import type { Hex } from 'viem'
import { type World, ZERO } from './world.ts'

export const scenarios = ['v2', 'v3', 'v3v3', 'v2v3', 'split2', 'split3', 'nativeIn', 'nativeOut', 'v4'] as const
/** `permit`: the cheapest signed approval that each router accepts. `permit2`: a signed approval for Permit2. */
export const PERMIT_KINDS = ['permit', 'permit2'] as const
export type Trade = (typeof scenarios)[number]
export type Scenario = Trade | (typeof PERMIT_KINDS)[number]

/** Returns the trade that a scenario makes. */
export const tradeOf = (scenario: Scenario): Trade =>
  scenario === 'permit' || scenario === 'permit2' ? 'v3' : scenario

export const AMOUNT = 1_234_567_890_123_456_789_012n
export const NATIVE_AMOUNT = 12_345_678_901_234_567_890n
/** 2100-01-01. */
export const DEADLINE = 4_102_444_800n
/** Returns a realistic minimum output instead of zero. */
export const minAmountOf = (amount: bigint) => (amount * 90n) / 100n
export const percentOfAmount = (part: number) => (AMOUNT * BigInt(part)) / 100n
export const amountOf = (scenario: Scenario) => (scenario.startsWith('native') ? NATIVE_AMOUNT : AMOUNT)

export const inputOf = (scenario: Scenario, { a }: World): Hex => (scenario === 'nativeIn' ? ZERO : a)
export const outputOf = (scenario: Scenario, { b, c }: World): Hex =>
  scenario === 'nativeOut' ? ZERO : scenario === 'v3v3' || scenario === 'v2v3' ? c : b

export type Transaction = { readonly to: Hex; readonly data: Hex; readonly value?: bigint }
/** A router of the benchmark. `build` returns null if the router cannot make the trade. */
export type Router = {
  readonly name: 'sluice' | 'sluiceDirect' | 'universalRouter' | 'swapRouter02' | 'v2Router02' | 'floor'
  /** Account that the user approves. */
  readonly spender: Hex
  /** Spender in Permit2's allowance, if it differs from `spender`. */
  readonly permit2Spender?: Hex
  readonly build: (scenario: Scenario) => Promise<Transaction | null> | Transaction | null
}
