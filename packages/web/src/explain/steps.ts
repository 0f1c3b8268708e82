/** An instruction of the Executor in words. */
import type { Explanation } from '@sluice/client'
import { opOf, SHARE_DENOMINATOR, singletonOf, tradesOf } from '@sluice/program'

export type Step = Explanation['steps'][number]

export const titleOf = (step: Step): string => opOf(step).title

export type Taken = { readonly before: string; readonly base?: bigint; readonly after: string }

/** Input of a step in words, around an amount where the bytes have one. */
export function takes({ input }: Step, symbol: string): Taken {
  switch (input.kind) {
    case 'pull':
      return { before: '', base: input.amount, after: `${symbol} from you` }
    case 'pullAll':
      return { before: '', after: `all ${symbol} from you` }
    case 'held':
      return { before: '', base: input.amount, after: symbol }
    case 'share':
      return { before: '', after: `${((input.share / SHARE_DENOMINATOR) * 100).toFixed(1)} % of the ${symbol} held` }
    case 'rest':
      return { before: '', after: `all ${symbol} held` }
    case 'atPool':
      return { before: '', after: `${symbol}, already at the pool` }
  }
}

export function gives({ output }: Step, mode: Explanation['mode']): string {
  if (output.kind === 'executor') return 'kept by the Executor'
  if (output.kind === 'address') return 'straight to the next pool'
  return mode === 'custody' ? 'to the Guard (held for you)' : 'straight to you'
}

/** Between which parties value goes, in and out. */
export function lanes({ input, output }: Step, mode: Explanation['mode']) {
  const from = input.kind === 'pull' || input.kind === 'pullAll' ? 'guard' : input.kind === 'atPool' ? null : 'executor'
  const to =
    output.kind === 'address' ? null : output.kind === 'executor' ? 'executor' : mode === 'custody' ? 'guard' : 'you'
  return { from, to } as const
}

/** The pool's own address, or that of the contract that holds it. */
export function placeOf(step: Step): string {
  // Pools told by a hash stand in a singleton: none is asked for.
  return singletonOf(step) ?? tradesOf(step, () => '0x')[0]!.pool
}
