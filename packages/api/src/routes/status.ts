/** Handler of `/status`. */
import { type BlockHeader, l1FeeOfReceipt, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { decodeRevert } from '@sluice/simulation'
import type { Request } from 'express'
import type { z } from 'zod'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { read, readHash, statusQuery } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'
import { receipt, type SentTransaction, type SwapReceipt, sentTransaction, swapStatus } from '../swap/status.ts'
import type { StatusResponse } from '../swap/status-response.ts'

/**
 * Returns the outcome of a transaction. Reads the node at each request, because the transaction may be mined or reorged
 * away.
 */
export async function status(
  request: Request,
  { liveChain }: ServedChain,
  context: RequestContext,
): Promise<StatusResponse> {
  const hash = readHash(request.params.hash as string | undefined)
  const { toAmount: quotedAmount } = read(statusQuery, request.query)
  const options = { signal: context.signal }
  const { rpc } = liveChain
  const [transaction, minedReceipt, head] = await Promise.all([
    requestByHash(rpc, 'eth_getTransactionByHash', hash, sentTransaction, options),
    requestByHash(rpc, 'eth_getTransactionReceipt', hash, receipt, options),
    rpc.getBlock('latest', options),
  ])
  if ((transaction && transaction.hash !== hash) || (minedReceipt && minedReceipt.transactionHash !== hash))
    throw unreadableAnswer()
  const landedReceipt = minedReceipt?.status ? minedReceipt : undefined
  const { guard } = liveChain.contracts
  return {
    hash,
    status: minedReceipt ? (minedReceipt.status ? 'landed' : 'reverted') : transaction ? 'pending' : 'unknown',
    ...minedFields(minedReceipt, transaction, head),
    from: transaction?.from ?? null,
    to: transaction?.to ?? null,
    swap: transaction ? swapStatus(transaction, landedReceipt, { guard, quoted: quotedAmount }) : null,
    reason:
      transaction && minedReceipt?.status === false
        ? await revertReasonOf(transaction, minedReceipt, rpc, options)
        : null,
  }
}

function minedFields(
  minedReceipt: SwapReceipt | null,
  transaction: SentTransaction | null,
  head: BlockHeader | null,
): Pick<StatusResponse, 'block' | 'blockHash' | 'confirmations' | 'gasUsed' | 'gasCost'> {
  if (!minedReceipt) return { block: null, blockHash: null, confirmations: null, gasUsed: null, gasCost: null }
  const { blockNumber, blockHash, gasUsed, effectiveGasPrice } = minedReceipt
  const l1Fee = l1FeeOfReceipt(minedReceipt)
  const costAt = (price: bigint) => ({
    native: (gasUsed * price + (l1Fee ?? 0n)).toString(),
    l1Fee: l1Fee?.toString() ?? null,
  })
  const isPaidInToken = transaction?.feeCurrency != null
  return {
    block: blockNumber,
    blockHash,
    // The endpoint that returned the head may lag behind the endpoint that returned the receipt.
    confirmations: Math.max(1, (head?.number ?? blockNumber) - blockNumber + 1),
    gasUsed: gasUsed.toString(),
    gasCost: typeof effectiveGasPrice === 'bigint' && !isPaidInToken ? costAt(effectiveGasPrice) : null,
  }
}

/**
 * Returns the revert reason of a transaction, from a simulation on the state before its block. Null if the transaction
 * does not revert there, or if the node cannot simulate it.
 */
async function revertReasonOf(
  { from, to, input: data, value, gas }: SentTransaction,
  { blockNumber: number, blockHash }: SwapReceipt,
  rpc: Rpc,
  options: RequestOptions,
): Promise<string | null> {
  if (!to || number === 0) return null
  try {
    const block = await rpc.getBlock({ blockHash: blockHash as BlockHeader['hash'] }, options)
    if (!block) return null
    const blockOverrides = { number, timestamp: block.timestamp }
    await rpc.call({ from, to, data, value, gas }, number - 1, { ...options, blockOverrides })
    return null
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return error.code === 'REVERTED' ? decodeRevert(error.data) : null
  }
}

/**
 * Calls a method with a transaction hash; null if the node does not know the transaction.
 *
 * @throws ApiError `RPC_FAILED` if the result is invalid
 */
async function requestByHash<T extends z.ZodType>(
  rpc: Rpc,
  method: string,
  hash: string,
  schema: T,
  options: RequestOptions,
): Promise<z.output<T> | null> {
  const answer = await rpc.request<unknown>(method, [hash], options)
  if (answer === null) return null
  const parseResult = schema.safeParse(answer)
  if (!parseResult.success) throw unreadableAnswer()
  return parseResult.data
}

function unreadableAnswer(): ApiError {
  return new ApiError('RPC_FAILED', 'the node answered about the transaction in a form that cannot be read')
}
