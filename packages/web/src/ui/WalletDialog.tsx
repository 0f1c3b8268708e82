/** The dialog that connects and disconnects wallets. */
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { messageOf } from '../service/error-messages.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { useWalletState, useWallets } from '../wallet/wallets.ts'
import { Dialog } from './Dialog.tsx'
import { Notice } from './Notice.tsx'

export function WalletDialog({ onClose }: { readonly onClose: () => void }) {
  const wallet = useWallet()
  const wallets = useWallets()
  const { options } = useWalletState()
  const loading = useMutation({ mutationFn: wallets.load })
  const { mutate: load } = loading
  useEffect(() => load(), [load])
  const connection = useMutation({ mutationFn: wallets.connect })
  const { mutate: connect, isPending, variables } = connection
  const otherWallets = options?.filter(({ id }) => id !== wallet?.id)
  const failedRequest = [connection, loading].find(({ isError }) => isError)
  return (
    <Dialog title={wallet ? 'Wallet' : 'Connect a wallet'} onClose={onClose}>
      {wallet && (
        <div className="dialog__b stack">
          <p>
            {wallet.name}
            <br />
            <span className="mono">{wallet.address}</span>
          </p>
          {wallet.isLocal && (
            <Notice kind="info" title="A test account.">
              Anyone can sign with it; its funds are worthless.
            </Notice>
          )}
          <button type="button" className="btn" onClick={() => void wallets.disconnect().then(onClose)}>
            Disconnect
          </button>
        </div>
      )}
      <ul className="opts" aria-busy={options === undefined}>
        {otherWallets?.map(({ id, name, isLocal }) => (
          <li key={id}>
            <button
              type="button"
              className="opt opt--plain"
              disabled={isPending}
              onClick={() => connect(id, { onSuccess: onClose })}
            >
              <p>
                <b>{name}</b>
              </p>
              <span className="unit">
                {isPending && variables === id ? 'Check your wallet' : isLocal ? 'Local test chain' : 'Browser wallet'}
              </span>
            </button>
          </li>
        ))}
        {!options && !failedRequest && <li className="opts__none note">Looking for wallets…</li>}
        {options?.length === 0 && (
          <li className="opts__none note">
            No wallet found. Install MetaMask, Rabby or another; you can get quotes without one.
          </li>
        )}
      </ul>
      {failedRequest && (
        <div className="dialog__b">
          <Notice kind="warn" title="Not connected." urgent>
            {messageOf(failedRequest.error).split('\n')[0]}
          </Notice>
        </div>
      )}
    </Dialog>
  )
}
