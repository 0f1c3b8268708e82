/** A swap as a batch of calls for wallets that make several at once (EIP-5792) and for smart accounts. */
import { type Address, type Hex, NATIVE } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import { tokenAbi, undefinedIfReverted } from '../permit/permit.ts'
import type { Found } from './found.ts'

export type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }

type Approval = {
  readonly token: Address
  readonly owner: Address
  readonly spender: Address
  readonly amount: bigint
  readonly block: BlockRef
}

/**
 * Calls that the owner has to make before the spender may take the amount: none where it may already; exactly the amount, after a
 * reset to zero where the token takes no other way. Each approval is tried at the block.
 *
 * @throws QuotingError `ROUTE_REVERTED` where the token refuses to be approved
 */
export async function approvalCalls(rpc: Rpc, approval: Approval, options: RequestOptions): Promise<readonly Call[]> {
  const { token, owner, spender, amount, block } = approval
  if (token === NATIVE) return []
  const approve = (units: bigint): Call => {
    return { to: token, data: tokenAbi.encodeFunctionData('approve', [spender, units]) as Hex, value: 0n }
  }
  const works = async (call: Call) => {
    const answer = await rpc
      .call({ from: owner, to: call.to, data: call.data }, block, options)
      .catch(undefinedIfReverted)
    // Tokens that return nothing are older than the standard; one that returns false has not approved.
    return answer === '0x' || (answer !== undefined && BigInt(answer.slice(0, 66)) === 1n)
  }
  const asked = tokenAbi.encodeFunctionData('allowance', [owner, spender]) as Hex
  const [answer, isApproved] = await Promise.all([
    rpc.call({ to: token, data: asked }, block, options).catch(undefinedIfReverted),
    works(approve(amount)),
  ])
  const allowance = answer && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : 0n
  if (allowance >= amount) return []
  if (isApproved) return [approve(amount)]
  if (allowance > 0n && (await works(approve(0n)))) return [approve(0n), approve(amount)]
  throw new QuotingError('ROUTE_REVERTED', 'src refuses the approval that the swap needs', { reasons: [] })
}

type Checked = Pick<Found, 'request' | 'route' | 'trial' | 'view' | 'simulate' | 'signal'>

/**
 * Runs approvals and swap as one, from the allowance that the sender has.
 *
 * @returns warnings
 * @throws QuotingError `ROUTE_REVERTED` where they do not do together what the swap does alone
 */
export async function checkBatch(
  approvals: readonly Call[],
  { request, route, trial, view, simulate, signal }: Checked,
): Promise<readonly string[]> {
  const { to, data } = trial.swap
  const { block } = view.snapshot
  const senderCode = await view.codeOf(request.from)
  const running = simulate(
    {
      ...{ from: request.from, to, data, tokenIn: route.tokenIn, amountIn: route.amountIn, tokenOut: route.tokenOut },
      ...(request.recipient && { recipient: request.recipient }),
      ...{ block: { blockHash: block.hash }, signal },
      known: { header: block, senderCode },
      allowance: approvals.length > 0 ? 'approved' : 'kept',
    },
    new Set(route.legs.map(({ pool }) => pool.address)),
  )
  const result = await running.catch((error: unknown) => {
    if (error instanceof SimulationError) return error
    throw error
  })
  // Where the input is only lent to the sender, it has nothing that a batch could start from.
  if (result instanceof SimulationError) return [`approvals and swap could not be run as one: ${result.message}`]
  // An account that makes several calls as one has code, which some tokens refuse.
  const isApart = [result, trial.simulation].some(({ ways }) => ways.sender === 'bare')
  if (isApart && approvals.length > 0 && senderCode === '0x')
    return ['src or dst treats accounts with code otherwise: make the calls one by one']
  if (result.success && result.amountOut >= trial.amountOut) return []
  const why = result.success ? `pays ${result.amountOut} instead of ${trial.amountOut}` : result.revertReason
  throw new QuotingError('ROUTE_REVERTED', `approvals and swap fail as one: ${why}`, {
    reasons: [],
    block: block.number,
  })
}
