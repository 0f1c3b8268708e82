export { createRpc, type RpcOptions } from './client.ts'
export * from './errors.ts'
export { estimateL1Fee, estimateL1FeePerByte, type FeeTransaction, type L1Fee } from './l1-fee/index.ts'
export type * from './types.ts'
