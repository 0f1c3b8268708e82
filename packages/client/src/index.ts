export { approve } from './approve.ts'
export { SluiceClient } from './client.ts'
export { contractsOf, guardOf, type SwapContracts } from './contracts.ts'
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './errors.ts'
export { type Explanation, explain } from './explain.ts'
export type { HttpOptions } from './http.ts'
export { gasLimit, type SwapOptions, type SwapOutcome, swap } from './swap.ts'
export * from './types.ts'
export { type SwapTerms, verify } from './verify.ts'
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
export { atPrice, pricedBy, quotedBy, type Witness } from './witness.ts'
