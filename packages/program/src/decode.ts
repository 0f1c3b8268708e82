import { ByteReader } from './bytes.ts'
import { encodeProgram } from './encode.ts'
import { ProgramError } from './errors.ts'
import {
  curveVariants,
  DIRECTION,
  HOOKS,
  inputKinds,
  opcodes,
  outputKinds,
  PREPAID_OPS,
  ZERO_ADDRESS,
} from './format.ts'
import type { Step, StepInput, StepOutput } from './step.ts'

const ops = new Map<number, Step['op']>(Object.entries(opcodes).map(([op, code]) => [code, op as Step['op']]))

/** Stands for the sender's input token while bytes are compared: any but the zero address, which nobody pulls. */
const SOME_TOKEN = `0x${'11'.repeat(20)}` as const

/**
 * The steps of a program. `tokenIn` of a step that pulls is not in the bytes: the zero address stands for the sender's
 * input token there, unless it is given.
 *
 * @param pulledToken - the order's input token (the wrapper where the Guard wraps)
 * @throws ProgramError `INVALID_PROGRAM` for any bytes but those that `encodeProgram` makes of the steps: the Executor would
 *   revert for some of them, such as an unknown opcode, and run others, such as a batch without hops
 */
export function decodeProgram(program: string, pulledToken?: `0x${string}`): Step[] {
  const bytes = new ByteReader(program)
  const steps: Step[] = []
  while (!bytes.done) steps.push(decodeStep(bytes, pulledToken ?? ZERO_ADDRESS))
  if (encoded(steps, pulledToken ?? SOME_TOKEN) !== program.toLowerCase())
    throw new ProgramError('INVALID_PROGRAM', 'the bytes are not those that encode their steps')
  return steps
}

function encoded(steps: readonly Step[], pulledToken: `0x${string}`): string {
  const pulls = ({ input }: Step) => input.kind === 'pull' || input.kind === 'pullAll'
  try {
    return encodeProgram(steps.map((step) => (pulls(step) ? { ...step, tokenIn: pulledToken } : step)))
  } catch (cause) {
    if (!(cause instanceof ProgramError)) throw cause
    throw new ProgramError('INVALID_PROGRAM', cause.message)
  }
}

/** The step that begins where the reader stands. */
export function decodeStep(bytes: ByteReader, pulledToken: `0x${string}`): Step {
  const start = bytes.offset
  const refuse = (why: string) => new ProgramError('INVALID_PROGRAM', `step at byte ${start}: ${why}`)
  const code = bytes.number(1)
  const op = ops.get(code)
  if (!op) throw refuse(`${code} is no opcode`)
  const flags = bytes.number(1)
  const input = decodeInput(bytes, flags, refuse)
  if (input.kind === 'atPool' && !PREPAID_OPS.has(op)) throw refuse(`${op} cannot be paid ahead`)
  const pulled = input.kind === 'pull' || input.kind === 'pullAll'
  if (op === 'wrap' && pulled) throw refuse('native token is not pulled')
  const tokenIn = op === 'wrap' ? ZERO_ADDRESS : pulled ? pulledToken : bytes.address()
  const fields = decodeFields(bytes, op, flags, refuse)
  return { ...fields, tokenIn, input, output: decodeOutput(bytes, flags, refuse) } as Step
}

type Fields<S = Step> = S extends Step ? Omit<S, 'tokenIn' | 'input' | 'output'> : never

function decodeFields(bytes: ByteReader, op: Step['op'], flags: number, refuse: (why: string) => ProgramError): Fields {
  const direction = (flags & DIRECTION) !== 0
  switch (op) {
    case 'uniswap-v2':
      return { op, pool: bytes.address(), zeroForOne: direction, feePpm: bytes.number(3) }
    case 'uniswap-v3':
      return { op, pool: bytes.address(), zeroForOne: direction }
    case 'wrap':
      return { op, wrapped: bytes.address() }
    case 'unwrap':
      return { op }
    case 'uniswap-v4': {
      const manager = bytes.address()
      const hops = times(bytes.number(1), () => ({
        tokenOut: bytes.address(),
        fee: bytes.number(3),
        tickSpacing: bytes.number(3),
        hooks: flags & HOOKS ? bytes.address() : (ZERO_ADDRESS as `0x${string}`),
      }))
      return { op, manager, hops }
    }
    case 'solidly':
      return { op, pool: bytes.address(), zeroForOne: direction }
    case 'curve': {
      const variant = curveVariants[bytes.number(1)]
      if (!variant) throw refuse('no such variant of curve')
      const indices = { i: bytes.number(1), j: bytes.number(1) }
      return { op, variant, ...indices, tokenOut: bytes.address(), pool: bytes.address() }
    }
    case 'balancer-v2': {
      const vault = bytes.address()
      const hops = times(bytes.number(1), () => ({ poolId: bytes.bytes32(), tokenOut: bytes.address() }))
      return { op, vault, hops }
    }
    case 'balancer-v3': {
      const vault = bytes.address()
      const hops = times(bytes.number(1), () => ({ pool: bytes.address(), tokenOut: bytes.address() }))
      return { op, vault, hops }
    }
    case 'liquidity-book':
      return { op, pool: bytes.address(), swapForY: direction }
    case 'erc4626':
      return { op, tokenOut: bytes.address(), deposit: direction }
    case 'rate-wrapper':
      return { op, tokenOut: bytes.address(), wrap: direction }
    case 'dodo-v2':
      return { op, pool: bytes.address(), sellBase: direction }
  }
}

function times<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read)
}

function decodeInput(bytes: ByteReader, flags: number, refuse: (why: string) => ProgramError): StepInput {
  const kind = inputKinds[flags & 7]
  switch (kind) {
    case undefined:
      throw refuse(`no input kind ${flags & 7}`)
    case 'share':
      return { kind, share: bytes.number(3) }
    case 'held':
    case 'pull':
      return { kind, amount: bytes.uint(16) }
    default:
      return { kind }
  }
}

function decodeOutput(bytes: ByteReader, flags: number, refuse: (why: string) => ProgramError): StepOutput {
  const kind = outputKinds[(flags >> 3) & 3]
  if (kind === undefined) throw refuse('no output kind 3')
  return kind === 'address' ? { kind, address: bytes.address() } : { kind }
}
