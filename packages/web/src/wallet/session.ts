/** Types of wallets and of the account that is connected. */
import type { Eip1193Provider } from '@sluice/client'

/** A connected account. */
export type Session = {
  /** Id of the wallet, as in its `WalletOption`. */
  readonly id: string
  readonly address: string
  /** Chain of the wallet; undefined if the wallet does not report it. */
  readonly chainId: number | undefined
  readonly name: string
  readonly isLocal: boolean
  readonly provider: () => Promise<Eip1193Provider>
}

/** A wallet that can be connected. */
export type WalletOption = { readonly id: string; readonly name: string; readonly isLocal: boolean }
