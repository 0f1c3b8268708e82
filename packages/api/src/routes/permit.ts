import type { PermitOffer } from '@sluice/quoting'
import type { Request } from 'express'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { read } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'
import type { PermitResponse } from '../swap/permit-response.ts'
import { permitQuery } from '../swap/request.ts'

/** Forms of permission that an owner may sign so that a swap needs no approval. */
export async function permits(
  request: Request,
  { live, routerAddress }: ServedChain,
  context: RequestContext,
): Promise<PermitResponse> {
  const { src, from, amount, deadline } = read(permitQuery, request.query)
  if (from.address === live.contracts.guard) throw new ApiError('INVALID_PARAMETER', 'from must not be the Guard')
  const wanted = { token: src.address, owner: from.address, amount, deadline }
  const { offers, block, ...found } = await live.permits(wanted, context)
  return {
    ...{ src: src.sent, from: from.sent, spender: routerAddress, amount: amount.toString() },
    ...{ deadline: found.deadline, block: block.number, blockHash: block.hash },
    permits: offers.map(bodyOf),
  }
}

function bodyOf({ permit, typedData, approval }: PermitOffer): PermitResponse['permits'][number] {
  const { kind, amount, nonce, deadline } = permit
  return {
    kind,
    unlimited: kind === 'dai',
    // The approval of Permit2 sets the largest allowance; what the Guard may draw is limited by the signature.
    approval: approval && { ...approval, value: approval.value.toString(), unlimited: true },
    typedData: typedData as PermitResponse['permits'][number]['typedData'],
    permit: `${kind}:${amount}:${nonce}:${deadline}:`,
  }
}
