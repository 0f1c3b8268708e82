import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Step } from '@sluice/program'
import type { Route } from '../types.ts'

/**
 * Legs know the wrapper alone at the ends of a route, and reach pools of the native token through a leg that unwraps or wraps.
 * These steps leave that out: such pools take what the sender brings as it came, and pay native out as it is.
 */
export function withoutDetours(steps: readonly Step[], { tokenIn, tokenOut }: Route): readonly Step[] {
  if (tokenIn === NATIVE) return nativeAsBrought(steps)
  return tokenOut === NATIVE ? nativeAsPaid(steps) : steps
}

/** Whether the Guard is to wrap what the sender brings, or to unwrap what steps pay it. */
export function needsWrapper(steps: readonly Step[], { tokenIn, tokenOut }: Route): boolean {
  if (tokenIn === NATIVE) return steps.some(isPulled)
  return tokenOut === NATIVE && steps.some((step) => step.output.kind === 'recipient' && !givesNative(step))
}

/** The Executor gets all of the input as native, and wraps what pools of the wrapper take of it. */
function nativeAsBrought(steps: readonly Step[]): readonly Step[] {
  const isDetour = (step: Step) => step.op === 'unwrap' && isPulled(step)
  const detour = steps.find(isDetour)
  if (!detour) return steps
  const wrapped = detour.tokenIn
  const amount = steps.reduce((sum, step) => (isDetour(step) ? sum : sum + pulled(step)), 0n)
  const rest = steps.filter((step) => !isDetour(step)).map(fromHeld)
  if (amount === 0n) return rest
  const input = { kind: 'held', amount } as const
  return [{ op: 'wrap', tokenIn: ZERO_ADDRESS, wrapped, input, output: { kind: 'executor' } }, ...rest]
}

/** Pools of the native token pay the Guard, where all that they pay is the route's output. */
function nativeAsPaid(steps: readonly Step[]): readonly Step[] {
  const takers = steps.filter(({ tokenIn }) => tokenIn === ZERO_ADDRESS)
  const [detour] = takers
  if (takers.length !== 1 || detour?.op !== 'wrap' || detour.output.kind !== 'recipient') return steps
  return steps
    .filter((step) => step !== detour)
    .map((step) =>
      givesNative(step) && step.output.kind === 'executor' ? { ...step, output: { kind: 'recipient' } } : step,
    )
}

/** Whether a step pays native token out; families that do not name their output never do. */
function givesNative(step: Step): boolean {
  if (step.op === 'unwrap') return true
  if ('hops' in step) return step.hops.at(-1)?.tokenOut === ZERO_ADDRESS
  return 'tokenOut' in step && step.tokenOut === ZERO_ADDRESS
}

const isPulled = ({ input }: Step) => input.kind === 'pull' || input.kind === 'pullAll'

/** Base units. A step that pulls all is the only one that pulls. */
const pulled = ({ input }: Step) => (input.kind === 'pull' ? input.amount : 0n)

const fromHeld = (step: Step): Step =>
  step.input.kind === 'pull' ? { ...step, input: { kind: 'held', amount: step.input.amount } } : step
