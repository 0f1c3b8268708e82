import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useSwitchChain } from 'wagmi'
import { fragmentOf } from '../explain/input.ts'
import { plain } from '../format/amount.ts'
import { isNative } from '../service/tokens.ts'
import { wordsOf } from '../service/words.ts'
import { Notice } from '../ui/Notice.tsx'
import { Amount, Usd } from '../ui/Num.tsx'
import { WalletDialog } from '../ui/WalletButton.tsx'
import { useAllowance, useAllowanceWay, useWallet } from '../wallet/use-wallet.ts'
import { Cure } from './Cure.tsx'
import type { Swap } from './use-swap.ts'

function go(label: ReactNode, onClick?: () => void): ReactNode {
  return (
    <button type="button" className="btn btn--go" disabled={onClick === undefined} onClick={onClick}>
      {label}
    </button>
  )
}

/** The one button: what it says is what is next, or what stands in the way. */
export function MainAction({ swap }: { readonly swap: Swap }) {
  const { order, live, paying, short, refused, most, isRecipientNew, act } = swap
  const { chain, src, dst, typed, same, exact, recipient } = order
  const wallet = useWallet()
  const [connecting, setConnecting] = useState(false)
  const { mutate: switchChain, error: notSwitched } = useSwitchChain()
  const { quote, isStale, isAsking } = live
  const allowed = useAllowance(chain.id, src?.address, chain.guard)
  const free = (src && isNative(src.address)) || (allowed !== undefined && allowed >= paying)
  const way = useAllowanceWay(chain.id, src?.address, free || allowed === undefined ? 0n : paying)
  const named = exact === 'in' ? src : dst

  function action() {
    if (order.broken) return go('Try again', order.again)
    if (!src || !dst) return go('Looking for tokens…')
    if (same) return go('Choose two tokens')
    if (typed?.kind === 'wrong') return go('Correct the amount')
    if (typed?.kind !== 'amount') return go('Enter an amount')
    if (refused) {
      const { title, text } = wordsOf(live.error, order.limit)
      return (
        <>
          <Notice kind="bad" title={title} urgent>
            {text} <Cure error={live.error} chainId={chain.id} token={dst.address} />
          </Notice>
          {most !== undefined && most > 0n && named
            ? go(
                <span>
                  Use <Amount base={most} decimals={named.decimals} /> {named.symbol}
                </span>,
                () => act.amount(plain(most, named.decimals)),
              )
            : go(most === undefined ? 'Looking for an amount that routes…' : 'No route')}
        </>
      )
    }
    if (!quote) return isAsking ? go('Getting a quote…') : go('Try again', live.again)
    if (!wallet) return go('Connect a wallet', () => setConnecting(true))
    if (wallet.chainId !== chain.id)
      return (
        <>
          <Notice kind="warn" title={`Your wallet is on chain ${wallet.chainId ?? 'unknown'}.`}>
            This quote is of {chain.name}.{notSwitched && ' The wallet did not switch.'}
          </Notice>
          {go(`Switch to ${chain.name}`, () => switchChain({ chainId: chain.id }))}
        </>
      )
    if (short) return go(`Not enough ${src.symbol}`)
    if (isRecipientNew && recipient !== undefined)
      return <NewRecipient {...{ recipient, symbol: dst.symbol, onAccept: act.recipient }} />
    if (isStale) return go('Refresh the quote', live.again)
    // While figures are on their way the button stays where it is, and quotes anew before anything is signed.
    return go(free ? 'Swap' : way === 'permit' ? 'Sign and swap' : `Approve ${src.symbol} and swap`, act.sign)
  }
  return (
    <>
      {recipient !== undefined && !isRecipientNew && <NamedRecipient recipient={recipient} />}
      {action()}
      {quote && !refused && (
        <p className="note center">
          {wallet?.isLocal && <>Local account · </>}
          Gas <Usd value={quote.gasCost?.usd} /> · no protocol fee
          {quote.tx && (
            <>
              {' · '}
              <Link to="/app/explain" search={{ chain: chain.id }} hash={fragmentOf(quote.tx)}>
                What it signs
              </Link>
            </>
          )}
        </p>
      )}
      {connecting && <WalletDialog onClose={() => setConnecting(false)} />}
    </>
  )
}

type NewRecipientProps = {
  readonly recipient: string
  readonly symbol: string
  readonly onAccept: (recipient: string | undefined) => void
}

/** A recipient that came with a link: somebody else may have chosen it. */
function NewRecipient({ recipient, symbol, onAccept }: NewRecipientProps) {
  return (
    <>
      <Notice kind="warn" title={`The link sends all ${symbol} to another account.`} urgent>
        <span className="mono">{recipient}</span> receives the output, and your wallet pays. Continue only if you know
        this account.
      </Notice>
      <button type="button" className="btn" onClick={() => onAccept(undefined)}>
        Send it to my wallet
      </button>
      <button type="button" className="btn btn--go" onClick={() => onAccept(recipient)}>
        Accept this recipient
      </button>
    </>
  )
}

function NamedRecipient({ recipient }: { readonly recipient: string }) {
  return (
    <p className="note">
      Output goes to <span className="mono">{recipient}</span>, not to your wallet.
    </p>
  )
}
