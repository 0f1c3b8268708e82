/** Describes steps. A step is one instruction of the program that the Executor contract runs. */
import type { Explanation } from '@sluice/client'
import { opOf, SHARE_DENOMINATOR, singletonOf, tradesOf } from '@sluice/program'

export type DecodedStep = Explanation['steps'][number]

export const titleOf = (step: DecodedStep): string => opOf(step).title

export type InputText = { readonly baseUnits?: bigint; readonly text: string }

/**
 * Describes the input of a step. `baseUnits` is the amount to show before the text; absent if the bytes contain no
 * amount.
 */
export function inputTextOf({ input }: DecodedStep, symbol: string): InputText {
  switch (input.kind) {
    case 'pull':
      return { baseUnits: input.amount, text: `${symbol} from you` }
    case 'pullAll':
      return { text: `all ${symbol} from you` }
    case 'held':
      return { baseUnits: input.amount, text: symbol }
    case 'share':
      return {
        text: `${((input.share / SHARE_DENOMINATOR) * 100).toFixed(1)} % of the ${symbol} held`,
      }
    case 'rest':
      return { text: `all ${symbol} held` }
    case 'atPool':
      return { text: `${symbol}, already at the pool` }
  }
}

export function outputTextOf({ output }: DecodedStep, mode: Explanation['mode']): string {
  if (output.kind === 'executor') return 'kept by the Executor'
  if (output.kind === 'address') return 'straight to the next pool'
  return mode === 'custody' ? 'to the Guard (held for you)' : 'straight to you'
}

/** Returns the parties that a step takes tokens from and sends tokens to. A party is null if it is another pool. */
export function partiesOf({ input, output }: DecodedStep, mode: Explanation['mode']) {
  const from = input.kind === 'pull' || input.kind === 'pullAll' ? 'guard' : input.kind === 'atPool' ? null : 'executor'
  const to =
    output.kind === 'address' ? null : output.kind === 'executor' ? 'executor' : mode === 'custody' ? 'guard' : 'you'
  return { from, to } as const
}

/** Returns the pool's address, or the address of the singleton that holds the pool. */
export function poolOrSingletonOf(step: DecodedStep): string {
  // `tradesOf` hashes only the keys of pools in a singleton. This step has none, so the hash function is never called.
  return singletonOf(step) ?? tradesOf(step, () => '0x')[0]!.pool
}
