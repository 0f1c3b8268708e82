/** Reads the swaps of mined blocks. */
import { type Chain, type Hex, toAddress } from '@sluice/chains'
import type { FlowLog } from '@sluice/quoting'
import type { Rpc } from '@sluice/rpc'
import { type MinedTransaction, type Swap, swapsOf } from './swaps.ts'

type RawBlock = {
  readonly hash: Hex
  readonly transactions: readonly { readonly hash: Hex; readonly from: string; readonly to: string | null }[]
}
type RawLog = {
  readonly address: string
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly transactionHash: Hex
}

/** Timeout of one call. The logs of one block can be tens of megabytes. */
const TIMEOUT_MS = 60_000

/**
 * Reads the transactions of one block that emitted logs. Requests only the logs of this block, because nodes limit the
 * range of log queries.
 *
 * @throws RpcError if the node fails; Error if it does not have the block
 */
async function readMined(rpc: Rpc, number: number): Promise<readonly MinedTransaction[]> {
  const options = { timeoutMs: TIMEOUT_MS }
  const block = await rpc.request<RawBlock | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, true], options)
  if (!block) throw new Error(`the node does not have block ${number}`)
  const logs = await rpc.request<readonly RawLog[]>('eth_getLogs', [{ blockHash: block.hash }], options)
  const logsByTransaction = Map.groupBy(logs, ({ transactionHash }) => transactionHash)
  return block.transactions.flatMap(({ hash, from, to }): MinedTransaction[] => {
    const transactionLogs = logsByTransaction.get(hash)
    if (!transactionLogs) return []
    const flowLogs = transactionLogs.map(
      ({ address, topics, data }): FlowLog => ({ address: toAddress(address), topics, data }),
    )
    return [{ hash, from: toAddress(from), to: to === null ? null : toAddress(to), logs: flowLogs }]
  })
}

/** Returns the swaps of a block. @throws RpcError if the node fails */
export async function swapsAt(rpc: Rpc, number: number, { wrappedNative }: Chain): Promise<readonly Swap[]> {
  const transactions = await readMined(rpc, number)
  return transactions.flatMap((transaction) => swapsOf(transaction, wrappedNative?.address ?? null))
}
