/** One run of the probe for one request, and what it says. */
import { type BlockHeader, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { type CallEnvironment, type RunReport, runProbe } from './attempt.ts'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import type { ProbeReport } from './probe.ts'
import type { Input, SetUp } from './setup.ts'
import type { TokenReader } from './slots/reader.ts'
import type { SimulationRequest, SwapOutcome } from './types.ts'

export type Task = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly context: SimulationContext
  readonly options: RequestOptions
  readonly header: Promise<BlockHeader>
  readonly reader: TokenReader
  readonly input: Input
}
/** @throws SimulationError `BAD_TOKEN` when setting the input up reverts, or a token does not answer */
export async function run(
  task: Task,
  environment: CallEnvironment,
  setUp: SetUp,
  targetCode = environment.targetCode,
): Promise<RunReport> {
  const { rpc, request, context, options } = task
  const { maxReturnData: maxReturn } = context.limits
  const attempt = { rpc, request, environment, setUp, maxReturn, options, ...(targetCode && { targetCode }) }
  const report = await runProbe(attempt).catch((error: unknown) => {
    if (!(error instanceof RpcError && error.code === 'REVERTED')) throw error
    throw new SimulationError('BAD_TOKEN', `setting up the input reverts: ${error.message}`, { cause: error })
  })
  const { tokenIn, tokenOut } = report.before
  if (!tokenIn.ok) throw new SimulationError('BAD_TOKEN', `tokenIn ${request.tokenIn} does not answer balanceOf`)
  if (!tokenOut.ok) throw new SimulationError('BAD_TOKEN', `tokenOut ${request.tokenOut} does not answer balanceOf`)
  return report
}

export function outcomeOf({ success, gasUsed, returnData, before, after }: ProbeReport): SwapOutcome {
  const grown = after.tokenOut.amount - before.tokenOut.amount
  const amountOut = success && grown > 0n ? grown : 0n
  return { success, amountOut, gasUsed: Number(gasUsed), returnData }
}

/** True where nothing was left and nothing was said: of gas that ran out, or of an instruction that takes all of it. */
export const isExhausted = ({ returnData, outOfGas }: ProbeReport): boolean => outOfGas && returnData === '0x'

/** Words of geth, reth and anvil, erigon, nethermind, besu. */
const INVALID =
  /invalid.{0,3}(fe)?.{0,3}op.?code|bad ?instruction|invalid ?instruction|undefined ?instruction|not ?activated/i

/** `INVALID` takes all gas, as failed assertions of old compilers do: more gas would not help. */
export function exhaustionOf(words: string): string {
  return INVALID.test(words)
    ? 'invalid opcode: a failed assertion, or code that cannot run on this chain'
    : 'out of gas'
}
