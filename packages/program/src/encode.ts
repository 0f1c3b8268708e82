import { ByteWriter } from './bytes.ts'
import { ProgramError } from './errors.ts'
import {
  amountBytes,
  curveVariants,
  DIRECTION,
  HOOKS,
  inputKinds,
  NATIVE_INPUT_OPS,
  opcodes,
  outputKinds,
  PREPAID_OPS,
  SHARE_DENOMINATOR,
  ZERO_ADDRESS,
} from './format.ts'
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
  const flags = inputKinds.indexOf(input.kind) | (outputKinds.indexOf(output.kind) << 3) | familyFlags(step)
  out.uint(opcodes[step.op], 1, 'opcode').uint(flags, 1, 'flags')
  if (input.kind === 'share') out.uint(input.share, amountBytes.share, 'share')
  if (input.kind === 'held' || input.kind === 'pull') out.uint(input.amount, amountBytes.pull, 'amount')
  // What is pulled is the sender's input token: the Guard tells the Executor. What is wrapped is native.
  if (!isPulled(step) && step.op !== 'wrap') out.address(step.tokenIn, 'tokenIn')
  encodeFields(step, out)
  if (output.kind === 'address') out.address(output.address, 'output address')
}

function encodeFields(step: Step, out: ByteWriter): void {
  switch (step.op) {
    case 'uniswap-v2':
      out.address(step.pool, 'pool').uint(step.feePpm, 3, 'feePpm')
      break
    case 'wrap':
      out.address(step.wrapped, 'wrapped')
      break
    case 'unwrap':
      break
    case 'uniswap-v4':
      out.address(step.manager, 'manager').uint(hopCount(step), 1, 'hops')
      for (const hop of step.hops) {
        out.address(hop.tokenOut, 'tokenOut').uint(hop.fee, 3, 'fee')
        // 24 bits, signed on chain; a pool's spacing is never negative.
        if (hop.tickSpacing >= 2 ** 23)
          throw new ProgramError('INVALID_STEP', `tickSpacing must be below 2^23, not ${hop.tickSpacing}`)
        out.uint(hop.tickSpacing, 3, 'tickSpacing')
        if (hasHooks(step)) out.address(hop.hooks, 'hooks')
      }
      break
    case 'curve':
      out.uint(curveVariants.indexOf(step.variant), 1, 'variant').uint(step.i, 1, 'i').uint(step.j, 1, 'j')
      out.address(step.tokenOut, 'tokenOut').address(step.pool, 'pool')
      break
    case 'balancer-v2':
      out.address(step.vault, 'vault').uint(hopCount(step), 1, 'hops')
      for (const hop of step.hops) out.bytes32(hop.poolId, 'poolId').address(hop.tokenOut, 'tokenOut')
      break
    case 'balancer-v3':
      out.address(step.vault, 'vault').uint(hopCount(step), 1, 'hops')
      for (const hop of step.hops) out.address(hop.pool, 'pool').address(hop.tokenOut, 'tokenOut')
      break
    case 'uniswap-v3':
    case 'solidly':
    case 'liquidity-book':
    case 'dodo-v2':
      out.address(step.pool, 'pool')
      break
    case 'erc4626':
    case 'rate-wrapper':
      out.address(step.tokenOut, 'tokenOut')
      break
  }
}

function familyFlags(step: Step): number {
  switch (step.op) {
    case 'uniswap-v2':
    case 'uniswap-v3':
    case 'solidly':
      return step.zeroForOne ? DIRECTION : 0
    case 'liquidity-book':
      return step.swapForY ? DIRECTION : 0
    case 'erc4626':
      return step.deposit ? DIRECTION : 0
    case 'rate-wrapper':
      return step.wrap ? DIRECTION : 0
    case 'dodo-v2':
      return step.sellBase ? DIRECTION : 0
    case 'uniswap-v4':
      return hasHooks(step) ? HOOKS : 0
    default:
      return 0
  }
}

const hasHooks = ({ hops }: Extract<Step, { op: 'uniswap-v4' }>): boolean =>
  hops.some(({ hooks }) => hooks !== ZERO_ADDRESS)

function hopCount({ op, hops }: { readonly op: string; readonly hops: readonly unknown[] }): number {
  if (hops.length === 0) throw new ProgramError('INVALID_STEP', `${op} needs at least one hop`)
  return hops.length
}

function isPulled({ input }: Pick<Step, 'input'>): boolean {
  return input.kind === 'pull' || input.kind === 'pullAll'
}

function checkInput(step: Step): void {
  const { op, input, tokenIn } = step
  if (input.kind === 'atPool' && !PREPAID_OPS.has(op))
    throw new ProgramError('INVALID_STEP', `${op} cannot be paid ahead`)
  if (tokenIn === ZERO_ADDRESS && (isPulled(step) || !NATIVE_INPUT_OPS.has(op)))
    throw new ProgramError('INVALID_STEP', `${op} cannot take native token as ${input.kind}`)
  if (op === 'wrap' && tokenIn !== ZERO_ADDRESS) throw new ProgramError('INVALID_STEP', 'wrap takes native token alone')
  if (input.kind === 'share' && !(Number.isInteger(input.share) && input.share > 0 && input.share < SHARE_DENOMINATOR))
    throw new ProgramError('INVALID_STEP', `share must be from 1 to ${SHARE_DENOMINATOR - 1}, not ${input.share}`)
}
