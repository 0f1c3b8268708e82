/**
 * Proves that a transaction from the service does what the caller requested. The proof relies only on the transaction
 * itself, not on the service.
 */
import { decodeSwap } from './abi.ts'
import { amountOf, deductSlippage, MAX_AUTO_PERCENT, toPpm } from './amounts.ts'
import { checkCalls } from './checked-calls.ts'
import type { SwapContracts } from './contracts.ts'
import { latestDefaultDeadline } from './deadline.ts'
import { ClientError, toClientError } from './errors.ts'
import { type Explanation, explain, weiOf } from './explain.ts'
import { addressIn, fieldsOf } from './fields.ts'
import { findFlowFault } from './flow.ts'
import type { GuardOrder, GuardPermit } from './order.ts'
import { includesAddress, isRegistered, type Unproven, unprovenFields } from './proof.ts'
import { NATIVE, type Route, type RouteParameters } from './types.ts'

/** Terms on which the caller accepts a transaction, in addition to the request. */
export type SwapTerms = {
  /** Minimum output in base units of `dst`, from a source that is independent of the service. */
  readonly minToAmount?: bigint | string | undefined
  /** Maximum input of an exact output, in base units of `src`, from a source that is independent of the service. */
  readonly maxFromAmount?: bigint | string | undefined
  /** Allows direct mode, which output tokens with a transfer tax need. */
  readonly direct?: boolean | undefined
  /** Permit that the transaction must carry. If absent, the transaction must not carry a permit. */
  readonly permit?: GuardPermit | undefined
  /**
   * Unproven fields that the caller accepts: names such as `curve.pool` and `ambient.limitBits`, addresses, or pool
   * ids. A field of the program is unproven if nothing shows that its contract or number is safe.
   */
  readonly accept?: readonly string[] | undefined
  /**
   * False accepts every unproven contract, so that only the minimum output protects the caller. Unproven numbers are
   * still refused, because they can set the price. True refuses all unproven fields, even those in `accept`.
   */
  readonly knownPools?: boolean | undefined
  /** Contracts that replace the contracts known to this package, for example on a local chain. */
  readonly contracts?: Partial<SwapContracts> | undefined
}

/** Explanation of a proven transaction. */
export type Proven = Explanation & {
  /** Unproven fields that the caller accepted. */
  readonly unproven: readonly Unproven[]
  /** Pools and contracts of the unproven fields. They may run any code, and can keep all output above `minOutput`. */
  readonly unknownPools: readonly string[]
}

/** Characters of an address as hex text. */
const ADDRESS_LENGTH = 42

/**
 * Proves a swap like `verify`, but with the given contracts.
 *
 * @param contracts - all trusted contracts of the chain; `terms.contracts` is ignored
 * @throws ClientError `UNSAFE` with the first mismatch, or with all unproven fields
 */
export function proveSwap(contracts: SwapContracts, route: Route, request: RouteParameters, terms: SwapTerms): Proven {
  try {
    return prove(contracts, route, request, terms)
  } catch (error) {
    throw toClientError(error, 'UNSAFE', 'the route or the request is malformed: ')
  }
}

function prove(contracts: SwapContracts, route: Route, request: RouteParameters, terms: SwapTerms): Proven {
  const explanation = explain(route.tx)
  const requireThat = (holds: boolean, mismatch: string) => {
    if (!holds) throw new ClientError('UNSAFE', `the transaction differs from the request: ${mismatch}`)
  }
  const value = weiOf(route.tx)
  requireThat(isSameText(explanation.guard, contracts.guard), `it calls ${explanation.guard}, not the Guard`)
  requireThat(isSameText(route.tx.from, request.from), 'the sender')
  requireThat(isSameText(explanation.recipient, request.recipient ?? request.from), 'the recipient')
  requireThat(isSameText(explanation.tokenIn, request.src), 'the input token')
  requireThat(isSameText(explanation.tokenOut, request.dst), 'the output token')
  checkInput(explanation.amountIn, route, request, terms, requireThat)
  requireThat(value === (isSameText(request.src, NATIVE) ? explanation.amountIn : 0n), 'the value')
  requireThat(explanation.mode === 'custody' || terms.direct === true, 'direct mode, which was not requested')
  requireThat(
    includesAddress(explanation.executor, contracts.executors),
    `the Executor ${explanation.executor} is not known`,
  )
  const order = decodeSwap(route.tx.data, value)
  checkPermit(order, terms.permit, requireThat)
  checkRegistered(explanation, contracts, requireThat)
  checkFee(explanation, request, requireThat)
  checkDeadline(explanation.deadline, request.deadline, requireThat)
  checkOutput(explanation.minOutput, route, request, terms, requireThat)
  for (const excludedPool of request.excludePools ?? []) {
    requireThat(
      !includesAddress(excludedPool, [...explanation.pools, ...explanation.contracts]),
      `the pool ${excludedPool} was excluded`,
    )
  }
  const fault = findFlowFault(order, explanation.steps, route.swaps)
  requireThat(fault === undefined, fault ?? '')
  const unproven = checkProofs(explanation, route, request, contracts, terms)
  if (route.calls !== undefined) checkCalls(route, explanation.amountIn)
  const unknownAddresses = unproven.flatMap(({ isContract, pool, value }) => {
    if (!isContract) return []
    // A pool id may begin with the address of a contract, as in Balancer V2.
    const address = value.slice(0, ADDRESS_LENGTH)
    return pool.startsWith(address) ? [pool] : [pool, address]
  })
  return { ...explanation, unproven, unknownPools: [...new Set(unknownAddresses)] }
}

/** Throws if `holds` is false. `mismatch` names the difference between the transaction and the request. */
type RequireThat = (holds: boolean, mismatch: string) => void

/** Returns the unproven fields. @throws ClientError `UNSAFE` with all unproven fields that the terms do not accept */
function checkProofs(
  { steps }: Explanation,
  { swaps }: Route,
  { src, dst }: RouteParameters,
  contracts: SwapContracts,
  { accept = [], knownPools }: SwapTerms,
): readonly Unproven[] {
  const allUnproven = unprovenFields(steps, swaps, contracts, [src, dst])
  const acceptedContracts = { ...contracts, pools: [...(contracts.pools ?? []), ...accept] }
  const notAccepted = knownPools ? allUnproven : unprovenFields(steps, swaps, acceptedContracts, [src, dst])
  const refusedFields = knownPools === false ? notAccepted.filter(({ isContract }) => !isContract) : notAccepted
  if (refusedFields.length === 0) return allUnproven
  const names = [...new Set(refusedFields.map(({ field, value }) => `${field} ${value}`))]
  throw new ClientError(
    'UNSAFE',
    `nothing proves that these are safe: ${names.join(', ')}; exclude their pools by \`excludePools\`, or name them in \`accept\``,
  )
}

/** Checks the contracts that must be in a list of the chain, and the wrapper that the Guard uses. */
function checkRegistered({ wrapper, steps }: Explanation, contracts: SwapContracts, requireThat: RequireThat): void {
  requireThat(
    wrapper === null || (contracts.wrapper !== undefined && isSameText(wrapper, contracts.wrapper)),
    `the wrapper ${wrapper} is not known`,
  )
  const registeredFields = steps.flatMap(fieldsOf).filter(({ proof }) => proof === 'registry' || proof === 'wrapper')
  for (const field of registeredFields) {
    const name = field.proof === 'wrapper' ? 'wrapper' : field.field
    requireThat(isRegistered(field, contracts), `the ${name} ${addressIn(field)} is not known`)
  }
}

/**
 * Checks that the permit in the calldata equals the permit that the owner signed. The owner, spender and token of a
 * permit are not in the calldata: the Guard takes them from the swap.
 */
function checkPermit(
  { permit: actual }: GuardOrder,
  signedPermit: GuardPermit | undefined,
  requireThat: RequireThat,
): void {
  if (!signedPermit) {
    requireThat(actual === undefined, 'a signature, which was not asked for')
    return
  }
  requireThat(actual !== undefined, 'the signature is missing')
  for (const field of ['kind', 'amount', 'nonce', 'deadline'] as const)
    requireThat(actual?.[field] === signedPermit[field], `the ${field} of the signature`)
  requireThat(isSameText(actual?.signature ?? '', signedPermit.signature), 'the signature')
}

function checkFee({ fee }: Explanation, request: RouteParameters, requireThat: RequireThat): void {
  const ppm = toPpm(request.convenienceFee ?? 0)
  requireThat((fee?.ppm ?? 0n) === ppm, 'the fee')
  requireThat(!fee || isSameText(fee.recipient, request.convenienceFeeRecipient ?? ''), 'the fee recipient')
}

function checkDeadline(deadline: bigint, requestedDeadline: number | undefined, requireThat: RequireThat): void {
  requireThat(
    requestedDeadline === undefined
      ? deadline <= BigInt(latestDefaultDeadline())
      : deadline === BigInt(requestedDeadline),
    'the deadline',
  )
}

/** Checks that the input equals `amount` (for an exact output: `fromAmount`) and is at most `maxFromAmount`. */
function checkInput(
  amountIn: bigint,
  route: Route,
  request: RouteParameters,
  terms: SwapTerms,
  requireThat: RequireThat,
): void {
  const isExactOutput = request.amountOut !== undefined
  const statedAmount = isExactOutput ? amountOf(route.fromAmount, 'fromAmount') : amountOf(request.amount, 'amount')
  requireThat(amountIn === statedAmount && amountIn > 0n, 'the input amount')
  if (terms.maxFromAmount === undefined) return
  const limit = amountOf(terms.maxFromAmount, 'maxFromAmount')
  requireThat(amountIn <= limit, `the input ${amountIn} is above maxFromAmount ${limit}`)
}

/**
 * Checks that the minimum output equals `amountOut`, or the quoted output less slippage, and is at least `minToAmount`.
 */
function checkOutput(
  minOutput: bigint,
  route: Route,
  request: RouteParameters,
  terms: SwapTerms,
  requireThat: RequireThat,
): void {
  const slippage = request.slippage === 'auto' ? (route.slippage?.percent ?? 0) : request.slippage
  requireThat(
    request.slippage !== 'auto' || toPpm(slippage!) <= toPpm(MAX_AUTO_PERCENT),
    `a slippage of ${slippage} percent`,
  )
  const promisedAmount = deductSlippage(amountOf(route.toAmount, 'toAmount'), slippage)
  const minExpected = promisedAmount > 0n ? promisedAmount : 1n
  requireThat(
    minOutput === (request.amountOut === undefined ? minExpected : amountOf(request.amountOut, 'amountOut')),
    'the minimum output',
  )
  if (terms.minToAmount === undefined) return
  const minAccepted = amountOf(terms.minToAmount, 'minToAmount')
  requireThat(minOutput >= minAccepted, `the minimum output ${minOutput} is below minToAmount ${minAccepted}`)
}

function isSameText(a: string, b: string): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase()
}
