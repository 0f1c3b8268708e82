/** Tests that `verify` refuses every random mutation of an honest transaction that changes its outcome. */
import { encodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { decodeProgram, encodeProgram, type Step } from '@sluice/program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeSwap } from '../../src/abi.ts'
import type { Hex } from '../../src/index.ts'
import { type Stage, startStage } from '../service.ts'
import { approveAll, campaign } from './campaign.ts'
import { honestQuotes } from './genuine-quotes.ts'
import { changedOutcome, referenceOf } from './outcome.ts'

const LONG = process.env.LONG === '1'
let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

const plan = LONG
  ? { mutations: 20_000, seed: Date.now() >>> 0, runEvery: 50 }
  : { mutations: 300, seed: 1, runEvery: 3 }

test(`of ${plan.mutations} mutations, seed ${plan.seed}, none is accepted that changes an amount or a recipient`, async () => {
  const report = await campaign(stage, plan)
  expect(report.failures).toEqual([])
  expect(report.quotes).toBeGreaterThan(25)
  expect(report.refused).toBeGreaterThan(plan.mutations / 2)
  // Ensures that the mutations really change terms, and that executing them can do harm.
  expect(report.refusedForTerms).toBeGreaterThan(plan.mutations / 3)
  expect(report.refusedAndHarmful).toBeGreaterThan(0)
}, 600_000)

test('a check of the bytes only accepts other terms, which the test detects', async () => {
  const report = await campaign(stage, { mutations: 600, seed: 2, runEvery: 1_000_000 }, (route) =>
    decodeSwap(route.tx.data, BigInt(route.tx.value)),
  )
  expect(report.acceptedWithOtherTerms).toBeGreaterThan(100)
  expect(report.failures.length).toBeGreaterThan(0)
}, 600_000)

test('token movements of an executed transaction are detected', async () => {
  const { url } = stage.devnet
  const quotes = await honestQuotes(stage)
  await approveAll(stage, quotes)
  const { route } = quotes.find(({ name }) => name === 'a large split')!
  const honest = await referenceOf(url, route.tx)
  const changed = (change: Partial<GuardSwap>, steps: (of: readonly Step[]) => readonly Step[] = (of) => of) => {
    const { tokenIn, program } = honest.order
    const order = { ...honest.order, ...change, program: encodeProgram(steps(decodeProgram(program, tokenIn as Hex))) }
    return changedOutcome(url, { ...route.tx, data: encodeGuardSwap(order) }, honest)
  }
  const last = (output: Step['output']) => (steps: readonly Step[]) => [
    ...steps.slice(0, -1),
    { ...steps.at(-1)!, output },
  ]
  const untrusted: Hex = `0x${'57'.repeat(20)}`
  expect(await changed({})).toBeUndefined()
  // The output stays in the Executor, so the Guard reverts the transaction.
  expect(await changed({}, last({ kind: 'executor' }))).toBeUndefined()
  const minOutput = 1n
  expect(await changed({ minOutput }, last({ kind: 'executor' }))).toMatch(/less than the least/)
  const unchanged = { ...honest, order: { ...honest.order, minOutput } }
  const run = (change: Partial<GuardSwap>, output: Step['output']) => {
    const steps = last(output)(decodeProgram(honest.order.program, honest.order.tokenIn as Hex))
    const order = { ...honest.order, minOutput, ...change, program: encodeProgram(steps) }
    return changedOutcome(url, { ...route.tx, data: encodeGuardSwap(order) }, unchanged)
  }
  expect(await run({}, { kind: 'executor' })).toMatch(/is left at/)
  expect(await run({}, { kind: 'address', address: untrusted })).toMatch(/gets something/)
  expect(await run({ recipient: route.tx.from, feePpm: 10n, feeRecipient: untrusted }, { kind: 'recipient' })).toMatch(
    /gets something/,
  )
  expect(await run({ recipient: untrusted }, { kind: 'recipient' })).toMatch(/gets less than the least/)
}, 600_000)
