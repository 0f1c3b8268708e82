/**
 * Encodes programs, which are lists of steps of the Executor (the contract that swaps). Each list has exactly one
 * encoding, on which the decoder relies.
 */
import { ByteWriter } from './bytes.ts'
import { ProgramError } from './errors.ts'
import { amountBytes, DIRECTION, inputKinds, outputKinds, SHARE_DENOMINATOR } from './format.ts'
import type { OpField, OpFields } from './ops/fields.ts'
import { opOf, type Step } from './ops/index.ts'
import type { Op } from './ops/op.ts'
import { ZERO_ADDRESS } from './zero.ts'

/** Field values of a step or a hop, by field name. */
type Values = Readonly<Record<string, unknown>>

/**
 * Encodes a program for `Executor.execute`.
 *
 * @throws ProgramError `INVALID_STEP` for a step that its operation does not support, or a number out of range
 */
export function encodeProgram(steps: readonly Step[]): `0x${string}` {
  const writer = new ByteWriter()
  for (const step of steps) encodeStep(step, writer)
  return writer.toHex()
}

function encodeStep(step: Step, writer: ByteWriter): void {
  const op = opOf(step)
  checkInput(step, op)
  const { input, output } = step
  const values: Values = step
  const hops = op.hops ? hopsOf(op, values) : []
  const flags =
    inputKinds.indexOf(input.kind) | (outputKinds.indexOf(output.kind) << 3) | operationFlags(op, values, hops)
  writer.uint(op.code, 1, 'opcode').uint(flags, 1, 'flags')
  if (input.kind === 'share') writer.uint(input.share, amountBytes.share, 'share')
  if (input.kind === 'held' || input.kind === 'pull') writer.uint(input.amount, amountBytes.pull, 'amount')
  // A step that pulls its input does not encode the input token, because the Guard passes the token to the Executor. A
  // step whose operation takes only the native token does not encode the input token either.
  if (!isPulled(step) && op.native !== 'only') writer.address(step.tokenIn, 'tokenIn')
  writeFields(op.fields, values, flags, writer)
  if (op.hops) {
    writer.uint(hops.length, 1, 'hops')
    for (const hop of hops) writeFields(op.hops, hop, flags, writer)
  }
  if (output.kind === 'address') writer.address(output.address, 'output address')
}

function writeFields(fields: OpFields, values: Values, flags: number, writer: ByteWriter): void {
  for (const [name, field] of Object.entries(fields)) writeField(field, name, values[name], flags, writer)
}

function writeField(field: OpField, name: string, value: unknown, flags: number, writer: ByteWriter): void {
  switch (field.kind) {
    case 'address':
      if (field.flag === undefined || flags & field.flag) writer.address(value as string, name)
      break
    case 'bytes32':
      writer.bytes32(value as string, name)
      break
    case 'choice':
      writer.uint(field.choices.indexOf(value as string), 1, name)
      break
    case 'uint':
      if (field.exclusiveMax !== undefined && (value as number) >= field.exclusiveMax)
        throw new ProgramError('INVALID_STEP', `${name} must be below ${field.exclusiveMax}, not ${value}`)
      writer.uint(value as number, field.bytes, name)
  }
}

/** Returns the direction bit, and the flags of optional fields that at least one hop needs. */
function operationFlags(op: Op, values: Values, hops: readonly Values[]): number {
  let flags = op.direction && values[op.direction.name] ? DIRECTION : 0
  for (const [name, field] of Object.entries(op.hops ?? {}))
    if (field.kind === 'address' && field.flag && hops.some((hop) => hop[name] !== ZERO_ADDRESS)) flags |= field.flag
  return flags
}

function hopsOf({ name }: Op, { hops }: Values): readonly Values[] {
  const hopList = hops as readonly Values[]
  if (hopList.length === 0) throw new ProgramError('INVALID_STEP', `${name} needs at least one hop`)
  return hopList
}

function isPulled({ input }: Pick<Step, 'input'>): boolean {
  return input.kind === 'pull' || input.kind === 'pullAll'
}

function checkInput(step: Step, { name, native, canBePrepaid }: Op): void {
  const { input, tokenIn } = step
  if (input.kind === 'atPool' && !canBePrepaid) throw new ProgramError('INVALID_STEP', `${name} cannot be prepaid`)
  if (tokenIn === ZERO_ADDRESS && (isPulled(step) || native === undefined))
    throw new ProgramError('INVALID_STEP', `${name} cannot take the native token as ${input.kind}`)
  if (native === 'only' && tokenIn !== ZERO_ADDRESS)
    throw new ProgramError('INVALID_STEP', `${name} takes only the native token`)
  if (input.kind === 'share' && !(Number.isInteger(input.share) && input.share > 0 && input.share < SHARE_DENOMINATOR))
    throw new ProgramError('INVALID_STEP', `share must be from 1 to ${SHARE_DENOMINATOR - 1}, not ${input.share}`)
}
