/** Proof that a transaction of the service does what was asked for: nothing in a route but the bytes of `tx` is trusted. */
import { opOf, singletonOf } from '@sluice/program'
import { decodeSwap } from './abi.ts'
import { type SwapContracts, singletonsFor, trustedContracts } from './contracts.ts'
import { ClientError } from './errors.ts'
import { type Explanation, explain, weiOf } from './explain.ts'
import { faultOf } from './flow.ts'
import type { GuardOrder, GuardPermit } from './order.ts'
import { unknownPools } from './origins.ts'
import { NATIVE, type Route, type SwapParameters } from './types.ts'

/** Terms that the caller accepts beside what it asks the service for. */
export type SwapTerms = {
  /** Least output that the caller accepts, by what it knows itself: base units of `dst`. */
  readonly minToAmount?: bigint | string | undefined
  /** Allows direct mode, for output tokens that take a tax of every transfer. */
  readonly direct?: boolean | undefined
  /** Permit that the caller signed for this swap: the transaction carries exactly that, and none where it is absent. */
  readonly permit?: GuardPermit | undefined
  /** Refuses pools that may run anybody's code: those of which `unknownPools` of the answer tells. */
  readonly knownPools?: boolean | undefined
  /** Contracts that the caller knows, such as those of a local chain, in the place of those this package knows. */
  readonly contracts?: Partial<SwapContracts> | undefined
}

/** Explanation of a proven transaction. */
export type Proven = Explanation & {
  /**
   * Pools of the route that none of the factories known here made, so that they may run anybody's code: all of them keep to
   * the least output, and none of them to a fair price beyond it.
   */
  readonly unknownPools: readonly string[]
}

export const PPM = 1_000_000n
const PPM_PER_PERCENT = 10_000n
/** The service's own, where none is asked for. */
const DEFAULT_DEADLINE_SECONDS = 1_200
/** Most that the clocks of the caller and of the chain may differ. */
const CLOCK_SKEW_SECONDS = 300
/** Percent that `slippage: 'auto'` may come to. */
const MOST_AUTO = 3

/**
 * Proves that a route's transaction does what was asked for and nothing else: tokens, amount, sender, slippage, fee, value,
 * deadline, mode, pools, and the contracts that it runs through. The least output is held against the caller's own
 * `minToAmount` where there is one; else against `toAmount` alone, which is the service's word.
 *
 * @throws ClientError `UNSAFE` naming what differs
 */
export function verify(chainId: number, route: Route, asked: SwapParameters, terms: SwapTerms = {}): Proven {
  const contracts = trustedContracts(chainId, terms.contracts)
  const found = explain(route.tx)
  const require = (holds: boolean, what: string) => {
    if (!holds) throw new ClientError('UNSAFE', `the transaction differs from what was asked for: ${what}`)
  }
  const amount = amountOf(asked.amount, 'amount')
  const value = weiOf(route.tx)
  require(same(found.guard, contracts.guard), `it calls ${found.guard}, not the Guard`)
  require(same(found.recipient, asked.from), 'the sender')
  require(same(found.tokenIn, asked.src), 'the input token')
  require(same(found.tokenOut, asked.dst), 'the output token')
  require(found.amountIn === amount, 'the input amount')
  require(value === (same(asked.src, NATIVE) ? amount : 0n), 'the value')
  require(found.mode === 'custody' || terms.direct === true, 'direct mode, which was not asked for')
  require(isIn(found.executor, contracts.executors), `the Executor ${found.executor} is not known`)
  const order = decodeSwap(route.tx.data, value)
  checkPermit(order, terms.permit, require)
  checkWrappers(found, contracts.wrapper, require)
  for (const step of found.steps) {
    const singleton = singletonOf(step)
    if (singleton === undefined) continue
    const known = singletonsFor(step.op, contracts)
    require(isIn(singleton, known), `the ${opOf(step).singleton} ${singleton} is not known`)
  }
  checkFee(found, asked, require)
  checkDeadline(found.deadline, asked.deadline, require)
  checkLeast(found.minOutput, route, asked, terms, require)
  for (const pool of asked.excludePools ?? []) require(!isIn(pool, found.pools), `the pool ${pool} was excluded`)
  const fault = faultOf(order, found.steps, route.swaps, value)
  require(fault === undefined, fault ?? '')
  const unknown = unknownPools(route.swaps, found.steps, contracts)
  require(!terms.knownPools || unknown.length === 0, `the pool ${unknown[0]} is not known`)
  return { ...found, unknownPools: unknown }
}

type Require = (holds: boolean, what: string) => void

/** The Guard gives the input to the wrapper it is told, and the Executor to those its program names. */
function checkWrappers({ wrapper, steps }: Explanation, known: string | undefined, require: Require): void {
  const named = steps.flatMap((step) =>
    step.op === 'wrap' ? [step.wrapped] : step.op === 'unwrap' ? [step.tokenIn] : [],
  )
  for (const used of [...named, ...(wrapper ? [wrapper] : [])])
    require(known !== undefined && same(used, known), `the wrapper ${used} is not known`)
}

/** Owner, spender and token of a permit are the swap's own; the rest is what was signed. */
function checkPermit({ permit: found }: GuardOrder, signed: GuardPermit | undefined, require: Require): void {
  if (!signed) {
    require(found === undefined, 'a signature, which was not asked for')
    return
  }
  require(found !== undefined, 'the signature is missing')
  for (const field of ['kind', 'amount', 'nonce', 'deadline'] as const)
    require(found?.[field] === signed[field], `the ${field} of the signature`)
  require(same(found?.signature ?? '', signed.signature), 'the signature')
}

function checkFee({ fee }: Explanation, asked: SwapParameters, require: Require): void {
  const ppm = toPpm(asked.convenienceFee ?? 0)
  require((fee?.ppm ?? 0n) === ppm, 'the fee')
  require(!fee || same(fee.recipient, asked.convenienceFeeRecipient ?? ''), 'the fee recipient')
}

function checkDeadline(deadline: bigint, asked: number | undefined, require: Require): void {
  const latest = Math.floor(Date.now() / 1000) + DEFAULT_DEADLINE_SECONDS + CLOCK_SKEW_SECONDS
  require(asked === undefined ? deadline <= BigInt(latest) : deadline === BigInt(asked), 'the deadline')
}

function checkLeast(least: bigint, route: Route, asked: SwapParameters, terms: SwapTerms, require: Require): void {
  const told = asked.slippage === 'auto' ? (route.slippage?.percent ?? 0) : asked.slippage
  require(asked.slippage !== 'auto' || toPpm(told!) <= toPpm(MOST_AUTO), `a slippage of ${told} percent`)
  const promised = lessSlippage(amountOf(route.toAmount, 'toAmount'), told)
  require(least === (promised > 0n ? promised : 1n), 'the least output')
  if (terms.minToAmount === undefined) return
  const floor = amountOf(terms.minToAmount, 'minToAmount')
  require(least >= floor, `the least output ${least} is below minToAmount ${floor}`)
}

/** Rest of an amount after the slippage that was asked for, as the service rounds it; after the most that `auto` may be. */
export function lessSlippage(amount: bigint, slippage: number | string = 0.5): bigint {
  return (amount * (PPM - toPpm(slippage === 'auto' ? MOST_AUTO : slippage))) / PPM
}

/** Percent with at most 4 decimals to parts per million, by its text; below 100 %. */
export function toPpm(percent: number | string): bigint {
  const match = /^(\d{1,2})(?:\.(\d{1,4}))?$/.exec(String(percent))
  if (!match) throw new ClientError('UNSAFE', `${percent} is no percentage below 100 with at most 4 decimals`)
  return BigInt(match[1]!) * PPM_PER_PERCENT + BigInt((match[2] ?? '').padEnd(4, '0'))
}

function amountOf(amount: bigint | string, name: string): bigint {
  if (!/^\d{1,78}$/.test(String(amount)))
    throw new ClientError('UNSAFE', `${name} must be an integer in base units, not ${String(amount).slice(0, 100)}`)
  return BigInt(amount)
}

function isIn(address: string, list: readonly string[]): boolean {
  return list.some((one) => same(one, address))
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
