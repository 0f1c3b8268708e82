/**
 * Flow of a program: all of the input goes into the pools that the route names, in its order, and all
 * that comes out of them goes to the recipient. Amounts are followed where the bytes tell them; a remainder is left of none.
 */
import { type Step, shareOf, tradesOf } from '@sluice/program'
import { keccak256 } from './keccak.ts'
import type { GuardOrder } from './order.ts'
import { NATIVE, type SwapLeg } from './types.ts'

const NATIVE_ADDRESS = `0x${'0'.repeat(40)}`
const lower = (text: string): string =>
  text.toLowerCase() === NATIVE.toLowerCase() ? NATIVE_ADDRESS : text.toLowerCase()

/** Amount that the Executor holds of a token: base units, or null for an amount that only the pools know. */
type Held = bigint | null

/**
 * Long: one walk over the steps, and the functions inside that change what it keeps.
 *
 * @param value - wei that come with the call
 * @returns what is wrong with it; undefined where everything arrives
 */
export function faultOf(
  order: GuardOrder,
  steps: readonly Step[],
  swaps: readonly SwapLeg[],
  value: bigint,
): string | undefined {
  const legs = [...swaps]
  const held = new Map<string, Held>()
  /** Pools that were paid ahead, with the token. */
  const prepaid = new Map<string, string>()
  let left = order.amountIn
  /** Tokens that the recipient is paid in. */
  const paid = new Set<string>()
  // Native input that the Guard does not wrap comes to the Executor as it is.
  if (value > 0n && order.tokenIn === NATIVE_ADDRESS) {
    held.set(NATIVE_ADDRESS, value)
    left = 0n
  }
  const targets: readonly string[] =
    order.tokenOut === NATIVE_ADDRESS ? [NATIVE_ADDRESS, order.wrapper] : [order.tokenOut]

  for (const [index, step] of steps.entries()) {
    const tokenOut = follow(step, index === 0)
    if (tokenOut === undefined) return 'the pools'
    const amount = take(step)
    if (amount === undefined) return `what step ${index + 1} takes`
    const { output } = step
    if (output.kind === 'address') {
      if (prepaid.has(output.address)) return 'a pool is paid ahead twice'
      prepaid.set(output.address, tokenOut)
    } else if (output.kind === 'recipient') {
      if (!targets.includes(tokenOut)) return `step ${index + 1} pays the recipient another token`
      paid.add(tokenOut)
    } else {
      const before = held.has(tokenOut) ? held.get(tokenOut)! : 0n
      // One to one; what any other pool gives is not in the bytes.
      const gained = step.op === 'wrap' || step.op === 'unwrap' ? amount : null
      held.set(tokenOut, before === null || gained === null ? null : before + gained)
    }
  }
  if (legs.length > 0) return 'the pools'
  if (left > 0n) return 'the program leaves input with the sender'
  if (prepaid.size > 0) return 'a step pays a stranger'
  if ([...held.values()].some((amount) => amount !== 0n)) return 'the program leaves tokens in the Executor'
  if (order.wrapper !== NATIVE_ADDRESS && !paid.has(order.wrapper)) return 'the Guard is to unwrap what nobody pays it'
  return paid.size > 0 ? undefined : 'nothing is paid out'

  /** The step's output token, where its hops are the route's next legs. */
  function follow(step: Step, first: boolean): string | undefined {
    let tokenOut: string | undefined
    for (const hop of tradesOf(step, keccak256)) {
      const leg = legs[0]
      const named =
        leg !== undefined &&
        leg.pool.toLowerCase() === hop.pool &&
        lower(leg.tokenIn) === hop.tokenIn &&
        (hop.tokenOut === undefined || lower(leg.tokenOut) === hop.tokenOut)
      if (named) tokenOut = lower(legs.shift()!.tokenOut)
      if (named && 'zeroForOne' in step && step.zeroForOne !== hop.tokenIn < tokenOut!) return undefined
      if (named) continue
      // The Executor's wrap of a part of native input is no leg of the route.
      if (step.op !== 'wrap' || !first) return undefined
      tokenOut = hop.tokenOut
    }
    return tokenOut
  }

  /** Takes a step's input from where it is; undefined where it is not there. */
  function take({ input, tokenIn, ...step }: Step): Held | undefined {
    switch (input.kind) {
      case 'pull':
      case 'pullAll': {
        const amount = input.kind === 'pull' ? input.amount : order.amountIn
        if (tokenIn !== order.tokenIn || amount === 0n || amount > left) return undefined
        left -= amount
        return amount
      }
      case 'atPool': {
        const at = 'pool' in step ? step.pool : ''
        if (prepaid.get(at) !== tokenIn) return undefined
        prepaid.delete(at)
        return null
      }
    }
    const there = held.get(tokenIn)
    if (there === undefined || there === 0n) return undefined
    if (input.kind === 'rest') {
      held.delete(tokenIn)
      return there
    }
    if (input.kind === 'held') {
      // Of an unknown amount a fixed part can be more than there is, or leave any remainder.
      if (there === null || input.amount === 0n || input.amount > there) return undefined
      held.set(tokenIn, there - input.amount)
      return input.amount
    }
    if (there === null) return null
    const part = shareOf(there, input.share)
    held.set(tokenIn, there - part)
    return part
  }
}
