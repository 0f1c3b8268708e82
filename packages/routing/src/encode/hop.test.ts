import type { Pool } from '@sluice/liquidity'
import { decodeProgram, ProgramError, type Step } from '@sluice/program'
import { describe, expect, test } from 'vitest'
import { address, executor, pool, tokenA, tokenB } from '../testing/encode-routes.ts'
import { EncodeError } from './errors.ts'
import { hopPrograms, type StepMaker } from './index.ts'

/** Encodes each hop as one of Uniswap v2, regardless of the pool's family. */
const v2: StepMaker = {
  step: ({ address }, tokenIn, tokenOut, input, output): Step =>
    ({
      ...{ op: 'uniswap-v2', pool: address, tokenIn, tokenOut, zeroForOne: true, feePpm: 3_000, input, output },
    }) as Step,
}
const programs = (of: Pool, family = v2) => hopPrograms(of, [tokenA, tokenB], family, executor)
const [prepaid, other] = [pool('uniswap-v2', '5', tokenA, tokenB), pool('uniswap-v3', '6', tokenA, tokenB)]
/** Refuses the steps for which `isRefused` is true. */
const refusing = (error: Error, isRefused: (kind: string) => boolean): StepMaker => ({
  step: (...args) => {
    if (isRefused(args[3].kind)) throw error
    return v2.step(...args)
  },
})

describe('programs of one hop', () => {
  test.each([
    ['measures its input: the hop before pays it', prepaid, 'atPool', prepaid.address],
    ['takes its input from the Executor', other, 'rest', executor],
  ] as const)('of a pool that %s', (_, of, input, holder) => {
    const { first, middle, last } = programs(of)
    const decoded = [first, middle, last].map((hop) => {
      const [step, ...otherSteps] = decodeProgram(hop!.program, tokenA)
      expect(otherSteps).toEqual([])
      return [step!.input.kind, step!.output.kind, hop!.holder]
    })
    expect(decoded).toEqual([
      ['pullAll', 'executor', null],
      [input, 'executor', holder],
      [input, 'recipient', holder],
    ])
  })

  test.each([
    ['the encoder refuses', new EncodeError('INVALID_ROUTE', 'no')],
    ['the program cannot express', new ProgramError('INVALID_STEP', 'no')],
  ])('are null for a place that %s', (_, error) => {
    const { first, middle, last } = programs(
      prepaid,
      refusing(error, (kind) => kind === 'atPool'),
    )
    expect(first).not.toBeNull()
    expect([middle, last]).toEqual([null, null])
    expect(
      programs(
        prepaid,
        refusing(error, () => true),
      ),
    ).toEqual({ first: null, middle: null, last: null })
  })

  test('do not hide other errors', () => {
    const failing = refusing(new TypeError('a fault'), () => true)
    expect(() => programs({ ...other, address: address('7') }, failing)).toThrow('a fault')
  })
})
