/** The Swap page: the order form next to the quoted route. */
import { memo, useState } from 'react'
import { usdOf } from '../format/amount.ts'
import { isNative } from '../service/tokens.ts'
import { afterPaint, useAfterPaint } from '../ui/after-paint.ts'
import { Lede } from '../ui/Lede.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useKey } from '../ui/Shell.tsx'
import { useTitle } from '../ui/title.ts'
import { useLedger } from './ledger.ts'
import { OrderForm } from './OrderForm.tsx'
import { QuoteAnnouncement } from './QuoteAnnouncement.tsx'
import { RouteEmpty, RoutePanel, RouteSkeleton } from './RoutePanel.tsx'
import type { TicketSide } from './Ticket.tsx'
import { type SwapPageState, useSwapPage } from './use-swap.ts'

// These components load on demand, so that their code does not delay the first route.
const TokenPicker = lazyPart(async () => (await import('./TokenPicker.tsx')).TokenPicker)
const NoRoutePanel = lazyPart(async () => (await import('./QuoteError.tsx')).NoRoutePanel)
const SigningPanel = lazyPart(async () => (await import('./Signing.tsx')).SigningPanel)
const PairChart = lazyPart(async () => (await import('./PairChart.tsx')).PairChart)
const Ledger = lazyPart(async () => (await import('./Ledger.tsx')).Ledger)
const ReceiptTicket = lazyPart(async () => (await import('./SwapReceipt.tsx')).ReceiptTicket)
const ReceiptPanel = lazyPart(async () => (await import('./SwapReceipt.tsx')).ReceiptPanel)

export function SwapPage() {
  useTitle('Swap')
  const swap = useSwapPage()
  const [pickedSide, setPickedSide] = useState<TicketSide>()
  useKey('/', () => setPickedSide('pay'))
  useKey('r', swap.liveQuote.retry)
  const { chain, src, dst } = swap.order
  const entries = useLedger(chain.id)
  return (
    <>
      <Lede page="swap" />
      <div className="swap">
        <div className="swap__side">
          <section className="panel ticket" aria-label="Order">
            <Ticket swap={swap} onPick={setPickedSide} />
          </section>
          {entries.length > 0 && <Ledger entries={entries} />}
        </div>
        <div>
          <SidePanel swap={swap} />
          {/* Loads after the first route, so that it does not delay the route. */}
          {swap.quote && src && dst && <PairChart chainId={chain.id} {...{ src, dst }} />}
        </div>
      </div>
      {pickedSide && (
        <TokenPicker
          chain={chain}
          side={pickedSide}
          chosenAddress={(pickedSide === 'pay' ? src : dst)?.address}
          onClose={() => setPickedSide(undefined)}
          onChoose={(token) => {
            setPickedSide(undefined)
            afterPaint(() => swap.actions.choose(pickedSide, token))
          }}
        />
      )}
      <QuoteAnnouncement quote={swap.quote} dst={dst} />
    </>
  )
}

function Ticket({ swap, onPick }: { readonly swap: SwapPageState; readonly onPick: (side: TicketSide) => void }) {
  const { order, signing, actions } = swap
  const { chain, src, dst, request } = order
  if (!signing || !src || !dst || !request) return <OrderForm swap={swap} onPick={onPick} />
  if (signing.receipt && signing.route)
    return (
      <ReceiptTicket
        {...{ chainId: chain.id, route: signing.route, receipt: signing.receipt, src, dst, onNew: actions.leave }}
        fee={signing.proof?.fee}
      />
    )
  return (
    <SigningPanel
      {...{
        signing,
        src,
        dst,
        amount: BigInt(swap.quote?.fromAmount ?? 0),
        onCancel: actions.leave,
        onRetry: actions.sign,
      }}
      needsAllowance={!isNative(src.address)}
    />
  )
}

/**
 * Shows the route next to the order form, or the reason for a missing route. Renders after the order form is painted.
 */
const SidePanel = memo(function SidePanel(props: { readonly swap: SwapPageState }) {
  const { swap } = useAfterPaint(props)
  const { order, liveQuote, quote, isRefused, hasFailed, signing, tokenOf, maxRoutableAmount, actions } = swap
  const { src, dst, request, exactSide, nativeSymbol, poolCount } = order
  const { maxImpact, tokenListError, hasSameToken, entry, terms } = order
  if (tokenListError) return <RouteEmpty>Couldn’t load the token list.</RouteEmpty>
  if (hasSameToken) return <RouteEmpty>Choose two different tokens.</RouteEmpty>
  if (terms.problems.length > 0) return <RouteEmpty>Correct the terms to see the route.</RouteEmpty>
  if (entry.typedAmount?.kind === 'wrong' || entry.typedAmount?.kind === 'ambiguous')
    return <RouteEmpty>That isn’t a valid amount.</RouteEmpty>
  if (src && dst && !request) return <RouteEmpty>Enter an amount to see its route.</RouteEmpty>
  if (!src || !dst || !request) return <RouteSkeleton poolCount={poolCount} />
  const price = order.priceOf(src)
  if (isRefused)
    return (
      <NoRoutePanel
        {...{ error: liveQuote.error, maxRoutable: maxRoutableAmount, maxImpact }}
        inputUsd={exactSide === 'in' && price ? usdOf(request.amount ?? 0n, src.decimals, price) : undefined}
        token={exactSide === 'in' ? src : dst}
        requestedAmount={BigInt(request.amountOut ?? request.amount ?? 0)}
        onUse={actions.setAmount}
        onRaise={actions.liftImpactLimit}
      />
    )
  if (!quote && hasFailed) return <RouteEmpty>No route yet: the service returned no quote.</RouteEmpty>
  if (!quote) return <RouteSkeleton poolCount={poolCount} />
  return (
    <>
      {signing?.receipt && signing.route && (
        <ReceiptPanel {...{ route: signing.route, receipt: signing.receipt, src, dst }} />
      )}
      <RoutePanel
        {...{ quote, isFetching: liveQuote.isFetching, isStale: liveQuote.isStale }}
        {...{ src, dst, tokenOf, isSigning: signing !== undefined, nativeSymbol, request }}
        {...{ chainName: order.chain.name, chainPoolCount: poolCount }}
      />
    </>
  )
})
