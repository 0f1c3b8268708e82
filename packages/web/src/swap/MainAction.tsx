/** The main button of the order form. */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { fragmentOf } from '../explain/input.ts'
import { toPlainText } from '../format/amount.ts'
import { errorTextOf, isInvalidOrder } from '../service/error-messages.ts'
import { isNative } from '../service/tokens.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Amount, Usd } from '../ui/Num.tsx'
import { useServiceInfo } from '../ui/service-info.ts'
import { WalletDialog } from '../ui/WalletButton.tsx'
import { useAllowance, useAllowanceWay, useWallet } from '../wallet/use-wallet.ts'
import { useWallets } from '../wallet/wallets.ts'
import { ErrorHelp } from './ErrorHelp.tsx'
import { MainButton } from './MainButton.tsx'
import { AcceptTerms, TermList, TermProblems } from './TermList.tsx'
import type { SwapPageState } from './use-swap.ts'

const LossDialog = lazyPart(async () => (await import('./LossDialog.tsx')).LossDialog)

/** Shows one button with the next step, or a disabled button with the reason why the user cannot continue. */
export function MainAction({ swap }: { readonly swap: SwapPageState }) {
  const { order, isRefused, quote } = swap
  const [isConnecting, setIsConnecting] = useState(false)
  return (
    <>
      <TermList terms={order.terms} />
      <Action swap={swap} onConnect={() => setIsConnecting(true)} />
      {quote && !isRefused && <Footnote swap={swap} />}
      {isConnecting && <WalletDialog onClose={() => setIsConnecting(false)} />}
    </>
  )
}

function Action({ swap, onConnect }: { readonly swap: SwapPageState; readonly onConnect: () => void }) {
  const { order, liveQuote, missingFunds, isRefused, isReady, actions } = swap
  const { chain, src, dst, entry, hasSameToken, terms } = order
  const { typedAmount } = entry
  const wallet = useWallet()
  if (order.tokenListError) return <MainButton onClick={order.retry}>Try again</MainButton>
  if (!src || !dst) return <MainButton>Loading tokens…</MainButton>
  if (hasSameToken) return <MainButton>Choose two tokens</MainButton>
  if (terms.problems.length > 0) return <TermProblems terms={terms} />
  if (typedAmount?.kind === 'wrong') return <MainButton>Correct the amount</MainButton>
  if (typedAmount?.kind === 'ambiguous') return <MainButton>Choose an amount</MainButton>
  if (typedAmount?.kind !== 'amount') return <MainButton>Enter an amount</MainButton>
  if (isRefused && entry.isSettled) return <RefusedAction swap={swap} />
  if (isInvalidOrder(liveQuote.error) && !liveQuote.isFetching && entry.isSettled)
    return <MainButton>Correct the order</MainButton>
  if (!isReady)
    return liveQuote.error !== undefined && !liveQuote.isFetching && entry.isSettled ? (
      <MainButton onClick={liveQuote.retry}>Try again</MainButton>
    ) : (
      <MainButton>Getting a quote…</MainButton>
    )
  if (!wallet) return <MainButton onClick={onConnect}>Connect a wallet</MainButton>
  if (wallet.chainId !== chain.id) return <SwitchChainAction swap={swap} chainId={wallet.chainId} />
  if (missingFunds)
    return <MainButton>{`Not enough ${src.symbol}${missingFunds === 'gas' ? ' for gas' : ''}`}</MainButton>
  if (terms.needsAcceptance) return <AcceptTerms terms={terms} boughtSymbol={dst.symbol} />
  if (liveQuote.isStale) return <MainButton onClick={liveQuote.retry}>Refresh the quote</MainButton>
  // The button stays enabled while a quote updates, because signing requests a new quote first.
  return <SignButton swap={swap} onSign={actions.sign} />
}

function SignButton({ swap, onSign }: { readonly swap: SwapPageState; readonly onSign: () => void }) {
  const { order, amountToPay, loss } = swap
  const { chain, src } = order
  const [isConfirming, setIsConfirming] = useState(false)
  const allowance = useAllowance(chain.id, src?.address, chain.guard)
  const needsNoAllowance = (src && isNative(src.address)) || (allowance !== undefined && allowance >= amountToPay)
  const allowanceWay = useAllowanceWay(
    chain.id,
    src?.address,
    chain.guard,
    needsNoAllowance || allowance === undefined ? 0n : amountToPay,
  )
  const label: ReactNode = needsNoAllowance
    ? 'Swap'
    : allowanceWay === 'permit'
      ? 'Sign and swap'
      : `Approve ${src?.symbol} and swap`
  if (!loss?.isHigh) return <MainButton onClick={onSign}>{label}</MainButton>
  return (
    <>
      <MainButton kind="danger" onClick={() => setIsConfirming(true)}>
        Swap at a loss of {loss.percent.toFixed(2)} %
      </MainButton>
      {isConfirming && <LossDialog {...{ swap, loss }} onClose={() => setIsConfirming(false)} />}
    </>
  )
}

/** Shows why the typed amount has no route, and offers the largest amount that has one and that the wallet owns. */
function RefusedAction({ swap }: { readonly swap: SwapPageState }) {
  const { order, liveQuote, maxRoutableAmount, spendableBalance, actions } = swap
  const { chain, src, dst, exactSide, maxImpact } = order
  const namedToken = exactSide === 'in' ? src : dst
  const { title, text } = errorTextOf(liveQuote.error, maxImpact)
  const isAboveBalance =
    exactSide === 'in' &&
    maxRoutableAmount !== undefined &&
    spendableBalance !== undefined &&
    maxRoutableAmount > spendableBalance
  const offeredMax = isAboveBalance && spendableBalance > 0n ? spendableBalance : maxRoutableAmount
  return (
    <>
      <Notice kind="bad" title={title} urgent>
        {text} <ErrorHelp error={liveQuote.error} chainId={chain.id} token={dst?.address} />
      </Notice>
      {offeredMax !== undefined && offeredMax > 0n && namedToken ? (
        <MainButton onClick={() => actions.setAmount(toPlainText(offeredMax, namedToken.decimals))}>
          <span>
            Use <Amount base={offeredMax} decimals={namedToken.decimals} /> {namedToken.symbol}
          </span>
        </MainButton>
      ) : (
        <MainButton>
          {maxRoutableAmount === undefined ? 'Finding the largest amount that works…' : 'No route'}
        </MainButton>
      )}
    </>
  )
}

function SwitchChainAction({ swap, chainId }: { readonly swap: SwapPageState; readonly chainId: number | undefined }) {
  const { chain } = swap.order
  const { chains } = useServiceInfo()
  const wallets = useWallets()
  const { mutate: switchChain, isError } = useMutation({ mutationFn: wallets.switchChain })
  const name = chains.find(({ id }) => id === chainId)?.name ?? `chain ${chainId ?? 'unknown'}`
  return (
    <>
      <Notice kind="warn" title={`Your wallet is on ${name}.`}>
        This quote is for {chain.name}.
        {isError && ' The wallet did not switch. If it does not know the chain, add the chain there first.'}
      </Notice>
      <MainButton onClick={() => switchChain(chain.id)}>Switch to {chain.name}</MainButton>
    </>
  )
}

function Footnote({ swap: { order, quote } }: { readonly swap: SwapPageState }) {
  const wallet = useWallet()
  return (
    <p className="note center">
      {wallet?.isLocal && <>Local account · </>}
      Gas <Usd value={quote?.gasCost?.usd} /> · no protocol fee
      {quote?.tx && (
        <>
          {' · '}
          <Link to="/app/explain" search={{ chain: order.chain.id }} hash={fragmentOf(quote.tx)}>
            Review the transaction
          </Link>
        </>
      )}
    </p>
  )
}
