/**
 * Runs a simulated transaction without a probe (the contract that measures balances and gas) at the sender's address: a
 * bare run. Code at the sender can change the outcome. A bare run uses eth_simulateV1, or a probe at the target (the
 * contract that the transaction calls).
 */
import { type Hex, NATIVE } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import type { CallEnvironment, RunReport } from './attempt.ts'
import type { BareReport } from './bare.ts'
import { SimulationError } from './errors.ts'
import { floorGas, intrinsicGas } from './gas.ts'
import type { Reading } from './probe.ts'
import { isExpectedBalance, type SetUp } from './setup.ts'
import { isExhausted, outcomeOf, runTask, type SimulationTask } from './task.ts'
import type { CallOutcome } from './types.ts'

/** Outcome of a bare run. */
export type BareOutcome = CallOutcome & {
  /** True if all gas was used and no data returned. */
  readonly isExhausted: boolean
  /** Gas of the whole transaction after refunds, if the node reports it. */
  readonly chargedGas?: number
  /**
   * Lower bound on the gas of the target before refunds, if only the charged gas is known: the charged gas without a
   * refund. `gasUsed` is then the upper bound: the charged gas plus the largest possible refund.
   */
  readonly minGasUsed?: number
}

/** The refund is at most 1/5 of the used gas (EIP-3529). */
const MAX_REFUND_DIVISOR = 5
/**
 * Gas difference in percent up to which two runs count as the same. A probe at the target makes calls of the target to
 * itself cost about 700 gas more.
 */
const GAS_TOLERANCE_PERCENT = 5

/**
 * Runs the transaction without a probe at the sender; undefined if no node supports it. If the node does not report the
 * gas before refunds, a second run measures that gas, unless `bareRunMode` is `charged`.
 */
export async function runWithoutSenderProbe(
  task: SimulationTask,
  environment: CallEnvironment,
  setUp: SetUp,
): Promise<BareOutcome | undefined> {
  const { rpc, request, context, options } = task
  const { bareRuns } = context
  // If true, the probe at the target runs only if eth_simulateV1 gives no outcome. If false, both run at once.
  const isTargetFallback = !bareRuns.isUnsupported && (bareRuns.reportsGrossGas || request.bareRunMode === 'charged')
  const [bareReport, earlyTargetReport] = await Promise.all([
    bareRuns.run({ rpc, request, environment, setUp, options }),
    isTargetFallback ? undefined : runAtTarget(task, environment, setUp),
  ])
  const hasExpectedBalance = (balance: Reading) =>
    request.tokenIn === NATIVE || isExpectedBalance(setUp, balance.amount)
  if (bareReport && hasExpectedBalance(bareReport.balancesBefore.tokenIn))
    return bareOutcomeOf(bareReport, task, earlyTargetReport)
  const targetReport = isTargetFallback ? await runAtTarget(task, environment, setUp) : earlyTargetReport
  if (!targetReport || !hasExpectedBalance(targetReport.balancesBefore.tokenIn)) return undefined
  return { ...outcomeOf(targetReport), isExhausted: isExhausted(targetReport) }
}

/**
 * Runs with a probe at the target, which leaves the sender unchanged; undefined if the probe cannot be set up there.
 */
async function runAtTarget(
  task: SimulationTask,
  environment: CallEnvironment,
  setUp: SetUp,
): Promise<RunReport | undefined> {
  const { rpc, request, options } = task
  if (setUp.approvalAmount > 0n || setUp.loan) return undefined
  const { to, codes, knownState } = request
  const targetCode = codes?.[to] ?? (await (knownState?.codeOf?.(to) ?? rpc.getCode(to, environment.block, options)))
  if (targetCode === '0x') return undefined
  return runTask(task, environment, setUp, targetCode).catch((error: unknown) => {
    if (error instanceof SimulationError || (error instanceof RpcError && error.code === 'GAS_CAP')) return undefined
    throw error
  })
}

function bareOutcomeOf(
  { success, amountOut, returnData, chargedGas, gasUsed, gasLimit }: BareReport,
  { request: { data }, context }: SimulationTask,
  targetReport: RunReport | undefined,
): BareOutcome {
  const intrinsic = Number(intrinsicGas(data))
  // Up to the calldata floor (EIP-7623), the charge and the reported gas do not depend on the gas that was used.
  const gasFloor = Number(floorGas(data))
  const reportedGas = gasUsed !== undefined && gasUsed + intrinsic <= gasFloor ? undefined : gasUsed
  const upperBound = gasUsed ?? Math.ceil((chargedGas * MAX_REFUND_DIVISOR) / (MAX_REFUND_DIVISOR - 1)) - intrinsic
  const measuredGas = reportedGas ?? (targetReport?.success === success ? Number(targetReport.gasUsed) : undefined)
  const truncatedData = returnData.slice(0, 2 + 2 * context.limits.maxReturnData) as Hex
  return {
    ...{ success, amountOut, returnData: truncatedData, chargedGas, gasUsed: measuredGas ?? upperBound },
    ...(measuredGas === undefined && { minGasUsed: chargedGas <= gasFloor ? 0 : chargedGas - intrinsic }),
    isExhausted: !success && returnData === '0x' && chargedGas >= gasLimit,
  }
}

/** True if the probe at the sender made no difference. */
export function isSameOutcome(probedOutcome: CallOutcome, bareOutcome: Omit<BareOutcome, 'isExhausted'>): boolean {
  if (probedOutcome.success !== bareOutcome.success || probedOutcome.amountOut !== bareOutcome.amountOut) return false
  if (!probedOutcome.success) return probedOutcome.returnData === bareOutcome.returnData
  const { gasUsed, minGasUsed = gasUsed } = bareOutcome
  const tolerance = (GAS_TOLERANCE_PERCENT / 100) * probedOutcome.gasUsed
  return probedOutcome.gasUsed >= minGasUsed - tolerance && probedOutcome.gasUsed <= gasUsed + tolerance
}
