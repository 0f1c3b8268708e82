/** Serializes an unsigned transaction as fee oracles expect it. */
import type { Address, Hex } from '@sluice/chains'
import { Transaction } from 'ethers'

/** Transaction whose data fee is estimated, without nonce and signature. */
export type FeeTransaction = {
  readonly to: Address
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  /** Expected gas. */
  readonly gas: bigint
  /** Wei per gas. */
  readonly gasPriceWei: bigint
}

/** Nonce of three bytes, at least as long as the nonce of most wallets, because the fee depends on the length. */
const TYPICAL_NONCE = 0x1f_ff_ff
/** Placeholder that is as long and as hard to compress as a real signature. */
const PLACEHOLDER_SIGNATURE = {
  r: '0x9d1f3b5a7c2e4f60819ab3c5d7e9f10a2b4c6d8e0f1a3b5c7d9eafb0c1d2e3f4',
  s: '0x6b8da0c2e4f618395a7b9cbddeff01234577899bbcdeef0112345667899abccd',
  yParity: 1,
} as const

/** Form of the transaction that an oracle expects. */
export type TransactionForm =
  /** Payload that the sender signs. */
  | 'unsigned'
  /** Signed transaction. */
  | 'signed'
  /** Unsigned legacy transaction (before EIP-2718) without a chain id. */
  | 'legacy'

/** Encodes a typical transaction of a wallet as RLP, of type 2 (EIP-1559) unless the form is `legacy`. */
export function serialize(transaction: FeeTransaction, chainId: number, form: TransactionForm): Hex {
  const { to, data, value, gas, gasPriceWei } = transaction
  const common = { nonce: TYPICAL_NONCE, to, data, value, gasLimit: gas }
  const fees = { chainId, maxFeePerGas: gasPriceWei, maxPriorityFeePerGas: gasPriceWei }
  const encodedTransaction = Transaction.from({
    ...common,
    ...(form === 'legacy' ? { type: 0, gasPrice: gasPriceWei } : { type: 2, ...fees }),
    ...(form === 'signed' && { signature: PLACEHOLDER_SIGNATURE }),
  })
  return (form === 'signed' ? encodedTransaction.serialized : encodedTransaction.unsignedSerialized) as Hex
}
