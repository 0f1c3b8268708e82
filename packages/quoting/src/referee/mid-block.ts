/**
 * Wraps a node so that it answers with the state in the middle of a block. Every call runs after the transactions that
 * precede a given mined transaction in its block.
 */
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
  /** Calls of the transactions that precede the mined transaction in its block. */
  readonly earlierCalls: readonly CallRequest[]
  /** Number, timestamp, and other values of the mined transaction's block. */
  readonly environment: BlockOverrides
}

/** Gas limit for all earlier transactions and the call after them. */
const GAS_LIMIT = 1_000_000_000n
/** Gas limit of a call whose request has none. */
const CALL_GAS = 100_000_000n

/**
 * Wraps a node so that calls run by eth_simulateV1 on the parent block, after the earlier transactions. Reads of code,
 * blocks, and logs still use the parent block. So a contract that an earlier transaction created can be called, but its
 * code cannot be read.
 */
export function midBlockRpc(rpc: Rpc, { parent, earlierCalls, environment }: MidBlock): Rpc {
  const blockRef = { blockHash: parent.hash }
  const simulate = async (
    calls: readonly CallRequest[],
    { overrides, blockOverrides, ...options }: CallOptions = {},
  ) => {
    const allOverrides = { ...environment, ...blockOverrides, gasLimit: GAS_LIMIT }
    const results = await rpc.simulateV1([...earlierCalls, ...calls], blockRef, {
      ...options,
      ...(overrides && { overrides }),
      blockOverrides: allOverrides,
    })
    return results.slice(earlierCalls.length)
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
