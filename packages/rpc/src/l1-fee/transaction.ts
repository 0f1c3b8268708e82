import type { Address, Hex } from '@sluice/chains'
import { Transaction } from 'ethers'

/** A transaction that has not been signed, and whose sender's nonce does not matter. */
export type FeeTransaction = {
  readonly to: Address
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  /** Gas it is expected to use. */
  readonly gas: bigint
  /** Wei. */
  readonly gasPriceWei: bigint
}

/** Nonce of a wallet in use: three bytes, as the fee counts bytes. */
const TYPICAL_NONCE = 0x1f_ff_ff
/** As long and as hard to compress as a real one. */
const PLACEHOLDER_SIGNATURE = {
  r: '0x9d1f3b5a7c2e4f60819ab3c5d7e9f10a2b4c6d8e0f1a3b5c7d9eafb0c1d2e3f4',
  s: '0x6b8da0c2e4f618395a7b9cbddeff01234577899bbcdeef0112345667899abccd',
  yParity: 1,
} as const

/** Form in which an oracle counts a transaction. */
export type Form =
  /** As the sender signs it. */
  | 'unsigned'
  /** As it is sent. */
  | 'signed'
  /** As the sender would sign it if it were of the type before EIP-2718, and for no particular chain. */
  | 'legacy'

/** The RLP of the transaction that a wallet would send, of the type of EIP-1559 except where the form says otherwise. */
export function serialize(transaction: FeeTransaction, chainId: number, form: Form): Hex {
  const { to, data, value, gas, gasPriceWei } = transaction
  const common = { nonce: TYPICAL_NONCE, to, data, value, gasLimit: gas }
  const fees = { chainId, maxFeePerGas: gasPriceWei, maxPriorityFeePerGas: gasPriceWei }
  const built = Transaction.from({
    ...common,
    ...(form === 'legacy' ? { type: 0, gasPrice: gasPriceWei } : { type: 2, ...fees }),
    ...(form === 'signed' && { signature: PLACEHOLDER_SIGNATURE }),
  })
  return (form === 'signed' ? built.serialized : built.unsignedSerialized) as Hex
}
