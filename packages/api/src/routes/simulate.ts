import type { Request } from 'express'
import type { ChainService } from '../chain/chain-service.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { read, type SimulateFields, simulateFields } from '../requests.ts'
import type { SimulationResponse } from '../responses.ts'

export async function simulate(
  request: Request,
  chain: ChainService,
  context: RequestContext,
  config: Config,
): Promise<SimulationResponse> {
  const fields = read(simulateFields, request.method === 'POST' ? bodyOf(request) : request.query)
  const result = await context.time('simulate', async () =>
    chain.simulate({
      from: fields.from.address,
      to: fields.to.address,
      data: fields.data,
      tokenIn: fields.tokenIn.address,
      amountIn: fields.amountIn,
      tokenOut: fields.tokenOut.address,
      block: fields.block.ref,
      gas: await gasLimit(fields, chain, config, context),
      ...(fields.gasPrice !== undefined && { gasPrice: fields.gasPrice }),
      ...(fields.spender && { spender: fields.spender.address }),
      ...(fields.coinbase && { coinbase: fields.coinbase.address }),
      ...(fields.balanceSlot !== undefined && { balanceSlot: fields.balanceSlot }),
      ...(fields.allowanceSlot !== undefined && { allowanceSlot: fields.allowanceSlot }),
      signal: context.signal,
    }),
  )
  return {
    success: result.success,
    amountOut: (result.success ? result.amountOut : 0n).toString(),
    gasUsed: result.gasUsed,
    returnData: result.returnData,
    ...(!result.success && { revertReason: result.revertReason ?? 'reverted without a reason' }),
    block: fields.block.sent,
  }
}

function bodyOf(request: Request): object {
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('INVALID_BODY', 'the body must be a JSON object with content-type application/json')
  return body
}

/** @throws ApiError for more than the block or the operator allows, or for a block that does not exist */
async function gasLimit(
  fields: SimulateFields,
  chain: ChainService,
  config: Config,
  { signal }: RequestContext,
): Promise<bigint> {
  const header = await chain.rpc.getBlock(fields.block.ref, { signal })
  if (!header) throw new ApiError('INVALID_PARAMETER', `block ${fields.block.sent} does not exist`)
  const cap = config.simulateGasCap
  if (fields.gas === undefined) return header.gasLimit / 2n < cap ? header.gasLimit / 2n : cap
  if (fields.gas > header.gasLimit)
    throw new ApiError('INVALID_PARAMETER', `gas must be at most the block gas limit ${header.gasLimit}`)
  if (fields.gas > cap) throw new ApiError('INVALID_PARAMETER', `gas must be at most ${cap}, the cap of this service`)
  return fields.gas
}
