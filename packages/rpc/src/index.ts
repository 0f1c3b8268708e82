export { createRpc, type RpcOptions } from './client.ts'
export * from './errors.ts'
export type * from './types.ts'
