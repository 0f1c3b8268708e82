/** A node in the midst of a block: every call runs behind the transactions that were mined before a certain one. */
import type { Hex } from '@sluice/chains'
import {
  type BlockHeader,
  type BlockOverrides,
  type CallOptions,
  type CallRequest,
  type Rpc,
  RpcError,
  rpcWith,
} from '@sluice/rpc'

export type MidBlock = {
  readonly parent: BlockHeader
  /** Transactions before it, as they were sent. */
  readonly before: readonly CallRequest[]
  /** Environment of the block itself. */
  readonly environment: BlockOverrides
}

/** Gas for all transactions and the call behind them. */
const GAS_LIMIT = 1_000_000_000n
/** Gas of a call that names none. */
const CALL_GAS = 100_000_000n

/**
 * Calls by eth_simulateV1 on the parent block. Code, blocks, and logs are those of the parent. Contracts that an
 * earlier transaction of the block created can be called, but their code cannot be read.
 */
export function midBlockRpc(rpc: Rpc, { parent, before, environment }: MidBlock): Rpc {
  const blockRef = { blockHash: parent.hash }
  const simulate = async (
    calls: readonly CallRequest[],
    { overrides, blockOverrides, ...options }: CallOptions = {},
  ) => {
    const all = { ...environment, ...blockOverrides, gasLimit: GAS_LIMIT }
    const results = await rpc.simulateV1([...before, ...calls], blockRef, {
      ...options,
      ...(overrides && { overrides }),
      blockOverrides: all,
    })
    return results.slice(before.length)
  }
  const call = async (request: CallRequest, options?: CallOptions): Promise<Hex> => {
    const [result] = await simulate([{ gas: CALL_GAS, ...request }], options)
    if (!result) throw new RpcError('BAD_ANSWER', 'eth_simulateV1: the call has no result')
    if (!result.success) throw new RpcError('REVERTED', 'execution reverted', result.returnData)
    return result.returnData
  }
  return rpcWith(rpc, {
    call: (request, _block, options) => call(request, options),
    callWithHead: async (request, _block, options) => ({ answer: await call(request, options), head: parent }),
    simulateV1: (calls, _block, options) => simulate(calls, options),
    getBlock: async (block, options) =>
      block === 'latest' || block === parent.number ? parent : rpc.getBlock(block, options),
    getCode: (address, block, options) => rpc.getCode(address, block === 'latest' ? parent.number : block, options),
    close: () => {},
  })
}
