/** Proof that a transaction of the service does what was requested: nothing in a route but the bytes of `tx` is trusted. */
import { decodeSwap } from './abi.ts'
import { amountOf, lessSlippage, MAX_AUTO_PERCENT, toPpm } from './amounts.ts'
import { checkCalls } from './checked-calls.ts'
import type { SwapContracts } from './contracts.ts'
import { ClientError, toClientError } from './errors.ts'
import { type Explanation, explain, weiOf } from './explain.ts'
import { addressIn, fieldsOf } from './fields.ts'
import { faultOf } from './flow.ts'
import type { GuardOrder, GuardPermit } from './order.ts'
import { isIn, isRegistered, type Unproven, unprovenFields } from './proof.ts'
import { NATIVE, type Route, type RouteParameters } from './types.ts'

/** Terms that the caller accepts in addition to the request. */
export type SwapTerms = {
  /** Lowest output that the caller accepts, from a source of its own: base units of `dst`. */
  readonly minToAmount?: bigint | string | undefined
  /** Highest input that the caller accepts for `amountOut`: base units of `src`. */
  readonly maxFromAmount?: bigint | string | undefined
  /** Allows direct mode, for output tokens that take a tax of every transfer. */
  readonly direct?: boolean | undefined
  /** Permit that the caller signed for this swap: the transaction carries exactly that, and none where it is absent. */
  readonly permit?: GuardPermit | undefined
  /**
   * Fields without a proof that the caller accepts: names such as `curve.pool` and `ambient.limitBits`, addresses, and ids of
   * pools.
   */
  readonly accept?: readonly string[] | undefined
  /**
   * False accepts every contract without a proof, so that only the lowest output protects the caller. Fields that set the price
   * are still proven. True ignores `accept`.
   */
  readonly knownPools?: boolean | undefined
  /** Contracts that the caller knows, such as those of a local chain, in place of those that this package knows. */
  readonly contracts?: Partial<SwapContracts> | undefined
}

/** Explanation of a proven transaction. */
export type Proven = Explanation & {
  /** Fields without a proof that the caller accepted. */
  readonly unproven: readonly Unproven[]
  /** Pools and other contracts of those fields: they may run any code, and can keep what exceeds the lowest output. */
  readonly unknownPools: readonly string[]
}

/** Default of the service. */
const DEFAULT_DEADLINE_SECONDS = 1_200
/** Highest difference between the clocks of the caller and the chain. */
const CLOCK_SKEW_SECONDS = 300
const ADDRESS_LENGTH = 42

/**
 * Proves a swap as `verify` does, with the contracts at hand.
 *
 * @param contracts - everything that is trusted on the chain; `terms.contracts` is not read
 * @throws ClientError `UNSAFE`
 */
export function proveSwap(contracts: SwapContracts, route: Route, asked: RouteParameters, terms: SwapTerms): Proven {
  try {
    return prove(contracts, route, asked, terms)
  } catch (error) {
    throw toClientError(error, 'UNSAFE', 'the route or the request is malformed: ')
  }
}

function prove(contracts: SwapContracts, route: Route, asked: RouteParameters, terms: SwapTerms): Proven {
  const found = explain(route.tx)
  const require = (holds: boolean, what: string) => {
    if (!holds) throw new ClientError('UNSAFE', `the transaction differs from the request: ${what}`)
  }
  const value = weiOf(route.tx)
  require(same(found.guard, contracts.guard), `it calls ${found.guard}, not the Guard`)
  require(same(route.tx.from, asked.from), 'the sender')
  require(same(found.recipient, asked.recipient ?? asked.from), 'the recipient')
  require(same(found.tokenIn, asked.src), 'the input token')
  require(same(found.tokenOut, asked.dst), 'the output token')
  checkInput(found.amountIn, route, asked, terms, require)
  require(value === (same(asked.src, NATIVE) ? found.amountIn : 0n), 'the value')
  require(found.mode === 'custody' || terms.direct === true, 'direct mode, which was not requested')
  require(isIn(found.executor, contracts.executors), `the Executor ${found.executor} is not known`)
  const order = decodeSwap(route.tx.data, value)
  checkPermit(order, terms.permit, require)
  checkRegistered(found, contracts, require)
  checkFee(found, asked, require)
  checkDeadline(found.deadline, asked.deadline, require)
  checkOutput(found.minOutput, route, asked, terms, require)
  for (const excluded of asked.excludePools ?? []) {
    require(!isIn(excluded, [...found.pools, ...found.contracts]), `the pool ${excluded} was excluded`)
  }
  const fault = faultOf(order, found.steps, route.swaps, value)
  require(fault === undefined, fault ?? '')
  const unproven = checkProofs(found, route, asked, contracts, terms)
  if (route.calls !== undefined) checkCalls(route, found.amountIn)
  const unknown = unproven.flatMap(({ isContract, pool, value }) => {
    if (!isContract) return []
    // An id may begin with its contract's address.
    const address = value.slice(0, ADDRESS_LENGTH)
    return pool.startsWith(address) ? [pool] : [pool, address]
  })
  return { ...found, unproven, unknownPools: [...new Set(unknown)] }
}

type Require = (holds: boolean, what: string) => void

/** @returns fields without a proof that the terms accept @throws ClientError `UNSAFE` naming every one that they do not */
function checkProofs(
  { steps }: Explanation,
  { swaps }: Route,
  { src, dst }: RouteParameters,
  contracts: SwapContracts,
  { accept = [], knownPools }: SwapTerms,
): readonly Unproven[] {
  const open = unprovenFields(steps, swaps, contracts, [src, dst])
  const accepted = { ...contracts, pools: [...(contracts.pools ?? []), ...accept] }
  const left = knownPools ? open : unprovenFields(steps, swaps, accepted, [src, dst])
  const refused = knownPools === false ? left.filter(({ isContract }) => !isContract) : left
  if (refused.length === 0) return open
  const names = [...new Set(refused.map(({ field, value }) => `${field} ${value}`))]
  throw new ClientError(
    'UNSAFE',
    `nothing proves that these are safe: ${names.join(', ')}; exclude their pools by \`excludePools\`, or name them in \`accept\``,
  )
}

/** Contracts of the chain's lists, and the wrapper that the Guard itself uses. */
function checkRegistered({ wrapper, steps }: Explanation, contracts: SwapContracts, require: Require): void {
  require(wrapper === null ||
    (contracts.wrapper !== undefined && same(wrapper, contracts.wrapper)), `the wrapper ${wrapper} is not known`)
  const registered = steps.flatMap(fieldsOf).filter(({ proof }) => proof === 'registry' || proof === 'wrapper')
  for (const field of registered) {
    const name = field.proof === 'wrapper' ? 'wrapper' : field.field
    require(isRegistered(field, contracts), `the ${name} ${addressIn(field)} is not known`)
  }
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

function checkFee({ fee }: Explanation, asked: RouteParameters, require: Require): void {
  const ppm = toPpm(asked.convenienceFee ?? 0)
  require((fee?.ppm ?? 0n) === ppm, 'the fee')
  require(!fee || same(fee.recipient, asked.convenienceFeeRecipient ?? ''), 'the fee recipient')
}

function checkDeadline(deadline: bigint, asked: number | undefined, require: Require): void {
  const latest = Math.floor(Date.now() / 1000) + DEFAULT_DEADLINE_SECONDS + CLOCK_SKEW_SECONDS
  require(asked === undefined ? deadline <= BigInt(latest) : deadline === BigInt(asked), 'the deadline')
}

/** Exactly `amount`; or, for an exact output, what the route says, and at most what the caller accepts. */
function checkInput(amountIn: bigint, route: Route, asked: RouteParameters, terms: SwapTerms, require: Require): void {
  const isExactOutput = asked.amountOut !== undefined
  const stated = isExactOutput ? amountOf(route.fromAmount, 'fromAmount') : amountOf(asked.amount, 'amount')
  require(amountIn === stated && amountIn > 0n, 'the input amount')
  if (terms.maxFromAmount === undefined) return
  const limit = amountOf(terms.maxFromAmount, 'maxFromAmount')
  require(amountIn <= limit, `the input ${amountIn} is above maxFromAmount ${limit}`)
}

/** `amountOut` itself; or the expected output less slippage. */
function checkOutput(
  minOutput: bigint,
  route: Route,
  asked: RouteParameters,
  terms: SwapTerms,
  require: Require,
): void {
  const slippage = asked.slippage === 'auto' ? (route.slippage?.percent ?? 0) : asked.slippage
  require(asked.slippage !== 'auto' || toPpm(slippage!) <= toPpm(MAX_AUTO_PERCENT), `a slippage of ${slippage} percent`)
  const promised = lessSlippage(amountOf(route.toAmount, 'toAmount'), slippage)
  const least = promised > 0n ? promised : 1n
  require(minOutput ===
    (asked.amountOut === undefined ? least : amountOf(asked.amountOut, 'amountOut')), 'the least output')
  if (terms.minToAmount === undefined) return
  const floor = amountOf(terms.minToAmount, 'minToAmount')
  require(minOutput >= floor, `the least output ${minOutput} is below minToAmount ${floor}`)
}

function same(a: string, b: string): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase()
}
