/** Wrapper that replaces methods of an `Rpc`. */
import type { Rpc } from './types.ts'

/** Returns an `Rpc` with the methods in `changes`, and for all other methods those of `rpc`. */
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
