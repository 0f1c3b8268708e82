/**
 * Checks the token flow of a program: all input must go through the route's pools, in order, and all output must go to
 * the recipient. Nothing may remain in the Executor. Tracks amounts as far as the program's bytes determine them.
 */
import { type Step, shareOf, tradesOf } from '@sluice/program'
import { keccak256 } from './keccak.ts'
import type { GuardOrder } from './order.ts'
import { NATIVE, type SwapLeg } from './types.ts'

const NATIVE_ADDRESS = `0x${'0'.repeat(40)}`
const normalizeToken = (text: string): string =>
  text.toLowerCase() === NATIVE.toLowerCase() ? NATIVE_ADDRESS : text.toLowerCase()

/** Balance of the Executor in base units; null if it is unknown, because it depends on the output of a pool. */
type Balance = bigint | null

/**
 * Finds a fault in the token flow. Long: the nested functions share the state of the loop over the steps.
 *
 * @param order - order whose fields are proven; if its input is native, the call carries it as value
 * @returns description of the first fault; undefined if there is none
 */
export function findFlowFault(
  order: GuardOrder,
  steps: readonly Step[],
  swaps: readonly SwapLeg[],
): string | undefined {
  const remainingLegs = [...swaps]
  const balances = new Map<string, Balance>()
  /** Input token by pool, for pools that an earlier step has paid directly. */
  const prepaidTokenByPool = new Map<string, string>()
  let remainingInput = order.amountIn
  /** Tokens paid to the recipient. */
  const paidTokens = new Set<string>()
  // If the Guard does not wrap native input, the Executor receives it as value.
  if (order.tokenIn === NATIVE_ADDRESS) {
    balances.set(NATIVE_ADDRESS, order.amountIn)
    remainingInput = 0n
  }
  /** Tokens that a step may pay to the recipient. For native output, the Guard may unwrap the wrapper instead. */
  const payoutTokens: readonly string[] =
    order.tokenOut === NATIVE_ADDRESS ? [NATIVE_ADDRESS, order.wrapper] : [order.tokenOut]

  for (const [index, step] of steps.entries()) {
    const tokenOut = takeLegsOf(step, index === 0)
    if (tokenOut === undefined) return 'the pools'
    const amount = takeInputOf(step)
    if (amount === undefined) return `what step ${index + 1} takes`
    const { output } = step
    if (output.kind === 'address') {
      if (prepaidTokenByPool.has(output.address)) return 'a pool is paid ahead twice'
      prepaidTokenByPool.set(output.address, tokenOut)
    } else if (output.kind === 'recipient') {
      if (!payoutTokens.includes(tokenOut)) return `step ${index + 1} pays the recipient another token`
      paidTokens.add(tokenOut)
    } else {
      const balanceBefore = balances.has(tokenOut) ? balances.get(tokenOut)! : 0n
      // Wrapping and unwrapping do not change the amount. The output of any other operation is unknown.
      const gainedAmount = step.op === 'wrap' || step.op === 'unwrap' ? amount : null
      balances.set(tokenOut, balanceBefore === null || gainedAmount === null ? null : balanceBefore + gainedAmount)
    }
  }
  if (remainingLegs.length > 0) return 'the pools'
  if (remainingInput > 0n) return 'the program leaves input with the sender'
  if (prepaidTokenByPool.size > 0) return 'a step pays a stranger'
  if ([...balances.values()].some((amount) => amount !== 0n)) return 'the program leaves tokens in the Executor'
  if (order.wrapper !== NATIVE_ADDRESS && !paidTokens.has(order.wrapper))
    return 'the Guard is to unwrap what nobody pays it'
  return paidTokens.size > 0 ? undefined : 'nothing is paid out'

  /** Returns the step's output token; undefined if its hops are not the route's next legs. */
  function takeLegsOf(step: Step, isFirstStep: boolean): string | undefined {
    let tokenOut: string | undefined
    for (const hop of tradesOf(step, keccak256)) {
      const leg = remainingLegs[0]
      const isListedLeg =
        leg !== undefined &&
        leg.pool.toLowerCase() === hop.pool &&
        normalizeToken(leg.tokenIn) === hop.tokenIn &&
        (hop.tokenOut === undefined || normalizeToken(leg.tokenOut) === hop.tokenOut)
      if (isListedLeg) tokenOut = normalizeToken(remainingLegs.shift()!.tokenOut)
      if (isListedLeg && 'zeroForOne' in step && step.zeroForOne !== hop.tokenIn < tokenOut!) return undefined
      if (isListedLeg) continue
      // If the first step wraps part of the native input, it has no leg in the route.
      if (step.op !== 'wrap' || !isFirstStep) return undefined
      tokenOut = hop.tokenOut
    }
    return tokenOut
  }

  /** Deducts a step's input from its source. Returns undefined if the source does not hold it. */
  function takeInputOf({ input, tokenIn, ...step }: Step): Balance | undefined {
    switch (input.kind) {
      case 'pull':
      case 'pullAll': {
        const amount = input.kind === 'pull' ? input.amount : order.amountIn
        // The token needs no check: a step that pulls always pulls the order's input token.
        if (amount === 0n || amount > remainingInput) return undefined
        remainingInput -= amount
        return amount
      }
      case 'atPool': {
        const poolAddress = 'pool' in step ? step.pool : ''
        if (prepaidTokenByPool.get(poolAddress) !== tokenIn) return undefined
        prepaidTokenByPool.delete(poolAddress)
        return null
      }
    }
    const balance = balances.get(tokenIn)
    if (balance === undefined || balance === 0n) return undefined
    if (input.kind === 'rest') {
      balances.delete(tokenIn)
      return balance
    }
    if (input.kind === 'held') {
      // With an unknown balance, a fixed amount could exceed it, or leave a remainder in the Executor.
      if (balance === null || input.amount === 0n || input.amount > balance) return undefined
      balances.set(tokenIn, balance - input.amount)
      return input.amount
    }
    if (balance === null) return null
    const share = shareOf(balance, input.share)
    balances.set(tokenIn, balance - share)
    return share
  }
}
