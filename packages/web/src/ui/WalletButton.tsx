/** The wallet button and its dialog. */
import { useState } from 'react'
import { shorten } from '../format/number.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { lazyPart } from './lazy-part.tsx'

/** The dialog and the code of browser wallets load on demand. */
export const WalletDialog = lazyPart(async () => (await import('./WalletDialog.tsx')).WalletDialog)

export function WalletButton() {
  const wallet = useWallet()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" className="head-chip" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {wallet ? (
          <>
            <span className="hide-s">{wallet.name}</span>
            <span className="mono hide-s">{shorten(wallet.address)}</span>
            <span className="mono only-s">{`${wallet.address.slice(0, 4)}…${wallet.address.slice(-2)}`}</span>
          </>
        ) : (
          'Connect'
        )}
      </button>
      {isOpen && <WalletDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}
