/**
 * Simulates one swap in one eth_call, as its sender would run it.
 *
 * Terms: The target is the contract that the transaction calls (`to`). The probe is a contract that measures balances
 * and gas; state overrides install it at the sender. A bare run leaves the sender's code unchanged: it uses
 * eth_simulateV1, or installs the probe at the target. A setup is a way to give the sender the input, such as storage
 * overrides or a loan. An attempt is a run with one setup. A layout says where a token stores balances and allowances.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { type CallEnvironment, codeOverrides, mergeOverrides, type RunReport } from './attempt.ts'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import { defaultGasLimit, intrinsicGas } from './gas.ts'
import { type BlockEnvironment, nextBlock } from './next-block.ts'
import { permit2WritesOf } from './permit2.ts'
import { decodeRevert } from './revert.ts'
import {
  accountSlotSetUp,
  isExpectedBalance,
  loanSetUp,
  nativeSetUp,
  ownBalanceSetUp,
  realBalanceSetUp,
  type SetUp,
  slotSetUp,
  withApproval,
} from './setup.ts'
import { commonMappings } from './slots/candidates.ts'
import { findForAccount } from './slots/find.ts'
import { SLOT_PROBE, storageOverrides, TokenReader } from './slots/reader.ts'
import { layoutFromSlots, type TokenLayout } from './slots/resolver.ts'
import { describeExhaustion, isExhausted, outcomeOf, runTask, type SimulationTask } from './task.ts'
import type { SimulationRequest, SwapSimulation } from './types.ts'
import { type BareOutcome, isSameOutcome, runWithoutSenderProbe } from './without-sender-probe.ts'

const MAX_UINT256 = 2n ** 256n - 1n

/** Maximum alternative swaps per call, so that the gas of one call is enough for all. */
const MAX_ALTERNATIVES = 7

/** Stands for a missing error message of the node. The transaction then counts as out of gas. */
const NO_MESSAGE = ''

/**
 * Runs the transaction at the block. Sets the sender's allowance of `tokenIn` to exactly `amountIn`, and also its
 * balance unless its own balance suffices. Verifies that the token reports both. A revert of the transaction is a
 * result, not an error.
 *
 * @throws SimulationError if the request is invalid, a token is not an ERC-20, or the input cannot be set up
 * @throws RpcError if no endpoint could run the call
 */
export async function simulateSwap(
  rpc: Rpc,
  request: SimulationRequest,
  context: SimulationContext,
): Promise<SwapSimulation> {
  checkRequest(request, context)
  return context.limiter.run(request.to, () => simulate(rpc, request, context), request.signal)
}

async function simulate(rpc: Rpc, request: SimulationRequest, context: SimulationContext): Promise<SwapSimulation> {
  const { signal, priority, tokenIn: token, block, from, amountIn, to, spender = to, allowance } = request
  const options = { timeoutMs: context.limits.timeoutMs, ...(signal && { signal }), ...(priority && { priority }) }
  const header = readHeader(rpc, request, options)
  const readerOverrides = header.then((knownHeader) => blockOverridesOf(knownHeader, request, context))
  // A failure is handled where `header` is awaited.
  readerOverrides.catch(() => {})
  // Rebasing balances depend on time, so read the token in the environment of the transaction.
  const reader = new TokenReader({ rpc, token, block, blockOverrides: readerOverrides, request: options })
  const writes = await permit2WritesOf(rpc, request, options)
  const input = { from, spender, amountIn, allowance, ...(writes && { permit2Writes: writes }) }
  const task = { rpc, request, context, options, header, reader, input }
  // Read everything in parallel: one round trip before the call itself.
  const [environment, { layout, setUp }] = await Promise.all([readEnvironment(task), findFirstSetUp(task)])
  request.onRun?.()
  // Start the bare run together with the run of the probe, with the setup that usually works.
  const earlyBareRun =
    setUp && request.bareRunMode ? { setUp, outcome: runWithoutSenderProbe(task, environment, setUp) } : undefined
  earlyBareRun?.outcome.catch(() => {})
  const attempt =
    setUp && token === NATIVE
      ? { setUp, report: await runTask(task, environment, setUp) }
      : await trySetUps(task, environment, layout, setUp)
  const result = await compareWithBareRun(task, environment, attempt, earlyBareRun)
  const nodeMessage = (await isStarvedInside(task, environment, result))
    ? NO_MESSAGE
    : await exhaustionMessage(task, environment, result)
  return resultOf({ ...result, nodeMessage }, environment)
}

/**
 * True if the transaction fails because an inner call runs out of gas. The calling contract then reverts without data
 * and with gas left, so only another run with more gas shows the cause.
 */
async function isStarvedInside(
  task: SimulationTask,
  environment: CallEnvironment,
  { report, setUp, bareOutcome }: Attempt,
): Promise<boolean> {
  const { gas } = task.request
  const { success, returnData } = bareOutcome ?? report
  if (gas === undefined || success || returnData !== '0x' || isExhausted(report)) return false
  // An inner call gets 63/64 of the remaining gas (EIP-150), so almost none remains.
  const isAlmostUsedUp = (runReport: RunReport, limit: bigint) => runReport.gasUsed * 4n > limit * 3n
  const { targetGas, defaultTargetGas } = environment
  if (!isAlmostUsedUp(report, targetGas) || defaultTargetGas <= targetGas) return false
  const rerun = await runTask(task, { ...environment, targetGas: defaultTargetGas }, setUp)
  // Code that consumes all gas, such as INVALID, fails with more gas too.
  if (isAlmostUsedUp(rerun, defaultTargetGas)) return rerun.success
  return rerun.success || rerun.returnData !== '0x' || rerun.gasUsed > targetGas
}

/** Returns the node's error message for a transaction that used all its gas; undefined for any other transaction. */
async function exhaustionMessage(
  { rpc, request, options }: SimulationTask,
  { block, blockOverrides, targetGas, gasPriceWei }: CallEnvironment,
  { report, setUp, bareOutcome }: Attempt,
): Promise<string | undefined> {
  if (!(bareOutcome ?? { isExhausted: isExhausted(report) }).isExhausted) return undefined
  const { from, to, data } = request
  const value = setUp.ways.balance === 'native' ? setUp.balance : 0n
  const gas = targetGas + intrinsicGas(data)
  const balance = { [from]: { balance: value + gas * gasPriceWei } }
  const overrides = mergeOverrides(codeOverrides(request.codes), storageOverrides(setUp.writes), balance)
  try {
    await rpc.call({ from, to, data, value, gas }, block, { ...options, overrides, blockOverrides })
  } catch (error) {
    if (error instanceof RpcError && error.code === 'REVERTED') return error.message
  }
  return NO_MESSAGE
}

/** Result of a run with one setup. `nodeMessage` is set if the transaction used all its gas. */
type Attempt = {
  readonly report: RunReport
  readonly setUp: SetUp
  readonly bareOutcome?: BareOutcome | undefined
  readonly nodeMessage?: string | undefined
}
/** A bare run that started before the token confirmed the balance and allowance of its setup. */
type EarlyBareRun = { readonly setUp: SetUp; readonly outcome: Promise<BareOutcome | undefined> }

function checkRequest(
  { from, to, data, alternatives = [], gas, amountIn }: SimulationRequest,
  { limits }: SimulationContext,
): void {
  const badRequest = (message: string) => new SimulationError('BAD_REQUEST', message)
  if (from === ZERO_ADDRESS || to === ZERO_ADDRESS) throw badRequest('from and to must not be the zero address')
  if (from === to) throw badRequest('to must differ from from')
  for (const calldata of [data, ...alternatives]) {
    if (calldata.length % 2 !== 0) throw badRequest('data must be whole bytes')
    if ((calldata.length - 2) / 2 > limits.maxCalldata)
      throw badRequest(`data must be at most ${limits.maxCalldata} bytes`)
  }
  if (alternatives.length > MAX_ALTERNATIVES) throw badRequest(`at most ${MAX_ALTERNATIVES} others may be tried`)
  if (gas !== undefined && gas > limits.maxGas)
    throw badRequest(`gas must be at most ${limits.maxGas}, the limit of this service`)
  if (amountIn < 0n || amountIn >> 256n !== 0n) throw badRequest('amountIn must fit 256 bits')
}

async function readEnvironment({ rpc, request, context, options, ...task }: SimulationTask): Promise<CallEnvironment> {
  const { block, from, to, gasPrice, knownState, allowance } = request
  const { fees, transactionLimit } = context
  const [header, transactionGasLimit, gasPriceWei, baseFeePerGas, senderCode, targetCode] = await Promise.all([
    task.header,
    task.header.then((knownHeader) => transactionLimit.limitAt(rpc, knownHeader, options)),
    gasPrice ?? task.header.then((knownHeader) => fees.gasPrice(rpc, knownHeader, options)),
    task.header.then((knownHeader) => fees.nextBaseFee(rpc, knownHeader, options)),
    knownState?.senderCode ?? rpc.getCode(from, block, options),
    allowance === 'kept' ? (knownState?.codeOf?.(to) ?? rpc.getCode(to, block, options)) : undefined,
  ])
  const gas = gasLimitOf(request, header, transactionGasLimit, context)
  const intrinsic = intrinsicGas(request.data)
  const targetGas = gas - intrinsic
  const defaultTargetGas = defaultGasLimitOf(header, transactionGasLimit, context) - intrinsic
  if (targetGas <= 0n) throw new SimulationError('BAD_REQUEST', `gas ${gas} does not even pay for the calldata`)
  // Pin tags by hash, not by number: a tag moves on between two calls, and a reorg changes the block of a number.
  const pinnedBlock = typeof block === 'string' && block !== 'pending' ? { blockHash: header.hash } : block
  const targetCodeField = targetCode === undefined || targetCode === '0x' ? {} : { targetCode }
  const blockOverrides = {
    ...blockOverridesOf(header, request, context),
    ...(block !== 'pending' && baseFeePerGas !== undefined && { baseFeePerGas }),
  }
  return {
    header,
    block: pinnedBlock,
    blockOverrides,
    gasPriceWei,
    targetGas,
    defaultTargetGas,
    senderCode,
    ...targetCodeField,
  }
}

/** @throws SimulationError `BAD_REQUEST` if the gas exceeds a limit of the chain */
function gasLimitOf(
  { gas }: SimulationRequest,
  header: BlockHeader,
  transactionGasLimit: bigint | undefined,
  context: SimulationContext,
): bigint {
  if (gas === undefined) return defaultGasLimitOf(header, transactionGasLimit, context)
  if (gas > header.gasLimit)
    throw new SimulationError('BAD_REQUEST', `gas must be at most ${header.gasLimit}, the gas limit of the block`)
  if (transactionGasLimit !== undefined && gas > transactionGasLimit)
    throw new SimulationError(
      'BAD_REQUEST',
      `gas must be at most ${transactionGasLimit}, the chain's limit for a transaction (EIP-7825)`,
    )
  return gas
}

function defaultGasLimitOf(
  header: BlockHeader,
  transactionGasLimit: bigint | undefined,
  { limits }: SimulationContext,
): bigint {
  const defaultLimit = defaultGasLimit(header, limits.maxGas)
  return transactionGasLimit !== undefined && transactionGasLimit < defaultLimit ? transactionGasLimit : defaultLimit
}

async function readHeader(
  rpc: Rpc,
  { block, knownState }: SimulationRequest,
  options: RequestOptions,
): Promise<BlockHeader> {
  const header = knownState?.header ?? (await rpc.getBlock(block, options))
  if (!header) throw new SimulationError('BAD_REQUEST', 'block does not exist')
  return header
}

/** Returns block overrides; none at `pending`, where the node already uses the environment of the next block. */
function blockOverridesOf(
  header: BlockHeader,
  { block, simulatedBlock }: SimulationRequest,
  { blockIntervalMs }: SimulationContext,
): BlockEnvironment | Record<string, never> {
  return block === 'pending' ? {} : (simulatedBlock ?? nextBlock(header, blockIntervalMs))
}

/**
 * Finds the layout of the input token, and the first setup to try. The setup is the sender's own balance if it
 * suffices, otherwise storage overrides. It is undefined if the balance cannot be written.
 */
async function findFirstSetUp(
  task: SimulationTask,
): Promise<{ readonly layout: TokenLayout; readonly setUp: SetUp | undefined }> {
  const { tokenIn, amountIn, knownState } = task.request
  if (tokenIn === NATIVE) return { layout: {}, setUp: nativeSetUp(amountIn) }
  const layout = await layoutOf(task)
  if ((knownState?.senderBalance ?? -1n) >= amountIn) return { layout, setUp: ownBalanceSetUp(layout, task.input) }
  return { layout, setUp: await slotSetUp(task.reader, layout, task.input) }
}

async function layoutOf(task: SimulationTask): Promise<TokenLayout> {
  const { tokenIn, balanceSlot: balance, allowanceSlot: allowance } = task.request
  if (balance === undefined && allowance === undefined) return findLayout(task)
  const layoutOfSlots = await layoutFromSlots(task.reader, { balance, allowance })
  const badSlot = (name: string, expected: string) =>
    new SimulationError('BAD_SLOT', `${name} does not hold ${expected}`)
  if (balance !== undefined && !layoutOfSlots.balance) throw badSlot('balanceSlot', `the balances of ${tokenIn}`)
  if (allowance !== undefined && !layoutOfSlots.allowance)
    throw badSlot('allowanceSlot', `the allowances of ${tokenIn}`)
  return layoutOfSlots.balance && layoutOfSlots.allowance
    ? layoutOfSlots
    : { ...(await findLayout(task)), ...layoutOfSlots }
}

/** Finds the token's storage layout. Callers share the work, so it has no caller's abort signal. */
function findLayout({ rpc, request, context }: SimulationTask): Promise<TokenLayout> {
  const { timeoutMs } = context.limits
  return context.slots.layout(
    new TokenReader({ rpc, token: request.tokenIn, block: request.block, request: { timeoutMs, priority: 'lookup' } }),
  )
}

/** Tries the setups of the input, the most exact first, until the token confirms the balance and allowance of a setup. */
async function trySetUps(
  task: SimulationTask,
  environment: CallEnvironment,
  layout: TokenLayout,
  setUp: SetUp | undefined,
): Promise<Attempt> {
  const { tokenIn, holders = [] } = task.request
  const isOwnBalance = setUp?.ways.balance === 'own'
  const ownBalanceResult = isOwnBalance ? await runConfirmed(task, environment, setUp) : undefined
  if (ownBalanceResult && !takesMoreThan(task.input.amountIn, ownBalanceResult.report)) return ownBalanceResult
  // The sender may have spent its own balance since the caller read it, so override the balance.
  const firstResult = isOwnBalance
    ? await trySlots(task, environment, layout)
    : setUp && (await runConfirmed(task, environment, setUp))
  const attemptResult = firstResult ?? (await tryOtherLayouts(task, environment, layout))
  if (firstResult?.report.success) task.context.slots.recordTransfer(tokenIn, task.input.from, layout)
  if (attemptResult && (attemptResult.report.success || task.input.allowance || (await canTransfer(task, layout))))
    return attemptResult
  const realBalanceResult = await tryRealBalance(task, environment)
  if (realBalanceResult && (realBalanceResult.report.success || !attemptResult)) return realBalanceResult
  const accountSlotResult = attemptResult ? undefined : await trySlots(task, environment, layout, accountSlotSetUp)
  if (accountSlotResult) return accountSlotResult
  // If a holder is a pool of the swap, the swap fails because the pool lent its tokens. Try all holders, and use a
  // failed result only if no holder works.
  let failedResult = attemptResult
  for (const holder of holders) {
    const loanResult = await tryLoan(task, environment, layout, holder)
    if (loanResult?.report.success) return loanResult
    failedResult ??= loanResult
  }
  if (failedResult) return failedResult
  throw new SimulationError(
    'UNKNOWN_SLOTS',
    `where ${tokenIn} keeps balances and allowances could not be found, and ${task.input.from} holds less of it than goes in`,
  )
}

/**
 * Runs the swap with the sender's real balance and allowance. Returns undefined if the balance is too small, or if the
 * token takes more from the sender than the input.
 */
async function tryRealBalance(task: SimulationTask, environment: CallEnvironment): Promise<Attempt | undefined> {
  const { amountIn } = task.input
  const setUp = realBalanceSetUp(task.input)
  const report = await runTask(task, environment, setUp)
  if (report.balancesBefore.tokenIn.amount < amountIn) return undefined
  const attempt = await withAllowance(task, environment, { report, setUp })
  return attempt && takesMoreThan(amountIn, attempt.report) ? undefined : attempt
}

/** True if the swap succeeded and the token took more from the sender than the input. */
function takesMoreThan(amountIn: bigint, { success, balancesBefore, balancesAfter }: RunReport): boolean {
  return success && balancesBefore.tokenIn.amount - balancesAfter.tokenIn.amount > amountIn
}

/**
 * Runs the swap with storage overrides; undefined if no slot is found or the token does not confirm them.
 *
 * @param computeSetUp - finds the slots to override: from the layout, or from the slots that the token reads for the
 *   sender
 */
async function trySlots(
  task: SimulationTask,
  environment: CallEnvironment,
  layout: TokenLayout,
  computeSetUp: typeof slotSetUp | typeof accountSlotSetUp = slotSetUp,
): Promise<Attempt | undefined> {
  const setUp = await computeSetUp(task.reader, layout, task.input)
  return setUp && runConfirmed(task, environment, setUp)
}

/**
 * Finds the layout again, in case the token was upgraded. Then searches the slot of the sender, in case the token
 * treats this account specially; undefined if neither works.
 */
async function tryOtherLayouts(
  task: SimulationTask,
  environment: CallEnvironment,
  knownLayout: TokenLayout,
): Promise<Attempt | undefined> {
  const { request, context, reader, input } = task
  if (request.balanceSlot !== undefined || request.allowanceSlot !== undefined)
    throw new SimulationError('BAD_SLOT', `${request.tokenIn} does not answer with what was written to its slots`)
  let layout = knownLayout
  if (knownLayout.balance) {
    context.slots.forget(request.tokenIn)
    layout = await findLayout(task)
    const attempt = await trySlots(task, environment, layout)
    if (attempt) return attempt
  }
  const mapping = await findForAccount(reader, commonMappings(request.tokenIn), input.from)
  const shape = { kind: 'plain', shift: 0, width: 256 } as const
  return mapping && trySlots(task, environment, { ...layout, balance: { mapping, shape } })
}

/** Runs the swap; undefined if the token does not report the intended balance or allowance. */
async function runConfirmed(
  task: SimulationTask,
  environment: CallEnvironment,
  setUp: SetUp,
): Promise<Attempt | undefined> {
  const report = await runTask(task, environment, setUp)
  if (!isExpectedBalance(setUp, report.balancesBefore.tokenIn.amount)) return undefined
  return withAllowance(task, environment, { report, setUp })
}

/**
 * Returns the attempt if the spender may take the input. Otherwise runs the swap with an approval by the sender.
 * Returns undefined if no approval suffices.
 */
async function withAllowance(
  task: SimulationTask,
  environment: CallEnvironment,
  attempt: Attempt,
): Promise<Attempt | undefined> {
  const { amountIn, allowance } = task.input
  if (allowance) return attempt
  // The allowance is larger than requested if the token itself grants an allowance.
  const { ok, amount } = attempt.report.balancesBefore.allowance
  if (ok && amount >= amountIn) return attempt
  const { approvalAmount } = attempt.setUp
  if (approvalAmount === MAX_UINT256) return undefined
  // Some tokens only accept an unlimited allowance.
  const setUp = withApproval(attempt.setUp, approvalAmount === amountIn ? MAX_UINT256 : amountIn)
  return withAllowance(task, environment, { setUp, report: await runTask(task, environment, setUp) })
}

/** Runs the swap after a transfer of the input from a holder; undefined if the sender then has too little. */
async function tryLoan(
  task: SimulationTask,
  environment: CallEnvironment,
  layout: TokenLayout,
  holder: Address,
): Promise<Attempt | undefined> {
  const { amountIn } = task.input
  let amount = amountIn
  // The second round compensates for a transfer tax on the loan.
  for (let round = 0; round < 2; round++) {
    const setUp = loanSetUp(layout, task.input, { holder, amount })
    const report = await runTask(task, environment, setUp)
    const startBalance = report.balancesBefore.tokenIn.amount
    if (startBalance >= amountIn) return withAllowance(task, environment, { report, setUp })
    if (startBalance === 0n) return undefined
    amount = (amount * amountIn) / startBalance + 1n
    if (amount > MAX_UINT256) return undefined
  }
  return undefined
}

/**
 * Compares the run of the probe with a bare run, if requested. Also compares if the swap failed for a sender without
 * code, since the probe at the sender may be the cause.
 */
async function compareWithBareRun(
  task: SimulationTask,
  environment: CallEnvironment,
  attempt: Attempt,
  earlyBareRun: EarlyBareRun | undefined,
): Promise<Attempt> {
  const { report, setUp } = attempt
  const isSuspect = !report.success && !report.isOutOfGas && environment.senderCode === '0x'
  if (environment.targetCode !== undefined || !(task.request.bareRunMode || isSuspect)) return attempt
  const bareOutcome = await (earlyBareRun?.setUp === setUp
    ? earlyBareRun.outcome
    : runWithoutSenderProbe(task, environment, setUp))
  if (!bareOutcome || bareOutcome.minGasUsed === undefined || isSameOutcome(outcomeOf(report), bareOutcome))
    return { ...attempt, bareOutcome }
  // The bare run gave only bounds of the gas, so a refund may explain the difference. Measure the gas before refunds.
  const measuringTask = { ...task, request: { ...task.request, bareRunMode: 'measured' as const } }
  return { ...attempt, bareOutcome: await runWithoutSenderProbe(measuringTask, environment, setUp) }
}

/** True if a spender can transfer the overridden balance, so that the swap itself causes a failure. */
async function canTransfer({ reader, input, context }: SimulationTask, layout: TokenLayout): Promise<boolean> {
  const { slots } = context
  if (slots.hasTransferred(reader.token, input.from, layout)) return true
  const setUp = await slotSetUp(reader, layout, { ...input, spender: SLOT_PROBE })
  if (!setUp || setUp.approvalAmount > 0n) return true
  const { balanceBefore: before, balanceAfter: after } = await reader.transfer(
    input.from,
    input.spender,
    input.amountIn,
    setUp.writes,
  )
  const isTransferred = after < before
  if (isTransferred) slots.recordTransfer(reader.token, input.from, layout)
  return isTransferred
}

function resultOf(
  { report, setUp, bareOutcome, nodeMessage }: Attempt,
  { header, blockOverrides }: CallEnvironment,
): SwapSimulation {
  const { number = header.number, timestamp } = blockOverrides
  const isOverrideApplied = timestamp !== undefined && report.timestamp === timestamp
  const outcomeWithProbe = outcomeOf(report)
  const differs = bareOutcome !== undefined && !isSameOutcome(outcomeWithProbe, bareOutcome)
  const { success, amountOut, gasUsed, returnData } = differs ? bareOutcome : outcomeWithProbe
  const senderWay = bareOutcome && (differs ? 'bare' : 'same')
  return {
    ...{ success, amountOut, gasUsed, returnData },
    ...(differs ? { outcomeWithProbe } : report.alternatives && { alternatives: report.alternatives.map(outcomeOf) }),
    ...(!success && {
      revertReason: nodeMessage === undefined ? decodeRevert(returnData) : describeExhaustion(nodeMessage),
    }),
    ...(bareOutcome?.chargedGas !== undefined && { chargedGas: bareOutcome.chargedGas }),
    blockNumber: header.number,
    blockTimestamp: header.timestamp,
    ...(isOverrideApplied && { appliedBlock: { number, timestamp } }),
    header,
    ...(report.head && { head: report.head }),
    ways: { ...setUp.ways, ...(senderWay && { sender: senderWay }) },
  }
}
