/** Whether a transaction of the service does what was asked for: nothing in a route but the bytes of `tx` is trusted. */
import { decodeSwap } from './abi.ts'
import { type SwapContracts, trustedContracts } from './contracts.ts'
import { ClientError } from './errors.ts'
import { type Explanation, explain, weiOf } from './explain.ts'
import { faultOf } from './flow.ts'
import { NATIVE, type Route, type SwapParameters } from './types.ts'

/** What the caller accepts beside what it asks the service for. */
export type SwapTerms = {
  /** Least output that the caller accepts, by what it knows itself: base units of `dst`. */
  readonly minToAmount?: bigint | string | undefined
  /** Allows direct mode, for output tokens that take a tax of every transfer. */
  readonly direct?: boolean | undefined
  /** Contracts that the caller knows, such as those of a local chain, in the place of those this package knows. */
  readonly contracts?: Partial<SwapContracts> | undefined
}

const PPM = 1_000_000n
const PPM_PER_PERCENT = 10_000n
/** The service's own, where none is asked for. */
const DEFAULT_DEADLINE_SECONDS = 1_200
/** How far apart the clocks of the caller and of the chain may be. */
const CLOCK_SKEW_SECONDS = 300

/**
 * Proves that a route's transaction does what was asked for and nothing else: tokens, amount, sender, slippage, fee, value,
 * deadline, mode, pools, and the contracts that it runs through. The least output is held against the caller's own
 * `minToAmount` where there is one; else against `toAmount` alone, which is the service's word.
 *
 * @throws ClientError `UNSAFE` naming what differs
 */
export function verify(chainId: number, route: Route, asked: SwapParameters, terms: SwapTerms = {}): Explanation {
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
  require(found.permit === null, 'a signature, which was not asked for')
  checkWrappers(found, contracts.wrapper, require)
  for (const step of found.steps) {
    if ('manager' in step) require(isIn(step.manager, contracts.managers), `the manager ${step.manager} is not known`)
    if ('vault' in step)
      require(isIn(
        step.vault,
        step.op === 'balancer-v2' ? contracts.vaultsV2 : contracts.vaultsV3,
      ), `the vault ${step.vault} is not known`)
  }
  checkFee(found, asked, require)
  checkDeadline(found.deadline, asked.deadline, require)
  checkLeast(found.minOutput, route.toAmount, asked, terms, require)
  for (const pool of asked.excludePools ?? []) require(!isIn(pool, found.pools), `the pool ${pool} was excluded`)
  const fault = faultOf(decodeSwap(route.tx.data, value), found.steps, route.swaps, value)
  require(fault === undefined, fault ?? '')
  return found
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

function checkFee({ fee }: Explanation, asked: SwapParameters, require: Require): void {
  const ppm = toPpm(asked.convenienceFee ?? 0)
  require((fee?.ppm ?? 0n) === ppm, 'the fee')
  require(!fee || same(fee.recipient, asked.convenienceFeeRecipient ?? ''), 'the fee recipient')
}

function checkDeadline(deadline: bigint, asked: number | undefined, require: Require): void {
  const latest = Math.floor(Date.now() / 1000) + DEFAULT_DEADLINE_SECONDS + CLOCK_SKEW_SECONDS
  require(asked === undefined ? deadline <= BigInt(latest) : deadline === BigInt(asked), 'the deadline')
}

function checkLeast(least: bigint, toAmount: string, asked: SwapParameters, terms: SwapTerms, require: Require): void {
  const promised = lessSlippage(amountOf(toAmount, 'toAmount'), asked.slippage)
  require(least === (promised > 0n ? promised : 1n), 'the least output')
  if (terms.minToAmount === undefined) return
  const floor = amountOf(terms.minToAmount, 'minToAmount')
  require(least >= floor, `the least output ${least} is below minToAmount ${floor}`)
}

/** What is left of an amount after the slippage that was asked for, as the service rounds it. */
export function lessSlippage(amount: bigint, slippage: number | string = 0.5): bigint {
  return (amount * (PPM - toPpm(slippage))) / PPM
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
