/**
 * Scenarios of the gas benchmark: nine trades, which are the same for every router. `permit` and `permit2` are the
 * trade `v3` with a signed approval instead of an existing one.
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
/** Deadline of all transactions, as a timestamp: 2100-01-01. */
export const DEADLINE = 4_102_444_800n
/** Returns the minimum output of a trade: 90 % of its input. */
export const minAmountOf = (amount: bigint) => (amount * 90n) / 100n
export const percentOfAmount = (percent: number) => (AMOUNT * BigInt(percent)) / 100n
export const amountOf = (scenario: Scenario) => (scenario.startsWith('native') ? NATIVE_AMOUNT : AMOUNT)

export const inputOf = (scenario: Scenario, { a }: World): Hex => (scenario === 'nativeIn' ? ZERO : a)
export const outputOf = (scenario: Scenario, { b, c }: World): Hex =>
  scenario === 'nativeOut' ? ZERO : scenario === 'v3v3' || scenario === 'v2v3' ? c : b

export type Transaction = { readonly to: Hex; readonly data: Hex; readonly value?: bigint }
/**
 * A router of the benchmark. `build` returns null if the router cannot make the trade. With `sluice`, the Guard receives
 * the output and pays the user (custody). With `sluiceDirect`, the user receives the output without the Guard.
 */
export type Router = {
  readonly name: 'sluice' | 'sluiceDirect' | 'universalRouter' | 'swapRouter02' | 'v2Router02' | 'floor'
  /** Contract that the user approves. */
  readonly spender: Hex
  /** Spender of the user's Permit2 allowance, if it is not `spender`. */
  readonly permit2Spender?: Hex
  readonly build: (scenario: Scenario) => Promise<Transaction | null> | Transaction | null
}
