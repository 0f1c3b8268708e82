/**
 * Differential fuzz of the Guard against a reference implementation (model/guard.ts). `npm run bench -- contracts guard-model` runs the same with
 * 1,000,000 calls of each build and with all mutants.
 */
import { bytecode } from '@sluice/bindings/bytecode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Arena } from './model/arena.ts'
import { compileMutant, guardMutants } from './model/guard-code.ts'

const LONG = process.env.LONG === '1'
const CALLS = LONG ? 50_000 : 2_000
const SEED = Number(process.env.SEED ?? 20_41)
/** Calls until a mutant must be noticed. */
const CALLS_OF_A_MUTANT = 5_000
const NOTICED = [
  'the Guard can be entered again',
  'anyone may pull',
  'a pull is not counted',
  'one unit too little passes',
  'a tax on the way to the sender is not seen',
  'strays at the Guard count as output',
  'direct mode measures the sender',
  'the loan outlives the swap',
  'the lock outlives the swap',
  'nothing is locked while a permit is taken',
  'a permit of Permit2 is drawn by an approval',
  'an answer of false is true',
]
/** Number of these mutants in the daily profile. */
const DAILY = 2
/** Errors that random calls from outside must meet. */
const ERRORS = [
  ...['Expired', 'ZeroAmount', 'InvalidValue', 'SameToken', 'InvalidExecutor', 'InvalidWrapper', 'FeeTooHigh'],
  ...['DirectNative', 'InvalidFeeRecipient', 'InvalidRecipient', 'OutputTooLow', 'WrapMismatch', 'NotExecutor'],
  ...['InvalidPull', 'UnexpectedNative', 'TransferFailed', 'NativeTransferFailed', 'ReadFailed', 'Reentrancy'],
  ...['AllowanceExpired', 'InsufficientAllowance', 'NoAllowance'],
]

let arena: Arena
beforeAll(async () => {
  arena = await Arena.start()
})
afterAll(() => arena?.stop())

describe('the Guard', () => {
  test.each([
    ['cancun', bytecode.Guard.runtime],
    ['london', bytecode.GuardLondon.runtime],
  ] as const)(
    'has the results and state of its reference for any calls, in the %s build',
    async (build, code) => {
      const { tally, difference } = await arena.run({ code, build, calls: CALLS, seed: SEED })
      expect(difference).toBeUndefined()
      // The cases are not vacuous: half of the swaps succeed, by each function, and each refusal is met.
      expect(tally.calls).toBeGreaterThanOrEqual(CALLS)
      expect(tally.succeeded).toBeGreaterThan(tally.swaps / 3)
      expect(tally.answers).toBeGreaterThan(tally.calls)
      expect(Object.keys(tally.functions)).toHaveLength(6)
      for (const times of Object.values(tally.functions)) expect(times).toBeGreaterThan(CALLS / 50)
      expect(Object.keys(tally.errors)).toEqual(expect.arrayContaining(ERRORS))
    },
    LONG ? 900_000 : 180_000,
  )
})

describe('on a chain without Permit2', () => {
  const run = { build: 'cancun', calls: 1_000, seed: SEED, hasPermit2: false } as const

  test('the Guard has the results of its reference', async () => {
    expect((await arena.run({ ...run, code: bytecode.Guard.runtime })).difference).toBeUndefined()
  })

  test('the reference differs from a Guard that accepts a call to an account without code as a draw', async () => {
    const name = 'a chain without Permit2 seems to have drawn'
    const code = compileMutant(guardMutants.find((mutant) => mutant.name === name)!, 'cancun')
    expect((await arena.run({ ...run, code, calls: CALLS_OF_A_MUTANT })).difference).toBeDefined()
  })
})

describe('the reference', () => {
  test('matches unmutated code that is compiled like the mutants', async () => {
    const code = compileMutant({ name: 'none', file: 'core/GuardCore.sol', from: '', to: '' }, 'cancun')
    expect((await arena.run({ code, build: 'cancun', calls: 1_000, seed: SEED })).difference).toBeUndefined()
  })

  async function expectDifference(name: string): Promise<void> {
    const code = compileMutant(guardMutants.find((mutant) => mutant.name === name)!, 'cancun')
    expect((await arena.run({ code, build: 'cancun', calls: CALLS_OF_A_MUTANT, seed: SEED })).difference).toBeDefined()
  }
  test.each(NOTICED.slice(0, DAILY))('differs from a Guard in which %s', expectDifference)
  test.each(NOTICED.slice(DAILY))('differs from a Guard in which %s', { tags: 'long' }, expectDifference)
})
