/** Runs the transaction as its sender sends it, with no probe at the sender. */
import { type Hex, NATIVE } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import type { CallEnvironment, RunReport } from './attempt.ts'
import type { BareReport } from './bare.ts'
import { SimulationError } from './errors.ts'
import { floorGas, intrinsicGas } from './gas.ts'
import type { Reading } from './probe.ts'
import type { SetUp } from './setup.ts'
import { isExhausted, outcomeOf, runTask, type SimulationTask } from './task.ts'
import type { CallOutcome } from './types.ts'

/** Outcome of the transaction as it is sent. */
export type SentOutcome = CallOutcome & {
  /** True if all gas was used and no data returned. */
  readonly isExhausted: boolean
  /** Gas of the whole transaction after refunds, if the node reports it. */
  readonly chargedGas?: number
  /**
   * Lower bound on the gas of the target, if only the charged gas is known: the charge without a refund. `gasUsed` is then
   * the upper bound: the charge plus the largest refund.
   */
  readonly minGasUsed?: number
}

/** Maximum refund as 1 / 5 of the gas (EIP-3529). */
const MAX_REFUND_PART = 5
/** Accepted gas difference in percent. With a probe at the target, its calls to itself cost about 700 gas more. */
const GAS_TOLERANCE = 5

/**
 * Runs the transaction as sent; undefined if no node supports it. Nodes that do not report the gas before refunds need
 * another run to measure it; a request for `charged` skips that run.
 */
export async function runAsSent(
  task: SimulationTask,
  environment: CallEnvironment,
  setUp: SetUp,
): Promise<SentOutcome | undefined> {
  const { rpc, request, context, options } = task
  const { bareRuns } = context
  // True: run with the probe at the target only if the transaction as sent has no outcome.
  const targetIsFallback = !bareRuns.isUnsupported && (bareRuns.reportsGrossGas || request.asSent === 'charged')
  const [sentOutcome, measuredGas] = await Promise.all([
    bareRuns.run({ rpc, request, environment, setUp, options }),
    targetIsFallback ? undefined : runAtTarget(task, environment, setUp),
  ])
  const confirms = (balance: Reading) => request.tokenIn === NATIVE || balance.amount === setUp.balance
  if (sentOutcome && confirms(sentOutcome.before.tokenIn)) return outcomeAsSent(sentOutcome, task, measuredGas)
  const atTarget = targetIsFallback ? await runAtTarget(task, environment, setUp) : measuredGas
  if (!atTarget || !confirms(atTarget.before.tokenIn)) return undefined
  return { ...outcomeOf(atTarget), isExhausted: isExhausted(atTarget) }
}

/** Runs with the probe at the target, which leaves the sender unchanged. Undefined if the probe cannot be set up there. */
async function runAtTarget(
  task: SimulationTask,
  environment: CallEnvironment,
  setUp: SetUp,
): Promise<RunReport | undefined> {
  const { rpc, request, options } = task
  if (setUp.approve > 0n || setUp.lend) return undefined
  const { to, codes, knownState } = request
  const targetCode = codes?.[to] ?? (await (knownState?.codeOf?.(to) ?? rpc.getCode(to, environment.block, options)))
  if (targetCode === '0x') return undefined
  return runTask(task, environment, setUp, targetCode).catch((error: unknown) => {
    if (error instanceof SimulationError || (error instanceof RpcError && error.code === 'GAS_CAP')) return undefined
    throw error
  })
}

function outcomeAsSent(
  { success, amountOut, returnData, chargedGas, gasUsed, gasLimit }: BareReport,
  { request: { data }, context }: SimulationTask,
  atTarget: RunReport | undefined,
): SentOutcome {
  const intrinsic = Number(intrinsicGas(data))
  // Up to the floor, calldata decides the charge, and the gas that the node reports: any lower gas is charged alike.
  const floor = Number(floorGas(data))
  const reportedGas = gasUsed !== undefined && gasUsed + intrinsic <= floor ? undefined : gasUsed
  const upperBound = gasUsed ?? Math.ceil((chargedGas * MAX_REFUND_PART) / (MAX_REFUND_PART - 1)) - intrinsic
  const measuredGas = reportedGas ?? (atTarget?.success === success ? Number(atTarget.gasUsed) : undefined)
  const truncatedData = returnData.slice(0, 2 + 2 * context.limits.maxReturnData) as Hex
  return {
    ...{ success, amountOut, returnData: truncatedData, chargedGas, gasUsed: measuredGas ?? upperBound },
    ...(measuredGas === undefined && { minGasUsed: chargedGas <= floor ? 0 : chargedGas - intrinsic }),
    isExhausted: !success && returnData === '0x' && chargedGas >= gasLimit,
  }
}

/** True if the probe at the sender made no difference. */
export function isSameOutcome(probedOutcome: CallOutcome, sentOutcome: Omit<SentOutcome, 'isExhausted'>): boolean {
  if (probedOutcome.success !== sentOutcome.success || probedOutcome.amountOut !== sentOutcome.amountOut) return false
  if (!probedOutcome.success) return probedOutcome.returnData === sentOutcome.returnData
  const { gasUsed, minGasUsed = gasUsed } = sentOutcome
  const tolerance = (GAS_TOLERANCE / 100) * probedOutcome.gasUsed
  return probedOutcome.gasUsed >= minGasUsed - tolerance && probedOutcome.gasUsed <= gasUsed + tolerance
}
