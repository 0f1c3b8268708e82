import { ByteReader } from './bytes.ts'
import { ProgramError } from './errors.ts'
import { inputKinds, opcodes, outputKinds, ZERO_FOR_ONE } from './format.ts'
import type { Step, StepInput, StepOutput } from './step.ts'

const ZERO = '0x0000000000000000000000000000000000000000'
const ops = new Map<number, Step['op']>(Object.entries(opcodes).map(([op, code]) => [code, op as Step['op']]))

/**
 * The steps of a program. `tokenIn` of a pulled uniswap-v3 step is not in the bytes: the zero address stands for the
 * sender's input token there, unless it is given.
 *
 * @param pulledToken - the order's input token (the wrapper where the Guard wraps)
 * @throws ProgramError `INVALID_PROGRAM` where the Executor would revert for the bytes themselves
 */
export function decodeProgram(program: string, pulledToken: `0x${string}` = ZERO): Step[] {
  const bytes = new ByteReader(program)
  const steps: Step[] = []
  while (!bytes.done) steps.push(decodeStep(bytes, pulledToken))
  return steps
}

function decodeStep(bytes: ByteReader, pulledToken: `0x${string}`): Step {
  const start = bytes.offset
  const code = bytes.number(1)
  const op = ops.get(code)
  if (!op) throw new ProgramError('INVALID_PROGRAM', `byte ${start} is no opcode: ${code}`)
  const flags = bytes.number(1)
  const input = decodeInput(bytes, flags, start)
  const pulled = input.kind === 'pull' || input.kind === 'pullRest'
  const zeroForOne = (flags & ZERO_FOR_ONE) !== 0
  const refuse = (why: string) => new ProgramError('INVALID_PROGRAM', `step at byte ${start}: ${why}`)
  if (input.kind === 'atPool' && op !== 'uniswap-v2') throw refuse(`${op} cannot be paid ahead`)

  switch (op) {
    case 'uniswap-v2': {
      const fields = { tokenIn: bytes.address(), pool: bytes.address(), zeroForOne, feePpm: bytes.number(3) }
      return { op, ...fields, input, output: decodeOutput(bytes, flags, start) }
    }
    case 'uniswap-v3': {
      const fields = { tokenIn: pulled ? pulledToken : bytes.address(), pool: bytes.address(), zeroForOne }
      return { op, ...fields, input, output: decodeOutput(bytes, flags, start) }
    }
    case 'wrap': {
      if (pulled) throw refuse('native token is not pulled')
      const wrapped = bytes.address()
      return { op, tokenIn: ZERO, wrapped, input, output: decodeOutput(bytes, flags, start) }
    }
    case 'unwrap':
      return { op, tokenIn: bytes.address(), input, output: decodeOutput(bytes, flags, start) }
  }
}

function decodeInput(bytes: ByteReader, flags: number, start: number): StepInput {
  const kind = inputKinds[flags & 7]
  switch (kind) {
    case undefined:
      throw new ProgramError('INVALID_PROGRAM', `step at byte ${start}: no input kind ${flags & 7}`)
    case 'share':
      return { kind, share: bytes.number(3) }
    case 'held':
    case 'pull':
      return { kind, amount: bytes.uint(16) }
    default:
      return { kind }
  }
}

function decodeOutput(bytes: ByteReader, flags: number, start: number): StepOutput {
  const kind = outputKinds[(flags >> 3) & 3]
  if (kind === undefined) throw new ProgramError('INVALID_PROGRAM', `step at byte ${start}: no output kind 3`)
  return kind === 'address' ? { kind, address: bytes.address() } : { kind }
}
