/** The wallet button and its dialog. */
import { useState } from 'react'
import { useConnect, useConnections, useConnectors, useDisconnect } from 'wagmi'
import { brief } from '../format/number.ts'
import { LOCAL, remember } from '../wallet/local-account.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { Dialog } from './Dialog.tsx'
import { Notice } from './Notice.tsx'

export function WalletButton() {
  const wallet = useWallet()
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="head-chip" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {wallet ? (
          <>
            <span className="hide-s">{wallet.name}</span>
            <span className="mono hide-s">{brief(wallet.address)}</span>
            <span className="mono only-s">{`${wallet.address.slice(0, 4)}…${wallet.address.slice(-2)}`}</span>
          </>
        ) : (
          'Connect'
        )}
      </button>
      {open && <WalletDialog onClose={() => setOpen(false)} />}
    </>
  )
}

export function WalletDialog({ onClose }: { readonly onClose: () => void }) {
  const wallet = useWallet()
  const connectors = useConnectors()
  const { mutate: connect, error, isPending, variables } = useConnect()
  const connections = useConnections()
  const { mutateAsync: disconnect } = useDisconnect()
  /** Ends every connection except `kept`. Otherwise wagmi would silently switch to another open connection. */
  const leaveAll = (kept?: string) =>
    Promise.allSettled(
      connections.flatMap(({ connector }) => (connector.uid === kept ? [] : [disconnect({ connector })])),
    )
  const leave = () => {
    remember(false)
    void leaveAll().then(onClose)
  }
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
          <button type="button" className="btn" onClick={leave}>
            Disconnect
          </button>
        </div>
      )}
      <ul className="opts">
        {connectors
          .filter(({ name }) => name !== wallet?.name)
          .map((connector) => (
            <li key={connector.uid}>
              <button
                type="button"
                className="opt opt--plain"
                disabled={isPending}
                onClick={() => {
                  remember(connector.id === LOCAL)
                  connect({ connector }, { onSuccess: () => void leaveAll(connector.uid).then(onClose) })
                }}
              >
                <p>
                  <b>{connector.name}</b>
                </p>
                <span className="unit">
                  {isPending && variables?.connector === connector
                    ? 'Check your wallet'
                    : connector.id === LOCAL
                      ? 'Local test chain'
                      : 'Browser wallet'}
                </span>
              </button>
            </li>
          ))}
        {connectors.length === 0 && (
          <li className="opts__none note">
            No wallet found. Install MetaMask, Rabby or another; you can get quotes without one.
          </li>
        )}
      </ul>
      {error && (
        <div className="dialog__b">
          <Notice kind="warn" title="Not connected." urgent>
            {error.message.split('\n')[0]}
          </Notice>
        </div>
      )}
    </Dialog>
  )
}
