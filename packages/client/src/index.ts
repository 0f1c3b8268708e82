export { approve } from './approve.ts'
export { canBatch } from './batch.ts'
export { type BatchExecution, batchExecution } from './batch-execution.ts'
export { SluiceClient } from './client.ts'
export { type PoolFactory, type SwapContracts, singletonsFor } from './contracts.ts'
export { contractsOf, guardOf } from './contracts-of.ts'
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './errors.ts'
export { type Explanation, explain } from './explain.ts'
export { gasLimit } from './gas-limit.ts'
export type { HttpOptions } from './http.ts'
export type { GuardPermit } from './order.ts'
export { type PermitOptions, signPermit } from './permit.ts'
export { PERMIT2 } from './permit-types.ts'
export { privately } from './private.ts'
export type { Unproven } from './proof.ts'
export type { Proven, SwapTerms } from './prove-swap.ts'
export { type CheckedStatus, getStatus, type StatusNode, type StatusOptions } from './status.ts'
export {
  type AllowanceWay,
  resumeSwap,
  type SwapOptions,
  type SwapOutcome,
  swap,
  withPermit,
} from './swap.ts'
export type { SwapProgress, SwapState } from './swap-state.ts'
export type { TypedData } from './typed-data.ts'
export * from './types.ts'
export { unknownPools } from './unknown-pools.ts'
export { verify } from './verify.ts'
export {
  type Eip1193Provider,
  type EthersSigner,
  fromEip1193,
  fromEthers,
  fromViem,
  type Outgoing,
  type Receipt,
  type ViemPublicClient,
  type ViemWalletClient,
  type Wallet,
} from './wallet.ts'
export { atPrice, pricedBy, quotedBy, type Witness } from './witness.ts'
