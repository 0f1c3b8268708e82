/** A node with some methods changed. */
import type { Rpc } from './types.ts'

/** Passes every method to a node, except those that are given. */
export const rpcWith = (rpc: Rpc, changes: Partial<Rpc>): Rpc => ({
  chainId: rpc.chainId,
  request: (method, params, options) => rpc.request(method, params, options),
  call: (request, block, options) => rpc.call(request, block, options),
  callWithHead: (request, block, options) => rpc.callWithHead(request, block, options),
  simulateV1: (calls, block, options) => rpc.simulateV1(calls, block, options),
  getBlock: (block, options) => rpc.getBlock(block, options),
  getLogs: (filter, options) => rpc.getLogs(filter, options),
  getCode: (address, block, options) => rpc.getCode(address, block, options),
  gasPrice: (options) => rpc.gasPrice(options),
  health: () => rpc.health(),
  close: () => rpc.close(),
  ...changes,
})
