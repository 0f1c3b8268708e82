export { SluiceClient } from './client.ts'
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './errors.ts'
export { type Explanation, explain, verify } from './explain.ts'
export { guardOf } from './guards.ts'
export type { HttpOptions } from './http.ts'
export { approve, gasLimit, type SwapOptions, type SwapOutcome, swap } from './swap.ts'
export * from './types.ts'
export {
  type Eip1193Provider,
  type EthersSigner,
  fromEip1193,
  fromEthers,
  fromViem,
  type Outgoing,
  type ViemPublicClient,
  type ViemWalletClient,
  type Wallet,
} from './wallet.ts'
