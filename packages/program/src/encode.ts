import { ByteWriter } from './bytes.ts'
import { ProgramError } from './errors.ts'
import { amountBytes, inputKinds, opcodes, outputKinds, SHARE_DENOMINATOR, ZERO_FOR_ONE } from './format.ts'
import type { Step } from './step.ts'

/**
 * The bytes of a program, as `Executor.execute` takes them.
 *
 * @throws ProgramError `INVALID_STEP` for a step that its family cannot serve, or a number out of range
 */
export function encodeProgram(steps: readonly Step[]): `0x${string}` {
  const out = new ByteWriter()
  for (const step of steps) encodeStep(step, out)
  return out.toHex()
}

function encodeStep(step: Step, out: ByteWriter): void {
  checkInput(step)
  const { input, output } = step
  const direction = 'zeroForOne' in step && step.zeroForOne ? ZERO_FOR_ONE : 0
  out.uint(opcodes[step.op], 1, 'opcode')
  out.uint(inputKinds.indexOf(input.kind) | (outputKinds.indexOf(output.kind) << 3) | direction, 1, 'flags')
  if (input.kind === 'share') out.uint(input.share, amountBytes.share, 'share')
  if (input.kind === 'held' || input.kind === 'pull') out.uint(input.amount, amountBytes.pull, 'amount')
  switch (step.op) {
    case 'uniswap-v2':
      out.address(step.tokenIn, 'tokenIn').address(step.pool, 'pool').uint(step.feePpm, 3, 'feePpm')
      break
    case 'uniswap-v3':
      // What is pulled is the sender's input token: the Guard knows it.
      if (!isPulled(step)) out.address(step.tokenIn, 'tokenIn')
      out.address(step.pool, 'pool')
      break
    case 'wrap':
      out.address(step.wrapped, 'wrapped')
      break
    case 'unwrap':
      out.address(step.tokenIn, 'tokenIn')
      break
  }
  if (output.kind === 'address') out.address(output.address, 'output address')
}

export function isPulled({ input }: Pick<Step, 'input'>): boolean {
  return input.kind === 'pull' || input.kind === 'pullRest'
}

function checkInput({ op, input }: Pick<Step, 'op' | 'input'>): void {
  const { kind } = input
  if (kind === 'atPool' && op !== 'uniswap-v2') throw new ProgramError('INVALID_STEP', `${op} cannot be paid ahead`)
  if (op === 'wrap' && (kind === 'pull' || kind === 'pullRest'))
    throw new ProgramError('INVALID_STEP', 'native token is not pulled: it comes with the call')
  if (kind === 'share' && !(Number.isInteger(input.share) && input.share > 0 && input.share < SHARE_DENOMINATOR))
    throw new ProgramError('INVALID_STEP', `share must be from 1 to ${SHARE_DENOMINATOR - 1}, not ${input.share}`)
}
