import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { IExecutor__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { toAddress } from '@sluice/chains'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { encodeProgram, opOf, ops, type Step } from '@sluice/program'
import { ByteReader, decodeStep, inputKinds, PULLED_TOKEN, step, program as steps } from '@sluice/program/testing'
import fc from 'fast-check'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executorInitCode } from '../deploy/plan.ts'
import { type Call, expectedCalls, type Scene, WORD } from './support/expected-calls.ts'

const LONG = process.env.LONG === '1'
const CASES = LONG ? 20_000 : 1_000
const BATCH = 100
const scene: Scene = {
  executor: `0x${'ee'.repeat(20)}`,
  guard: `0x${'cc'.repeat(20)}`,
  task: { tokenIn: PULLED_TOKEN, amountIn: 1_234_567n, recipient: `0x${'bb'.repeat(20)}` },
  native: 1n << 200n,
  timestamp: 4_102_444_800,
}
const executor = IExecutor__factory.createInterface()
/** Offset of the program in the calldata of `execute`. */
const PROGRAM_AT = 100n
const REFUSALS = ['UnknownOpcode', 'InvalidStep', 'ProgramTooShort']

let anvil: Anvil
/** Code that stands for a Recorder: of a pool or token, and of a balancer-v3 vault. */
let recorder: Hex
let vaultRecorder: Hex

beforeAll(async () => {
  anvil = await startAnvil()
  recorder = await deployRecorder(false)
  vaultRecorder = await deployRecorder(true)
  // Created, not deployed: the answer is its code, with its Guard in it.
  const data = executorInitCode(bytecode.Executor.creation, toAddress(scene.guard))
  await rpc('anvil_setCode', [scene.executor, await rpc<Hex>('eth_call', [{ data }, 'latest'])])
  await rpc('anvil_setBalance', [scene.executor, `0x${scene.native.toString(16)}`])
})
afterAll(() => anvil?.stop())

async function post<T>(body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(anvil.url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as T
}

async function rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
  const { result, error } = await post<{ result: T; error?: unknown }>({ jsonrpc: '2.0', id: 1, method, params })
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

type Compiled = Readonly<Record<'Tape' | 'Recorder', { abi: Abi; evm: { bytecode: { object: string } } }>>

function compileRecorder(): Compiled {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const content = readFileSync(join(import.meta.dirname, 'support/Recorder.sol'), 'utf8')
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } }
  const input = { language: 'Solidity', sources: { 'Recorder.sol': { content } }, settings }
  return JSON.parse(solc.compile(JSON.stringify(input))).contracts['Recorder.sol']
}

/** @returns code that hands every call on to a Recorder (EIP-1167) */
async function deployRecorder(balancer: boolean): Promise<Hex> {
  const { Tape, Recorder } = compileRecorder()
  const [from] = await rpc<Hex[]>('eth_accounts', [])
  const send = async (data: Hex, to?: Hex) =>
    (await rpc<{ contractAddress: Hex }>('eth_sendTransactionSync', [{ from, to, data }])).contractAddress
  const deploy = ({ abi, evm }: Compiled['Tape'], args: readonly unknown[]) =>
    send(encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args }))
  const tape = await deploy(Tape, [])
  await send(encodeFunctionData({ abi: Tape.abi, functionName: 'set', args: [balancer] }), tape)
  await send(encodeFunctionData({ abi: Tape.abi, functionName: 'setWord', args: [WORD] }), tape)
  const implementation = await deploy(Recorder, [tape])
  return `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`
}

type Reference = {
  readonly steps: readonly Step[]
  /** Offset of the rejected step, in bytes; undefined if the whole program is valid. */
  readonly refusedAt: number | undefined
}

function referenceOf(program: string): Reference {
  const bytes = new ByteReader(program)
  const decoded: Step[] = []
  while (!bytes.isDone) {
    const at = bytes.offset
    try {
      decoded.push(decodeStep(bytes, PULLED_TOKEN))
    } catch (error) {
      expect(error).toMatchObject({ code: 'INVALID_PROGRAM' })
      return { steps: decoded, refusedAt: at }
    }
  }
  return { steps: decoded, refusedAt: undefined }
}

/** A Recorder at every address that the steps name. */
function stateOverrides(program: string, { steps: decoded, refusedAt }: Reference): object {
  const balance = `0x${(1n << 250n).toString(16)}`
  const at: Record<string, object> = {}
  const stand = (value: unknown): void => {
    if (typeof value === 'string' && value.length === 42) at[value] = { code: recorder, balance }
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(stand)
  }
  stand([scene.guard, decoded])
  // A curve pool that is paid ahead looks at its balance before it refuses an input that was paid ahead already.
  if (refusedAt !== undefined) stand(`0x${program.slice(6 + 2 * refusedAt, 46 + 2 * refusedAt).padEnd(40, '0')}`)
  for (const one of decoded) if (one.op === 'balancer-v3') at[one.vault] = { code: vaultRecorder, balance }
  return at
}

type Frame = {
  readonly from: string
  readonly to: string
  readonly type: string
  readonly input: string
  readonly value?: string
  readonly output?: string
  readonly error?: string
  readonly calls?: readonly Frame[]
}

/** Runs the programs, each on its own. */
async function traces(programs: readonly string[], references: readonly Reference[]): Promise<Frame[]> {
  const calls = programs.map((program, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'debug_traceCall',
    params: [
      {
        from: scene.guard,
        to: scene.executor,
        data: executor.encodeFunctionData('execute', [scene.task]) + program.slice(2),
      },
      'latest',
      {
        tracer: 'callTracer',
        stateOverrides: stateOverrides(program, references[id]!),
        blockOverrides: { time: `0x${scene.timestamp.toString(16)}` },
      },
    ],
  }))
  const answers = await post<{ id: number; result: Frame }[]>(calls)
  return answers.sort((a, b) => a.id - b.id).map(({ result }) => result)
}

/** Calls that the Executor made to others, in order, reads aside. */
function callsIn(frame: Frame): Call[] {
  const inner = (frame.calls ?? []).flatMap(callsIn)
  if (frame.type !== 'CALL' || frame.from !== scene.executor) return inner
  const { to, input, value = '0x0' } = frame
  return [{ to, input, value: BigInt(value) }, ...inner]
}

/** Returns steps that end with one of another input kind. Only the flags encode the kind. */
function ofOtherInput(last: typeof step, kind: fc.Arbitrary<number>): fc.Arbitrary<string> {
  return fc.tuple(steps, last, kind).map(([some, last, kind]) => {
    const rest = last.op === 'wrap' || last.input.kind === 'pull' ? last : { ...last, input: { kind: 'rest' as const } }
    const buffer = Buffer.from(encodeProgram([rest as Step]).slice(2), 'hex')
    buffer[1] = (buffer[1]! & 0xf8) | kind
    return encodeProgram(some) + buffer.toString('hex')
  })
}

/** Steps that end with one of a curve pool that was paid ahead. */
const paidAhead = ofOtherInput(
  step.filter(({ op }) => op === 'curve'),
  fc.constant(inputKinds.indexOf('atPool')),
)

/** Steps; steps with a byte changed, another input kind, cut short or run on; and noise: one after the other. */
const bytes = fc.oneof(
  steps.map(encodeProgram),
  fc.tuple(steps, fc.nat(), fc.nat({ max: 255 })).map(([some, at, value]) => {
    const buffer = Buffer.from(encodeProgram(some).slice(2), 'hex')
    buffer[at % buffer.length] = value
    return `0x${buffer.toString('hex')}`
  }),
  // Opcode, flags and the fields right behind them of a later step.
  fc.tuple(steps, step, fc.nat({ max: 23 }), fc.nat({ max: 255 })).map(([some, last, at, value]) => {
    const buffer = Buffer.from(encodeProgram([last]).slice(2), 'hex')
    buffer[Math.min(at, buffer.length - 1)] = value
    return encodeProgram(some) + buffer.toString('hex')
  }),
  fc.tuple(steps, fc.nat()).map(([some, cut]) => {
    const whole = encodeProgram(some)
    return whole.slice(0, 4 + 2 * (cut % (whole.length / 2 - 2)))
  }),
  fc
    .tuple(steps, fc.uint8Array({ maxLength: 12 }))
    .map(([some, more]) => encodeProgram(some) + Buffer.from(more).toString('hex')),
  ofOtherInput(step, fc.nat({ max: 7 })),
  fc.uint8Array({ minLength: 1, maxLength: 120 }).map((noise) => `0x${Buffer.from(noise).toString('hex')}`),
)

/**
 * Compares one run with what the reference reads in the program.
 *
 * @returns false if they cannot be compared, because the program spends native token that the Executor does not have
 */
function compare(program: string, reference: Reference, run: Frame): boolean {
  const where = `${program}, ${reference.steps.length} steps`
  // Of a callback that goes with what the Executor said, the selector is enough.
  const expected = expectedCalls(reference.steps, scene)
  if (!expected) return false
  const calls = callsIn(run).map((call, k) => {
    const whole = expected[k]?.input.length !== 10 || call.input.length === 10
    return whole ? call : { ...call, input: call.input.slice(0, 10) }
  })
  const output = run.output ?? '0x'
  const error = run.error && output.length >= 10 ? executor.parseError(output) : null
  expect(run.error === undefined, `${where}: ${run.error} ${run.output}`).toBe(reference.refusedAt === undefined)
  expect(calls, where).toEqual(expected)
  if (reference.refusedAt === undefined) return true
  expect(REFUSALS, `${where}: ${run.output}`).toContain(error?.name)
  const at = PROGRAM_AT + BigInt(reference.refusedAt)
  const end = PROGRAM_AT + BigInt(program.length / 2 - 1)
  const byte = (k: number) => BigInt(`0x${program.slice(2 + 2 * (reference.refusedAt! + k)).slice(0, 2) || '0'}`)
  if (error!.name === 'UnknownOpcode') expect([...error!.args], where).toEqual([at, byte(0)])
  else if (error!.name === 'InvalidStep') expect([...error!.args], where).toEqual([byte(1)])
  else {
    expect(error!.args[0], where).toBeGreaterThan(end)
    expect(error!.args[1], where).toBe(end)
  }
  return true
}

describe('invariant 10: the decoder of the Executor', () => {
  test(
    'decodes and rejects the same steps as the reference decoder',
    async () => {
      const cases = [...fc.sample(bytes, CASES), ...fc.sample(paidAhead, CASES / 100)]
      const met = { incomparable: 0, sound: 0, refused: 0, refusedLater: 0, paidAhead: 0 }
      const metOps = new Map<string, number>()
      for (let from = 0; from < cases.length; from += BATCH) {
        const batch = cases.slice(from, from + BATCH)
        const references = batch.map(referenceOf)
        const runs = await traces(batch, references)
        batch.forEach((program, k) => {
          const reference = references[k]!
          const { refusedAt } = reference
          if (!compare(program, reference, runs[k]!)) met.incomparable++
          for (const { op } of reference.steps) metOps.set(op, (metOps.get(op) ?? 0) + 1)
          if (refusedAt === undefined) met.sound++
          else met.refused++
          if (refusedAt) met.refusedLater++
          const [code, flags] = [0, 1].map((b) =>
            Number(`0x${program.slice(2 + 2 * ((refusedAt ?? 0) + b)).slice(0, 2)}`),
          )
          if (
            refusedAt !== undefined &&
            code === opOf({ op: 'curve' }).code &&
            (flags! & 7) === inputKinds.indexOf('atPool')
          )
            met.paidAhead++
        })
      }
      expect(met.incomparable).toBeLessThan(CASES / 20)
      // All kinds were met often, and every opcode.
      expect(met.sound).toBeGreaterThan(CASES / 5)
      expect(met.refused).toBeGreaterThan(CASES / 5)
      expect(met.refusedLater).toBeGreaterThan(CASES / 10)
      expect(met.paidAhead).toBeGreaterThan(CASES / 500)
      for (const { name } of ops) expect(metOps.get(name), name).toBeGreaterThan(CASES / (2 * ops.length))
    },
    LONG ? 900_000 : 180_000,
  )
})
