/** Handler of `/simulate`. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import type { Request } from 'express'
import { ApiError } from '../errors.ts'
import { jsonObjectOf, toQueryParameters } from '../http/body.ts'
import type { RequestContext } from '../http/context.ts'
import { read, type SimulateFields, simulateFields } from '../requests.ts'
import type { SimulationResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'

/** Maximum attempts if a reorg removes the block of a tag during the simulation. */
const MAX_ATTEMPTS = 3

/** Simulates a transaction of any router and measures its output. */
export async function simulate(
  request: Request,
  { liveChain }: ServedChain,
  context: RequestContext,
): Promise<SimulationResponse> {
  const fields = read(
    simulateFields,
    request.method === 'POST' ? toQueryParameters(jsonObjectOf(request)) : request.query,
  )
  // Check the block first: for a block that does not exist, reads would be repeated as if the node lagged.
  const header = typeof fields.block.ref === 'number' ? await headerOf(fields, liveChain.rpc) : undefined
  const run = () =>
    context.time('simulate', () =>
      liveChain.simulate({
        from: fields.from.address,
        to: fields.to.address,
        data: fields.data,
        tokenIn: fields.tokenIn.address,
        amountIn: fields.amountIn,
        tokenOut: fields.tokenOut.address,
        block: fields.block.ref,
        bareRunMode: 'measured',
        ...(header && { knownState: { header } }),
        ...(fields.gas !== undefined && { gas: fields.gas }),
        ...(fields.gasPrice !== undefined && { gasPrice: fields.gasPrice }),
        ...(fields.spender && { spender: fields.spender.address }),
        ...(fields.coinbase && { coinbase: fields.coinbase.address }),
        ...(fields.balanceSlot !== undefined && { balanceSlot: fields.balanceSlot }),
        ...(fields.allowanceSlot !== undefined && { allowanceSlot: fields.allowanceSlot }),
        signal: context.signal,
      }),
    )
  const result = await retryIfReorged(run, fields, context.signal).catch((error: unknown) => {
    // Only this endpoint accepts storage slots, so only its error suggests them.
    if (error instanceof SimulationError && error.code === 'UNKNOWN_SLOTS')
      throw new ApiError('UNKNOWN_SLOTS', `${error.message}: balanceSlot and allowanceSlot must be given`, {
        cause: error,
      })
    return throwIfBlockMissing(error, fields, liveChain.rpc)
  })
  return {
    success: result.success,
    amountOut: (result.success ? result.amountOut : 0n).toString(),
    gasUsed: result.gasUsed,
    returnData: result.returnData,
    ...(!result.success && { revertReason: result.revertReason ?? 'reverted without a reason' }),
    block: fields.block.input,
  }
}

/** Runs a simulation. Repeats it if the request names a tag, and a reorg removed the block of the tag. */
async function retryIfReorged<T>(run: () => Promise<T>, { block }: SimulateFields, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const isTag = typeof block.ref === 'string'
      if (!isTag || !(error instanceof RpcError && error.mayDependOnBlock) || attempt === MAX_ATTEMPTS) throw error
      signal.throwIfAborted()
    }
  }
}

/** Returns the header of the requested block. @throws ApiError `INVALID_PARAMETER` if the block does not exist */
async function headerOf({ block }: SimulateFields, rpc: Rpc): Promise<BlockHeader> {
  const header = await rpc.getBlock(block.ref)
  if (header === null) throw new ApiError('INVALID_PARAMETER', `block ${block.input} does not exist`)
  return header
}

function isStateMissing(error: unknown): boolean {
  return error instanceof RpcError && (error.code === 'LAGGING' || error.code === 'PRUNED')
}

/**
 * Replaces the error of a read at a block if the block does not exist or its state is pruned. The error messages of
 * nodes do not distinguish these cases, so this function finds out by further reads.
 *
 * @throws ApiError `INVALID_PARAMETER` if the block does not exist, `NO_STATE` if its state is pruned; otherwise
 *   `error`
 */
async function throwIfBlockMissing(error: unknown, fields: SimulateFields, rpc: Rpc): Promise<never> {
  const { block } = fields
  if (!(error instanceof RpcError && error.mayDependOnBlock) || block.ref === 'latest') throw error
  await headerOf(fields, rpc)
  const throwNoState = (cause: unknown) => {
    throw new ApiError('NO_STATE', `no node of the chain holds the state of block ${block.input}`, { cause })
  }
  if (isStateMissing(error) || isStateMissing(error.cause)) throwNoState(error)
  await rpc.getCode(ZERO_ADDRESS, block.ref).catch((cause: unknown) => {
    // A node that fails now, such as by a timeout, proves nothing about the state of the block.
    if (!(cause instanceof RpcError && !cause.mayDependOnBlock)) throwNoState(cause)
  })
  throw error
}
