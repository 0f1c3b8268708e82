/** Decodes programs (bytecode of the Executor, the contract that swaps) into steps. */
import { ByteReader } from './bytes.ts'
import { encodeProgram } from './encode.ts'
import { ProgramError } from './errors.ts'
import { DIRECTION, inputKinds, outputKinds } from './format.ts'
import type { OpField, OpFields } from './ops/fields.ts'
import { opOfCode, type Step } from './ops/index.ts'
import type { StepInput, StepOutput } from './step.ts'
import { ZERO_ADDRESS } from './zero.ts'

/** Creates the error for an invalid step. */
type Refuse = (reason: string) => ProgramError

/**
 * Placeholder for the sender's input token in steps that are encoded again for comparison. The zero address would be
 * invalid here: it represents the native token, which cannot be pulled.
 */
const PLACEHOLDER_TOKEN = `0x${'11'.repeat(20)}` as const

/**
 * Decodes a program into steps. A step that pulls its input does not encode its input token. Its `tokenIn` is
 * `pulledToken`, or the zero address if `pulledToken` is absent.
 *
 * @param pulledToken - the sender's input token; the wrapper if the Guard wraps the native token
 * @throws ProgramError `INVALID_PROGRAM` for bytes that `encodeProgram` does not produce. The Executor would revert for
 *   some such bytes, for example an unknown opcode, and run others, for example a batch without hops.
 */
export function decodeProgram(program: string, pulledToken?: `0x${string}`): Step[] {
  const reader = new ByteReader(program)
  const steps: Step[] = []
  while (!reader.isDone) steps.push(decodeStep(reader, pulledToken ?? ZERO_ADDRESS))
  if (reencode(steps, pulledToken ?? PLACEHOLDER_TOKEN) !== program.toLowerCase())
    throw new ProgramError('INVALID_PROGRAM', 'the bytes are not those that encode their steps')
  return steps
}

/** Encodes decoded steps again, for comparison with the decoded bytes. @throws ProgramError `INVALID_PROGRAM` */
function reencode(steps: readonly Step[], pulledToken: `0x${string}`): string {
  const isPulled = ({ input }: Step) => input.kind === 'pull' || input.kind === 'pullAll'
  try {
    return encodeProgram(steps.map((step) => (isPulled(step) ? { ...step, tokenIn: pulledToken } : step)))
  } catch (cause) {
    if (!(cause instanceof ProgramError)) throw cause
    throw new ProgramError('INVALID_PROGRAM', cause.message)
  }
}

/** Decodes the step at the reader's position. */
export function decodeStep(reader: ByteReader, pulledToken: `0x${string}`): Step {
  const start = reader.offset
  const refuse: Refuse = (reason) => new ProgramError('INVALID_PROGRAM', `step at byte ${start}: ${reason}`)
  const code = reader.number(1)
  const op = opOfCode(code)
  if (!op) throw refuse(`unknown opcode ${code}`)
  const flags = reader.number(1)
  const input = decodeInput(reader, flags, refuse)
  if (input.kind === 'atPool' && !op.canBePrepaid) throw refuse(`${op.name} cannot be prepaid`)
  const isPulled = input.kind === 'pull' || input.kind === 'pullAll'
  if (op.native === 'only' && isPulled) throw refuse('the native token cannot be pulled')
  const tokenIn = op.native === 'only' ? ZERO_ADDRESS : isPulled ? pulledToken : reader.address()
  const values: Record<string, unknown> = { op: op.name, ...readFields(op.fields, reader, flags, refuse) }
  const { direction, hops } = op
  if (direction) values[direction.name] = (flags & DIRECTION) !== 0
  if (hops) values.hops = Array.from({ length: reader.number(1) }, () => readFields(hops, reader, flags, refuse))
  return { ...values, tokenIn, input, output: decodeOutput(reader, flags, refuse) } as Step
}

function readFields(fields: OpFields, reader: ByteReader, flags: number, refuse: Refuse): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) values[name] = readField(field, name, reader, flags, refuse)
  return values
}

function readField(field: OpField, name: string, reader: ByteReader, flags: number, refuse: Refuse): unknown {
  switch (field.kind) {
    case 'address':
      return field.flag === undefined || flags & field.flag ? reader.address() : ZERO_ADDRESS
    case 'bytes32':
      return reader.bytes32()
    case 'uint':
      return reader.number(field.bytes)
    case 'choice': {
      const index = reader.number(1)
      if (index >= field.choices.length) throw refuse(`no ${name} ${index}`)
      return field.choices[index]
    }
  }
}

function decodeInput(reader: ByteReader, flags: number, refuse: Refuse): StepInput {
  const kind = inputKinds[flags & 7]
  switch (kind) {
    case undefined:
      throw refuse(`no input kind ${flags & 7}`)
    case 'share':
      return { kind, share: reader.number(3) }
    case 'held':
    case 'pull':
      return { kind, amount: reader.uint(16) }
    default:
      return { kind }
  }
}

function decodeOutput(reader: ByteReader, flags: number, refuse: Refuse): StepOutput {
  const kind = outputKinds[(flags >> 3) & 3]
  if (kind === undefined) throw refuse('no output kind 3')
  return kind === 'address' ? { kind, address: reader.address() } : { kind }
}
