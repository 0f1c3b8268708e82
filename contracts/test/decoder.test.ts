import { IExecutor__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { decodeProgram, encodeProgram, type Step } from '@sluice/program'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputKinds, opcodes } from '../../packages/program/src/format.ts'
import { step } from '../../packages/program/src/testing/arbitrary.ts'

const CASES = process.env.LONG === '1' ? 50_000 : 3_000
const BATCH = 250
const EXECUTOR = `0x${'ee'.repeat(20)}`
const executor = IExecutor__factory.createInterface()
const TASK = { tokenIn: `0x${'aa'.repeat(20)}`, amountIn: 1n, recipient: `0x${'bb'.repeat(20)}` }
/** What the Executor says when it refuses the bytes themselves. */
const refusals = ['UnknownOpcode', 'InvalidStep', 'ProgramTooShort'].map((name) => executor.getError(name)!.selector)
let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil()
  await post({ jsonrpc: '2.0', id: 1, method: 'anvil_setCode', params: [EXECUTOR, bytecode.Executor.runtime] })
})
afterAll(() => anvil?.stop())

async function post(body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(anvil.url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

/** Code that answers every call with the number one. */
const ANSWERS_ONE = '0x600160005260206000f3'

/**
 * The one token that a program needs code at to come as far as a refusal: a curve pool that is paid ahead looks at its
 * balance before it refuses an input that was paid ahead already.
 */
function overrides(program: string): object[] {
  const [opcode, flags] = [Number(`0x${program.slice(2, 4)}`), Number(`0x${program.slice(4, 6) || '0'}`)]
  if (opcode !== opcodes.curve || (flags & 7) !== inputKinds.indexOf('atPool')) return []
  return [{ [`0x${program.slice(6, 46).padEnd(40, '0')}`]: { code: ANSWERS_ONE } }]
}

/** Revert data that the programs end in. Nothing else at their addresses has code, so each fails at its first step. */
async function errorsOf(programs: readonly string[]): Promise<string[]> {
  const calls = programs.map((program, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_call',
    params: [
      { to: EXECUTOR, data: executor.encodeFunctionData('execute', [TASK, program]) },
      'latest',
      ...overrides(program),
    ],
  }))
  const answers = (await post(calls)) as { id: number; result?: string; error?: { data?: string } }[]
  return answers.sort((a, b) => a.id - b.id).map(({ error, result }) => (result ? 'none' : (error?.data ?? '0x')))
}

/** Whether the first step is whole and sensible, by the reference decoder: some beginning of the bytes is a program. */
function firstStepDecodes(bytes: string): boolean {
  for (let end = 4; end <= bytes.length; end += 2) {
    try {
      decodeProgram(bytes.slice(0, end))
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'INVALID_PROGRAM' })
    }
  }
  return false
}

/** Steps, steps with a byte or their input kind changed, steps cut short or run on, and noise. */
const bytes = fc.oneof(
  step.map((one) => encodeProgram([one])),
  fc.tuple(step, fc.nat(), fc.nat({ max: 255 })).map(([one, at, value]) => {
    const buffer = Buffer.from(encodeProgram([one]).slice(2), 'hex')
    buffer[at % Math.min(buffer.length, 24)] = value
    return `0x${buffer.toString('hex')}`
  }),
  fc.tuple(step, fc.nat()).map(([one, cut]) => {
    const whole = encodeProgram([one])
    return whole.slice(0, 4 + 2 * (cut % (whole.length / 2 - 2)))
  }),
  fc
    .tuple(step, fc.uint8Array({ maxLength: 12 }))
    .map(([one, more]) => encodeProgram([one]) + Buffer.from(more).toString('hex')),
  // Inputs of another kind, told by the flags alone.
  fc.tuple(step, fc.nat({ max: 7 })).map(([one, kind]) => {
    const rest = one.op === 'wrap' || one.input.kind === 'pull' ? one : { ...one, input: { kind: 'rest' as const } }
    const buffer = Buffer.from(encodeProgram([rest as Step]).slice(2), 'hex')
    buffer[1] = (buffer[1]! & 0xf8) | kind
    return `0x${buffer.toString('hex')}`
  }),
  fc.uint8Array({ minLength: 1, maxLength: 120 }).map((noise) => `0x${Buffer.from(noise).toString('hex')}`),
)

describe('invariant 10: the decoder of the Executor', () => {
  test('refuses the first step of a program exactly where the reference decoder does', async () => {
    const cases = fc.sample(bytes, CASES)
    let refused = 0
    for (let from = 0; from < cases.length; from += BATCH) {
      const batch = cases.slice(from, from + BATCH)
      const errors = await errorsOf(batch)
      batch.forEach((program, index) => {
        const error = errors[index]!
        expect(error, `${program} ran`).not.toBe('none')
        const said = refusals.includes(error.slice(0, 10))
        expect(said, `${program} ended in ${error}`).toBe(!firstStepDecodes(program))
        if (said) refused++
      })
    }
    expect(cases.filter((program) => overrides(program).length > 0).length).toBeGreaterThan(CASES / 1_000)
    // Both kinds were met often.
    expect(refused).toBeGreaterThan(cases.length / 10)
    expect(refused).toBeLessThan((cases.length * 9) / 10)
  })
})
