/** One swap, run in one eth_call as its sender would run it. */
import { type Address, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { type RunReport, runProbe, type Surroundings } from './attempt.ts'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import { intrinsicGas } from './gas.ts'
import { decodeRevert } from './revert.ts'
import { approving, type Input, lentSetUp, nativeSetUp, type SetUp, slotSetUp } from './setup.ts'
import { usualMappings } from './slots/candidates.ts'
import { findForAccount } from './slots/find.ts'
import { SLOT_PROBE, TokenReader } from './slots/reader.ts'
import { givenLayout, type TokenLayout } from './slots/resolver.ts'
import type { SimulationRequest, SimulationResult } from './types.ts'

/**
 * Runs the transaction at the block, with the sender's balance and allowance of tokenIn set to exactly `amountIn`, and
 * checks on what the token itself answers that they were. A revert of the transaction is a result, not an error.
 *
 * @throws SimulationError when the request contradicts itself, a token is none, or the input cannot be set up
 * @throws RpcError when no endpoint could run it
 */
export async function simulateSwap(
  rpc: Rpc,
  request: SimulationRequest,
  context: SimulationContext,
): Promise<SimulationResult> {
  checkRequest(request, context)
  return context.limiter.run(request.to, () => simulate(rpc, request, context), request.signal)
}

async function simulate(rpc: Rpc, request: SimulationRequest, context: SimulationContext): Promise<SimulationResult> {
  const { signal, tokenIn: token, block, from, amountIn, to, spender = to } = request
  const options = { timeoutMs: context.limits.timeoutMs, ...(signal && { signal }) }
  const reader = new TokenReader({ rpc, token, block, request: options })
  const task = { rpc, request, context, options, reader, input: { from, spender, amountIn } }
  // What the input needs to be read for goes out together with everything else: one round trip before the call itself.
  const [surroundings, { layout, setUp }] = await Promise.all([lookAround(task), prepare(task)])
  const trial =
    token === NATIVE ? await tryNative(task, surroundings) : await tryToken(task, surroundings, layout, setUp)
  return resultOf(await secondOpinion(task, surroundings, trial), surroundings)
}

type Task = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly context: SimulationContext
  readonly options: RequestOptions
  readonly reader: TokenReader
  readonly input: Input
}
type Trial = { readonly report: RunReport; readonly setUp: SetUp }

function checkRequest({ from, to, data, gas, amountIn }: SimulationRequest, { limits }: SimulationContext): void {
  const bad = (message: string) => new SimulationError('BAD_REQUEST', message)
  if (from === ZERO_ADDRESS || to === ZERO_ADDRESS) throw bad('from and to must not be the zero address')
  if (from === to) throw bad('to must differ from from')
  if (data.length % 2 !== 0) throw bad('data must be whole bytes')
  if ((data.length - 2) / 2 > limits.maxCalldata) throw bad(`data must be at most ${limits.maxCalldata} bytes`)
  if (gas !== undefined && gas > limits.maxGas) throw bad(`gas must be at most ${limits.maxGas}`)
  if (amountIn < 0n || amountIn >> 256n !== 0n) throw bad('amountIn must fit 256 bits')
}

async function lookAround({ rpc, request, context, options }: Task): Promise<Surroundings> {
  const { block, from, gasPrice, known } = request
  const [header, gasPriceWei, code] = await Promise.all([
    known?.header ?? rpc.getBlock(block, options),
    gasPrice ?? rpc.gasPrice(options),
    known?.senderCode ?? rpc.getCode(from, block, options),
  ])
  if (!header) throw new SimulationError('BAD_REQUEST', 'block does not exist')
  const half = header.gasLimit / 2n
  const gas = request.gas ?? (half < context.limits.maxGas ? half : context.limits.maxGas)
  const targetGas = gas - intrinsicGas(request.data)
  if (targetGas <= 0n) throw new SimulationError('BAD_REQUEST', `gas ${gas} does not even pay for the calldata`)
  // A tag moves on between two calls, and another branch may have the same number; a hash is one block.
  const pinned = typeof block === 'string' && block !== 'pending' ? { blockHash: header.hash } : block
  return { header, block: pinned, gasPriceWei, targetGas, code }
}

async function prepare(task: Task): Promise<{ readonly layout: TokenLayout; readonly setUp: SetUp | undefined }> {
  const layout = await layoutOf(task)
  return { layout, setUp: await slotSetUp(task.reader, layout, task.input) }
}

async function layoutOf(task: Task): Promise<TokenLayout> {
  const { tokenIn, balanceSlot: balance, allowanceSlot: allowance } = task.request
  if (tokenIn === NATIVE) return {}
  if (balance === undefined && allowance === undefined) return learnedLayout(task)
  const given = await givenLayout(task.reader, { balance, allowance })
  const wrong = (name: string, what: string) => new SimulationError('BAD_SLOT', `${name} does not hold ${what}`)
  if (balance !== undefined && !given.balance) throw wrong('balanceSlot', `the balances of ${tokenIn}`)
  if (allowance !== undefined && !given.allowance) throw wrong('allowanceSlot', `the allowances of ${tokenIn}`)
  return given.balance && given.allowance ? given : { ...(await learnedLayout(task)), ...given }
}

/** Shared by everyone who asks for the token, so it does not end with the one who asked first. */
function learnedLayout({ rpc, request, context }: Task): Promise<TokenLayout> {
  const { timeoutMs } = context.limits
  return context.slots.layout(
    new TokenReader({ rpc, token: request.tokenIn, block: request.block, request: { timeoutMs, priority: 'lookup' } }),
  )
}

async function tryNative(task: Task, surroundings: Surroundings): Promise<Trial> {
  const setUp = nativeSetUp(task.request.amountIn)
  return { setUp, report: await run(task, surroundings, setUp) }
}

/** The exact way first; the next one where the token does not confirm what was set up. */
async function tryToken(
  task: Task,
  surroundings: Surroundings,
  layout: TokenLayout,
  setUp: SetUp | undefined,
): Promise<Trial> {
  const { tokenIn, donors = [] } = task.request
  const first = setUp && (await confirmed(task, surroundings, setUp))
  const written = first ?? (await tryAgain(task, surroundings))
  if (written && (written.report.success || donors.length === 0 || (await canMove(task, layout)))) return written
  // A holder may be the very pool that is traded in, which then fails for what it has lent: others are asked first.
  let failed = written
  for (const holder of donors) {
    const lent = await tryLoan(task, surroundings, layout, holder)
    if (lent?.report.success) return lent
    failed ??= lent
  }
  if (failed) return failed
  throw new SimulationError(
    'UNKNOWN_SLOTS',
    `the storage of ${tokenIn} could not be worked out: balanceSlot and allowanceSlot must be given`,
  )
}

async function trySlots(task: Task, surroundings: Surroundings, layout: TokenLayout): Promise<Trial | undefined> {
  const setUp = await slotSetUp(task.reader, layout, task.input)
  return setUp && confirmed(task, surroundings, setUp)
}

/** The token may have been upgraded since it was learned, or may keep this account apart from all others. */
async function tryAgain(task: Task, surroundings: Surroundings): Promise<Trial | undefined> {
  const { request, context, reader, input } = task
  if (request.balanceSlot !== undefined || request.allowanceSlot !== undefined)
    throw new SimulationError('BAD_SLOT', `${request.tokenIn} does not answer with what was written to its slots`)
  context.slots.forget(request.tokenIn)
  const layout = await learnedLayout(task)
  const again = await trySlots(task, surroundings, layout)
  if (again) return again
  const mapping = await findForAccount(reader, usualMappings(request.tokenIn), input.from)
  const shape = { kind: 'plain', shift: 0, width: 256 } as const
  return mapping && trySlots(task, surroundings, { ...layout, balance: { mapping, shape } })
}

/** The trial, when the token says that balance and allowance are what they should be. */
async function confirmed(task: Task, surroundings: Surroundings, setUp: SetUp): Promise<Trial | undefined> {
  const report = await run(task, surroundings, setUp)
  if (report.before.tokenIn.amount !== setUp.balance) return undefined
  return allowed(task, surroundings, { report, setUp })
}

/** The trial itself, or one in which the sender approves, when the spender may take the amount. */
async function allowed(task: Task, surroundings: Surroundings, trial: Trial): Promise<Trial | undefined> {
  const { amountIn } = task.input
  // More than was written is what the token grants that spender by itself.
  const { ok, amount } = trial.report.before.allowance
  if (ok && amount >= amountIn) return trial
  if (trial.setUp.approve > 0n) return undefined
  const setUp = approving(trial.setUp, amountIn)
  return allowed(task, surroundings, { setUp, report: await run(task, surroundings, setUp) })
}

async function tryLoan(
  task: Task,
  surroundings: Surroundings,
  layout: TokenLayout,
  holder: Address,
): Promise<Trial | undefined> {
  const { amountIn } = task.input
  let amount = amountIn
  // The second time makes up for a tax on the loan.
  for (let round = 0; round < 2; round++) {
    const setUp = lentSetUp(layout, task.input, { holder, amount })
    const report = await run(task, surroundings, setUp)
    const received = report.before.tokenIn.amount
    if (received >= amountIn) return allowed(task, surroundings, { report, setUp })
    if (received === 0n) return undefined
    amount = (amount * amountIn) / received + 1n
  }
  return undefined
}

/**
 * What failed for a sender without code may have failed for the code that the probe gives it, since some tokens refuse
 * contracts: it is run once more with the probe at the target.
 */
async function secondOpinion(task: Task, surroundings: Surroundings, trial: Trial): Promise<Trial> {
  const { rpc, request, options } = task
  const { report, setUp } = trial
  if (report.success || report.outOfGas || surroundings.code !== '0x' || setUp.approve > 0n || setUp.lend) return trial
  const targetCode = await rpc.getCode(request.to, surroundings.block, options)
  if (targetCode === '0x') return trial
  const bare = await run(task, surroundings, setUp, targetCode).catch((error: unknown) => {
    if (error instanceof SimulationError || (error instanceof RpcError && error.code === 'GAS_CAP')) return undefined
    throw error
  })
  const asSetUp = bare && (request.tokenIn === NATIVE || bare.before.tokenIn.amount === setUp.balance)
  return bare?.success && asSetUp
    ? { report: bare, setUp: { ...setUp, ways: { ...setUp.ways, sender: 'bare' } } }
    : trial
}

/** Whether the token lets a spender take what was written, so that a revert is the swap's own. */
async function canMove({ reader, input }: Task, layout: TokenLayout): Promise<boolean> {
  const setUp = await slotSetUp(reader, layout, { ...input, spender: SLOT_PROBE })
  if (!setUp || setUp.approve > 0n) return true
  const { before, after } = await reader.take(input.from, input.spender, input.amountIn, setUp.writes)
  return after < before
}

/** @throws SimulationError `BAD_TOKEN` when setting the input up reverts, or a token does not answer */
async function run(task: Task, surroundings: Surroundings, setUp: SetUp, targetCode?: Hex): Promise<RunReport> {
  const { rpc, request, context, options } = task
  const { maxReturnData: maxReturn } = context.limits
  const attempt = { rpc, request, surroundings, setUp, maxReturn, options, ...(targetCode && { targetCode }) }
  const report = await runProbe(attempt).catch((error: unknown) => {
    if (!(error instanceof RpcError && error.code === 'REVERTED')) throw error
    throw new SimulationError('BAD_TOKEN', `setting up the input reverts: ${error.message}`, { cause: error })
  })
  const { tokenIn, tokenOut } = report.before
  if (!tokenIn.ok) throw new SimulationError('BAD_TOKEN', `tokenIn ${request.tokenIn} does not answer balanceOf`)
  if (!tokenOut.ok) throw new SimulationError('BAD_TOKEN', `tokenOut ${request.tokenOut} does not answer balanceOf`)
  return report
}

function resultOf({ report, setUp }: Trial, { header }: Surroundings): SimulationResult {
  const { success, gasUsed, returnData, before, after } = report
  const grown = after.tokenOut.amount - before.tokenOut.amount
  return {
    success,
    amountOut: success && grown > 0n ? grown : 0n,
    gasUsed: Number(gasUsed),
    returnData,
    ...(!success && { revertReason: reasonOf(report) }),
    blockNumber: header.number,
    blockTimestamp: header.timestamp,
    header,
    ...(report.head && { head: report.head }),
    ways: setUp.ways,
  }
}

function reasonOf({ returnData, outOfGas }: RunReport): string {
  return returnData === '0x' && outOfGas ? 'out of gas' : decodeRevert(returnData)
}
