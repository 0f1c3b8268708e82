/**
 * Builds the steps of the Executor (the contract that swaps) from the legs of a route. The Guard, the entry contract,
 * calls the Executor.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { DexFamily } from '@sluice/liquidity'
import { acceptsPrepayment, type Step, type StepInput, type StepOutput, toShare } from '@sluice/program'
import { takesNative } from '../native.ts'
import type { Leg, RoutePlan } from '../types.ts'
import { EncodeError } from './errors.ts'
import { mergeHops } from './merge.ts'
import { nativeInputOf, tradedTokensOf, wrapSteps } from './native.ts'

/** The part of a DEX family that encoding needs. */
export type StepMaker = Pick<DexFamily, 'step'>

/**
 * Inputs of the encoding of a route in addition to the route: the wrapper of the native token, and step makers by
 * family id.
 */
export type StepContext = {
  readonly wrappedNative: Address | null
  readonly families: ReadonlyMap<string, StepMaker>
}

/** Receiver of the output token: the Guard, or in direct mode the recipient of the swap. */
const DESTINATION: StepOutput = { kind: 'recipient' }

/**
 * Builds the steps of a route's legs. Legs that sell the input token pull their exact amount from the sender. Legs that
 * sell another token take a share of the Executor's balance, and the last of them takes the remaining balance.
 *
 * @throws EncodeError if the legs do not add up to the route
 */
export function buildSteps(route: RoutePlan, context: StepContext): readonly Step[] {
  const { wrappedNative, families } = context
  if (route.legs.length === 0) return [wrapStep(route, context)]

  const sourceTokens = tradedTokensOf(route.tokenIn, wrappedNative)
  const targetTokens = tradedTokensOf(route.tokenOut, wrappedNative)
  checkLegs(route, sourceTokens)
  checkNothingStays(route, [...sourceTokens, ...targetTokens])

  const takesNativeCoin = takesNative(route.legs, route)
  const prepaidLegByToken = prepaidLegs(route.legs, [...sourceTokens, ...targetTokens])
  const steps = route.legs.map((leg) => {
    const prepaidLeg = prepaidLegByToken.get(leg.tokenOut)
    const output: StepOutput = targetTokens.includes(leg.tokenOut)
      ? DESTINATION
      : prepaidLeg
        ? { kind: 'address', address: prepaidLeg.pool.address }
        : { kind: 'executor' }
    const input =
      prepaidLegByToken.get(leg.tokenIn) === leg
        ? ({ kind: 'atPool' } as const)
        : !sourceTokens.includes(leg.tokenIn)
          ? shareInputOf(leg)
          : takesNativeCoin
            ? nativeInputOf(leg, route)
            : pulledInputOf(leg, route)
    return familyOf(leg, families).step(leg.pool, leg.tokenIn, leg.tokenOut, input, output)
  })
  const mergedSteps = mergeHops(steps, route.legs)
  return takesNativeCoin ? [...wrapSteps(route, requireWrapped(wrappedNative)), ...mergedSteps] : mergedSteps
}

/** Builds the step of a route without legs, which wraps or unwraps the native token. */
function wrapStep({ tokenIn, tokenOut }: RoutePlan, { wrappedNative }: StepContext): Step {
  const wrapped = requireWrapped(wrappedNative)
  if (tokenIn === NATIVE && tokenOut === wrapped)
    return { op: 'wrap', tokenIn: ZERO_ADDRESS, wrapped, input: { kind: 'rest' }, output: DESTINATION }
  if (tokenIn === wrapped && tokenOut === NATIVE)
    return { op: 'unwrap', tokenIn: wrapped, input: { kind: 'pullAll' }, output: DESTINATION }
  throw new EncodeError('INVALID_ROUTE', `a route from ${tokenIn} to ${tokenOut} needs legs`)
}

const pulledInputOf = ({ amountIn }: Leg, route: RoutePlan): StepInput =>
  amountIn === route.amountIn ? { kind: 'pullAll' } : { kind: 'pull', amount: amountIn }

const shareInputOf = ({ num, den }: Leg): StepInput =>
  num === den ? { kind: 'rest' } : { kind: 'share', share: toShare(num, den) }

/**
 * Returns the prepaid legs by the intermediate token that they sell. A prepaid leg is the only leg that sells the token
 * or uses the pool, and the pool measures its own input. Legs that buy the token pay the pool directly, which saves a
 * transfer.
 */
function prepaidLegs(legs: readonly Leg[], ends: readonly (Address | null)[]): ReadonlyMap<Address, Leg> {
  const legByToken = new Map<Address, Leg>()
  for (const leg of legs) {
    const { tokenIn, pool } = leg
    if (ends.includes(tokenIn) || !acceptsPrepayment(pool.family)) continue
    const isOnlyUser = legs.every((other) => other === leg || (other.tokenIn !== tokenIn && other.pool.id !== pool.id))
    if (isOnlyUser) legByToken.set(tokenIn, leg)
  }
  return legByToken
}

/** Checks that the legs sell the whole input and do not buy it back. */
function checkLegs({ legs, amountIn, tokenIn }: RoutePlan, sourceTokens: readonly (Address | null)[]): void {
  if (legs.some((leg) => sourceTokens.includes(leg.tokenOut)))
    throw new EncodeError('INVALID_ROUTE', `a leg buys the input token ${tokenIn} back`)
  const soldAmount = legs.reduce((sum, leg) => (sourceTokens.includes(leg.tokenIn) ? sum + leg.amountIn : sum), 0n)
  if (soldAmount !== amountIn)
    throw new EncodeError('INVALID_ROUTE', `the legs out of ${tokenIn} take ${soldAmount} of ${amountIn}`)
}

/**
 * Checks that nothing stays in the Executor, where anybody could take it. For every intermediate token, the last leg
 * must take the whole balance, and no leg may produce more of it afterwards.
 */
function checkNothingStays({ legs }: RoutePlan, ends: readonly (Address | null)[]): void {
  for (const token of new Set(legs.map(({ tokenOut }) => tokenOut))) {
    if (ends.includes(token)) continue
    const lastSellingIndex = legs.findLastIndex(({ tokenIn }) => tokenIn === token)
    const takesAll = lastSellingIndex !== -1 && legs[lastSellingIndex]!.num === legs[lastSellingIndex]!.den
    if (!takesAll || lastSellingIndex < legs.findLastIndex(({ tokenOut }) => tokenOut === token))
      throw new EncodeError('INVALID_ROUTE', `the legs would leave some of ${token} in the Executor`)
  }
}

function familyOf({ pool }: Leg, families: ReadonlyMap<string, StepMaker>): StepMaker {
  const family = families.get(pool.family)
  if (!family) throw new EncodeError('UNKNOWN_FAMILY', `pool ${pool.id} is of the unknown family ${pool.family}`)
  return family
}

function requireWrapped(wrapped: Address | null): Address {
  if (wrapped === null) throw new EncodeError('INVALID_ROUTE', 'this chain has no wrapped native token')
  return wrapped
}
