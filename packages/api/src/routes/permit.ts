/** Handler of `/permit`. */
import type { AvailablePermit } from '@sluice/quoting'
import type { Request } from 'express'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { read } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'
import type { PermitResponse } from '../swap/permit-response.ts'
import { permitQuery } from '../swap/request.ts'

/** Returns the permits that an owner may sign instead of sending an approval. */
export async function permits(
  request: Request,
  { liveChain, routerAddress }: ServedChain,
  context: RequestContext,
): Promise<PermitResponse> {
  const { src, from, amount, deadline } = read(permitQuery, request.query)
  if (from.address === liveChain.contracts.guard) throw new ApiError('INVALID_PARAMETER', 'from must not be the Guard')
  const permitRequest = { token: src.address, owner: from.address, amount, deadline }
  const { offers, block, deadline: permitDeadline } = await liveChain.permits(permitRequest, context)
  return {
    ...{ src: src.input, from: from.input, spender: routerAddress, amount: amount.toString() },
    ...{ deadline: permitDeadline, block: block.number, blockHash: block.hash },
    permits: offers.map(bodyOf),
  }
}

function bodyOf({ permit, typedData, approval }: AvailablePermit): PermitResponse['permits'][number] {
  const { kind, amount, nonce, deadline } = permit
  return {
    kind,
    unlimited: kind === 'dai',
    approval: approval && approvalBody(approval),
    typedData: typedData as PermitResponse['permits'][number]['typedData'],
    permit: `${kind}:${amount}:${nonce}:${deadline}:`,
  }
}

/**
 * Formats an approval of Permit2. Even if the approval is unlimited, the signature limits how much the Guard may draw.
 */
function approvalBody({ reset, isUnlimited, ...call }: NonNullable<AvailablePermit['approval']>) {
  return {
    ...{ ...call, value: call.value.toString(), unlimited: isUnlimited },
    ...(reset && { reset: { ...reset, value: reset.value.toString() } }),
  }
}
