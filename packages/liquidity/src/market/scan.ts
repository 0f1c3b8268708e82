import { type Log, type LogFilter, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'

/** The range that is tried first; providers allow between 2,000 blocks and everything. */
const FIRST_RANGE = 10_000
const LARGEST_RANGE = 1_000_000

export type ScanStep = { readonly logs: readonly Log[]; readonly scannedTo: number }

/**
 * Logs of past blocks, range by range: a range that the provider refuses is halved, one that it grants doubled.
 *
 * @throws RpcError where even one block is refused, or the node fails
 */
export async function* scanLogs(
  rpc: Rpc,
  filter: Pick<LogFilter, 'address' | 'topics'>,
  from: number,
  to: number,
  options: RequestOptions,
): AsyncGenerator<ScanStep> {
  let range = FIRST_RANGE
  for (let start = from; start <= to; ) {
    const end = Math.min(to, start + range - 1)
    try {
      const logs = await rpc.getLogs({ ...filter, fromBlock: start, toBlock: end }, options)
      yield { logs, scannedTo: end }
      start = end + 1
      range = Math.min(LARGEST_RANGE, range * 2)
    } catch (error) {
      const refused = error instanceof RpcError && (error.code === 'REJECTED' || error.code === 'TIMEOUT')
      if (!refused || range === 1) throw error
      range = Math.max(1, Math.floor(range / 4))
    }
  }
}
