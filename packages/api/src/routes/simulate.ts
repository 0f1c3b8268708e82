import { ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import type { Request } from 'express'
import { ApiError } from '../errors.ts'
import { bodyOf, parametersIn } from '../http/body.ts'
import type { RequestContext } from '../http/context.ts'
import { read, type SimulateFields, simulateFields } from '../requests.ts'
import type { SimulationResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'

/** Blocks in a row that may be gone before they are used. */
const MAX_ATTEMPTS = 3

export async function simulate(
  request: Request,
  { live }: ServedChain,
  context: RequestContext,
): Promise<SimulationResponse> {
  const fields = read(simulateFields, request.method === 'POST' ? parametersIn(bodyOf(request)) : request.query)
  // Reads at a block that is not there yet would be tried for as long as a node may lag.
  const header = typeof fields.block.ref === 'number' ? await headerOf(fields, live.rpc) : undefined
  const run = () =>
    context.time('simulate', () =>
      live.simulate({
        from: fields.from.address,
        to: fields.to.address,
        data: fields.data,
        tokenIn: fields.tokenIn.address,
        amountIn: fields.amountIn,
        tokenOut: fields.tokenOut.address,
        block: fields.block.ref,
        asSent: true,
        ...(header && { known: { header } }),
        ...(fields.gas !== undefined && { gas: fields.gas }),
        ...(fields.gasPrice !== undefined && { gasPrice: fields.gasPrice }),
        ...(fields.spender && { spender: fields.spender.address }),
        ...(fields.coinbase && { coinbase: fields.coinbase.address }),
        ...(fields.balanceSlot !== undefined && { balanceSlot: fields.balanceSlot }),
        ...(fields.allowanceSlot !== undefined && { allowanceSlot: fields.allowanceSlot }),
        signal: context.signal,
      }),
    )
  const result = await atStandingBlock(run, fields, context.signal).catch((error: unknown) => {
    // The one endpoint where the slots can be named.
    if (error instanceof SimulationError && error.code === 'UNKNOWN_SLOTS')
      throw new ApiError('UNKNOWN_SLOTS', `${error.message}: balanceSlot and allowanceSlot must be given`, {
        cause: error,
      })
    return refuseMissingBlock(error, fields, live.rpc)
  })
  return {
    success: result.success,
    amountOut: (result.success ? result.amountOut : 0n).toString(),
    gasUsed: result.gasUsed,
    returnData: result.returnData,
    ...(!result.success && { revertReason: result.revertReason ?? 'reverted without a reason' }),
    block: fields.block.sent,
  }
}

/** At a tag, the block that it stood for may be gone before the call: then it stands for another one. */
async function atStandingBlock<T>(run: () => Promise<T>, { block }: SimulateFields, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const isTag = typeof block.ref === 'string'
      if (!isTag || !(error instanceof RpcError && error.ofBlock) || attempt === MAX_ATTEMPTS) throw error
      signal.throwIfAborted()
    }
  }
}

/** @throws ApiError `INVALID_PARAMETER` */
async function headerOf({ block }: SimulateFields, rpc: Rpc): Promise<BlockHeader> {
  const header = await rpc.getBlock(block.ref)
  if (header === null) throw new ApiError('INVALID_PARAMETER', `block ${block.sent} does not exist`)
  return header
}

function isMissing(error: unknown): boolean {
  return error instanceof RpcError && (error.code === 'LAGGING' || error.code === 'PRUNED')
}

/** Nodes refuse reads at a block that is not there, or whose state they no longer keep, in many words: asking tells which. */
async function refuseMissingBlock(error: unknown, fields: SimulateFields, rpc: Rpc): Promise<never> {
  const { block } = fields
  if (!(error instanceof RpcError && error.ofBlock) || block.ref === 'latest') throw error
  await headerOf(fields, rpc)
  const holdsNone = (cause: unknown) => {
    throw new ApiError('NO_STATE', `no node of the chain holds the state of block ${block.sent}`, { cause })
  }
  if (isMissing(error) || isMissing(error.cause)) holdsNone(error)
  await rpc.getCode(ZERO_ADDRESS, block.ref).catch(holdsNone)
  throw error
}
