/** Runs the probe (the contract that measures balances and gas) for a request and converts its report. */
import { type BlockHeader, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { type CallEnvironment, type RunReport, runProbe } from './attempt.ts'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import type { ProbeReport } from './probe.ts'
import type { SetUp, SwapInput } from './setup.ts'
import type { TokenReader } from './slots/reader.ts'
import type { CallOutcome, SimulationRequest } from './types.ts'

/** A request with the state that all runs of its simulation share. */
export type SimulationTask = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly context: SimulationContext
  readonly options: RequestOptions
  readonly header: Promise<BlockHeader>
  readonly reader: TokenReader
  readonly input: SwapInput
}

/**
 * Runs the probe. If the call reverts, runs it again without alternatives. Swaps that use all of their gas leave too
 * little for the reports; a failed assertion of an old compiler uses all gas.
 *
 * @throws SimulationError `BAD_TOKEN` if the input setup reverts or a token does not respond
 */
export async function runTask(
  task: SimulationTask,
  environment: CallEnvironment,
  setUp: SetUp,
  targetCode = environment.targetCode,
): Promise<RunReport> {
  const { rpc, request, context, options } = task
  const { maxReturnData: maxReturnBytes } = context.limits
  const attempt = { rpc, request, environment, setUp, maxReturnBytes, options, ...(targetCode && { targetCode }) }
  const report = await runProbe(attempt).catch((error: unknown) => {
    if (!(error instanceof RpcError && error.code === 'REVERTED')) throw error
    const { alternatives, ...singleRequest } = request
    if (alternatives?.length) return runTask({ ...task, request: singleRequest }, environment, setUp, targetCode)
    throw new SimulationError('BAD_TOKEN', `setting up the input reverts: ${error.message}`, { cause: error })
  })
  const { tokenIn, tokenOut } = report.balancesBefore
  if (!tokenIn.ok) throw new SimulationError('BAD_TOKEN', `tokenIn ${request.tokenIn} does not answer balanceOf`)
  if (!tokenOut.ok) throw new SimulationError('BAD_TOKEN', `tokenOut ${request.tokenOut} does not answer balanceOf`)
  return report
}

/** Converts a probe report to an outcome. */
export function outcomeOf({ success, gasUsed, returnData, balancesBefore, balancesAfter }: ProbeReport): CallOutcome {
  const gain = balancesAfter.tokenOut.amount - balancesBefore.tokenOut.amount
  const amountOut = success && gain > 0n ? gain : 0n
  return { success, amountOut, gasUsed: Number(gasUsed), returnData }
}

/** True if all gas was used and no data returned: out of gas, or an opcode that consumes all gas. */
export const isExhausted = ({ returnData, isOutOfGas }: ProbeReport): boolean => isOutOfGas && returnData === '0x'

/** Messages of geth, reth and anvil, erigon, nethermind, and besu for invalid opcodes. */
const INVALID_OPCODE =
  /invalid.{0,3}(fe)?.{0,3}op.?code|op.?code ?not ?found|bad ?instruction|invalid.?(instruction|operation)|undefined ?instruction|not ?activated/i
/** Messages of these nodes for invalid jumps, stack underflows and overflows, and reads beyond return data. */
const INVALID_ACCESS =
  /(invalid|bad)[ _]?jump|stack[ _]?(underflow|overflow|limit|items)|out.?of.?offset|return.?data.*(bounds|access)|access.?violation/i

/**
 * Describes a failure that used all gas. Distinguishes failures that more gas does not fix: an invalid opcode, as in
 * assertions of old compilers, and an invalid jump, as in `throw` of old compilers.
 */
export function describeExhaustion(nodeMessage: string): string {
  if (INVALID_OPCODE.test(nodeMessage))
    return 'invalid opcode: a failed assertion, or code that cannot run on this chain'
  return INVALID_ACCESS.test(nodeMessage)
    ? 'invalid jump, stack, or return data: a throw of an old compiler, or faulty code'
    : 'out of gas'
}
