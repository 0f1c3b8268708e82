/**
 * Builds programs (bytecode of the Executor, the contract that swaps) of a single hop. With them, the gas of the hop is
 * measured at each position of a route.
 */
import type { Address, Hex } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { acceptsPrepayment, encodeProgram, ProgramError, type StepInput, type StepOutput } from '@sluice/program'
import { EncodeError } from './errors.ts'
import type { StepMaker } from './steps.ts'

/**
 * A program, and the account that holds the input before the program runs. The account is null if the program pulls the
 * input from the sender.
 */
type HopProgram = { readonly program: Hex; readonly holder: Address | null }

/** Programs by the hop's position in a route; null if the family's operation cannot be at this position. */
type HopPrograms = {
  readonly first: HopProgram | null
  readonly middle: HopProgram | null
  readonly last: HopProgram | null
}

/**
 * Builds the programs of a hop. A prepaid pool measures its own input. In the middle and at the end of a route, it
 * already holds its input, because the hop before paid it. Other pools take their input from the Executor.
 */
export function hopPrograms(
  pool: Pool,
  [tokenIn, tokenOut]: readonly [Address, Address],
  family: StepMaker,
  executor: Address,
): HopPrograms {
  const inputAfterHop = acceptsPrepayment(pool.family)
    ? { input: { kind: 'atPool' } as const, holder: pool.address }
    : { input: { kind: 'rest' } as const, holder: executor }
  const programOf = (input: StepInput, output: StepOutput, holder: Address | null): HopProgram | null => {
    try {
      return { program: encodeProgram([family.step(pool, tokenIn, tokenOut, input, output)]), holder }
    } catch (error) {
      if (error instanceof ProgramError || error instanceof EncodeError) return null
      throw error
    }
  }
  return {
    first: programOf({ kind: 'pullAll' }, { kind: 'executor' }, null),
    middle: programOf(inputAfterHop.input, { kind: 'executor' }, inputAfterHop.holder),
    last: programOf(inputAfterHop.input, { kind: 'recipient' }, inputAfterHop.holder),
  }
}
