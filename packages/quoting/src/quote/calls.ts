/** Builds a swap as a batch of calls, for wallets that support EIP-5792 and for smart accounts. */
import { type Address, type Hex, NATIVE } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import { type AccountCall, acceptsApproval, approvalOf } from '../approval.ts'
import { QuotingError } from '../errors.ts'
import { tokenAbi, undefinedIfReverted } from '../permit/permit.ts'
import type { SimulatedRoute } from './simulated-route.ts'
import { withoutOwnFee } from './try-route.ts'

/** An approval of `amount` base units that a swap needs at a block. */
type Approval = {
  readonly token: Address
  readonly owner: Address
  readonly spender: Address
  readonly amount: bigint
  readonly block: BlockRef
}

/**
 * Returns the approvals that the owner must send before the spender can transfer the amount. None if the allowance
 * suffices. Otherwise an approval of exactly the amount, after an approval of zero for tokens that require it. Each
 * approval is simulated at the block.
 *
 * @throws QuotingError `ROUTE_REVERTED` if the token rejects the approval
 */
export async function approvalCalls(
  rpc: Rpc,
  approval: Approval,
  options: RequestOptions,
): Promise<readonly AccountCall[]> {
  const { token, owner, spender, amount, block } = approval
  if (token === NATIVE) return []
  const approve = (units: bigint) => approvalOf(token, spender, units)
  const succeeds = (call: AccountCall) => acceptsApproval(rpc, call, { owner, block }, options)
  const allowanceCall = tokenAbi.encodeFunctionData('allowance', [owner, spender]) as Hex
  const [answer, isApproved] = await Promise.all([
    rpc.call({ to: token, data: allowanceCall }, block, options).catch(undefinedIfReverted),
    succeeds(approve(amount)),
  ])
  const allowance = answer && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : 0n
  if (allowance >= amount) return []
  if (isApproved) return [approve(amount)]
  if (allowance > 0n && (await succeeds(approve(0n)))) return [approve(0n), approve(amount)]
  throw new QuotingError('ROUTE_REVERTED', 'src refuses the approval that the swap needs', { reasons: [] })
}

type BatchContext = Pick<SimulatedRoute, 'request' | 'route' | 'trial' | 'view' | 'simulate' | 'signal'>

/**
 * Simulates approvals and swap as one transaction, starting with the sender's current allowance.
 *
 * @returns warnings
 * @throws QuotingError `ROUTE_REVERTED` if the combined transaction fails, or pays less than the swap alone
 */
export async function checkBatch(
  approvals: readonly AccountCall[],
  { request, route, trial, view, simulate, signal }: BatchContext,
): Promise<readonly string[]> {
  const { to, data } = trial.swap
  const { block } = view.snapshot
  const [senderCode, senderBalance] = await Promise.all([
    view.codeOf(request.from),
    view.balanceOf(request.tokenIn, request.from),
  ])
  const simulation = simulate(
    {
      ...{ from: request.from, to, data, tokenIn: route.tokenIn, amountIn: route.amountIn, tokenOut: route.tokenOut },
      ...(request.recipient && { recipient: request.recipient }),
      ...{ block: { blockHash: block.hash }, signal },
      knownState: { header: block, senderCode, senderBalance, codeOf: view.codeOf },
      allowance: approvals.length > 0 ? 'approved' : 'kept',
    },
    new Set(route.legs.map(({ pool }) => pool.address)),
  )
  const netSimulation = simulation.then((outcome) => withoutOwnFee(outcome, request))
  const result = await netSimulation.catch((error: unknown) => {
    if (error instanceof SimulationError) return error
    throw error
  })
  // A SimulationError means that the sender could not be funded with the input token.
  if (result instanceof SimulationError) return [`approvals and swap could not be run as one: ${result.message}`]
  // An account that batches calls has code, and some tokens reject such accounts. `bare` means that the swap ended
  // differently without code at the sender's address.
  const dependsOnCode = [result, trial.simulation].some(({ ways }) => ways.sender === 'bare')
  if (dependsOnCode && approvals.length > 0 && senderCode === '0x')
    return ['src or dst treats accounts with code otherwise: make the calls one by one']
  if (result.success && result.amountOut >= trial.amountOut) return []
  const reason = result.success ? `pays ${result.amountOut} instead of ${trial.amountOut}` : result.revertReason
  throw new QuotingError('ROUTE_REVERTED', `approvals and swap fail as one: ${reason}`, {
    reasons: [],
    block: block.number,
  })
}
