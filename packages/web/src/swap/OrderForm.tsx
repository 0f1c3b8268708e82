/** The order form of the Swap page, which is shown until the user signs. */

import { memo, useEffect, useState } from 'react'
import { toPlainText } from '../format/amount.ts'
import type { PageToken } from '../service/tokens.ts'
import { afterPaint, useChoice } from '../ui/after-paint.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Failure, Notice } from '../ui/Notice.tsx'
import { Amount, Usd } from '../ui/Num.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ErrorHelp } from './ErrorHelp.tsx'
import { useLedger } from './ledger.ts'
import { outputUsdOf } from './loss.ts'
import { MainAction } from './MainAction.tsx'
import { ORDER_FORM } from './MainButton.tsx'
import { QuoteAge } from './QuoteAge.tsx'
import {
  AmountField,
  amountProblem,
  FlipButton,
  Minimum,
  Rate,
  TicketLeg,
  type TicketSide,
  TokenButton,
  UnitToggle,
  UsdValue,
  ValueDifference,
} from './Ticket.tsx'
import { isDirect, type SwapPageState } from './use-swap.ts'
import { Warnings } from './Warnings.tsx'

const Settings = lazyPart(async () => (await import('./Settings.tsx')).Settings)

/** Sides whose amount can be exact, and their labels. */
const exactModes = [
  ['in', 'Exact input'],
  ['out', 'Exact output'],
] as const

type Props = { readonly swap: SwapPageState; readonly onPick: (side: TicketSide) => void }

/** Shows the order from top to bottom: input, output, minimum output, settings, age of the quote, and main button. */
export function OrderForm({ swap, onPick }: Props) {
  const { order, liveQuote, quote, isRefused } = swap
  const [isSettingsOpen, setIsSettingsOpen] = useState(false)
  const isOutdated = liveQuote.isFetching || liveQuote.isStale || !swap.isReady
  return (
    <>
      <form id={ORDER_FORM} onSubmit={(event) => event.preventDefault()} />
      <div className="ticket__mode">
        <Modes exactSide={order.exactSide} onChoose={swap.actions.setExactSide} />
        <button
          type="button"
          className="link"
          aria-expanded={isSettingsOpen}
          aria-controls="settings"
          onClick={() => setIsSettingsOpen(!isSettingsOpen)}
        >
          Settings
        </button>
      </div>
      <div className="leg-in">
        <PaySide swap={swap} onPick={onPick} isOutdated={isOutdated} />
      </div>
      <div className="leg-in">
        <FlipButton onFlip={() => afterPaint(swap.actions.flip)} />
        <ReceiveSide swap={swap} onPick={onPick} isOutdated={isOutdated} />
      </div>
      {!isRefused && isExpected(swap) && <Minimum quote={quote} token={order.dst} isOutdated={isOutdated} />}
      <div id="settings">
        {isSettingsOpen && <Settings key={order.terms.resetCount} autoSlippage={quote?.slippage} terms={order.terms} />}
      </div>
      <Foot swap={swap} />
    </>
  )
}

type ModesProps = { readonly exactSide: 'in' | 'out'; readonly onChoose: (side: 'in' | 'out') => void }

function Modes({ exactSide, onChoose }: ModesProps) {
  const [exact, choose] = useChoice(exactSide, onChoose)
  return (
    <fieldset className="seg" aria-label="Which amount is exact">
      {exactModes.map(([side, name]) => (
        <button key={side} type="button" aria-pressed={exact === side} onClick={() => exact !== side && choose(side)}>
          {name}
        </button>
      ))}
    </fieldset>
  )
}

/**
 * Returns true if the form reserves space for a quote. It does so while tokens are loading, so that the layout does not
 * move when the quote arrives.
 */
function isExpected({ order: { request, src, dst, tokenListError } }: SwapPageState): boolean {
  return request !== undefined || (tokenListError === null && (!src || !dst))
}

/**
 * Shows the amount of one side of the order. The user types the amount of the exact side. The amount of the other side
 * is quoted, and gray while it is outdated.
 */
function AmountOfSide({
  swap,
  side,
  isOutdated,
}: {
  readonly swap: SwapPageState
  readonly side: 'in' | 'out'
  readonly isOutdated: boolean
}) {
  const { order, quote, isRefused } = swap
  const token = side === 'in' ? order.src : order.dst
  const quotedAmount = side === 'in' ? quote?.fromAmount : quote?.toAmount
  if (order.exactSide === side)
    return <AmountField label={side === 'in' ? 'Amount to pay' : 'Amount to receive at least'} entry={order.entry} />
  return (
    <output className={`amt ${isOutdated ? 'quiet' : ''} ${longClassOf(quotedAmount, token)}`}>
      {isRefused || !isExpected(swap) ? (
        <span className="q">—</span>
      ) : quotedAmount !== undefined && token ? (
        <Amount base={quotedAmount} decimals={token.decimals} digits={9} maxDecimals={4} />
      ) : (
        <Skeleton like="000 000" />
      )}
    </output>
  )
}

const PaySide = memo(({ swap, onPick, isOutdated }: Props & { readonly isOutdated: boolean }) => {
  const { order, quote, balance, missingFunds } = swap
  const { src, entry, exactSide, priceOf } = order
  const isTyped = exactSide === 'in'
  return (
    <TicketLeg
      label={isTyped ? 'You pay' : 'You pay (estimated)'}
      right={<Balance swap={swap} />}
      note={
        (isTyped && amountProblem(entry)) || (
          <>
            {isTyped ? (
              <UnitToggle entry={entry} token={src} price={priceOf(src)} />
            ) : (
              <UsdValue base={quote?.fromAmount} token={src} price={priceOf(src)} />
            )}
            {missingFunds === 'input' && balance !== undefined && src && (
              <span className="have">
                You have <Amount base={balance} decimals={src.decimals} digits={9} /> {src.symbol}.
              </span>
            )}
          </>
        )
      }
    >
      <AmountOfSide swap={swap} side="in" isOutdated={isOutdated} />
      <TokenButton token={src} side="pay" onOpen={() => onPick('pay')} />
    </TicketLeg>
  )
})

/** Percentages of the balance, with the labels of their buttons. */
const balanceShares = [
  [25n, '25 %'],
  [50n, '50 %'],
  [100n, 'Max'],
] as const

/** Shows the balance, and buttons that enter a part of it as the amount. */
function Balance({ swap }: { readonly swap: SwapPageState }) {
  const { order, balance, spendableBalance, actions } = swap
  const { src, exactSide } = order
  const enterMax = useMax(swap)
  if (balance === undefined || !src) return null
  const enterShare = (percent: bigint) =>
    percent === 100n
      ? enterMax()
      : actions.setAmount(toPlainText(((spendableBalance ?? 0n) * percent) / 100n, src.decimals))
  return (
    <>
      Balance <Amount base={balance} decimals={src.decimals} maxDecimals={2} />
      {exactSide === 'in' &&
        balanceShares.map(([percent, name]) => (
          <button
            key={name}
            type="button"
            className="link share"
            disabled={spendableBalance === undefined || spendableBalance === 0n}
            onClick={() => enterShare(percent)}
          >
            {name}
          </button>
        ))}
    </>
  )
}

/**
 * Returns the action of the Max button: it enters the balance less a reserve for gas. The swap of a whole balance may
 * use many times the gas of the previous quote. If its quote shows that too few native tokens are left for gas, the
 * hook enters a lower maximum.
 */
function useMax({ order: { src, amountText }, spendableBalance, missingFunds, actions }: SwapPageState): () => void {
  const [enteredMax, setEnteredMax] = useState<string>()
  const max = src && spendableBalance ? toPlainText(spendableBalance, src.decimals) : undefined
  const enter = (replace: boolean) => {
    if (max === undefined) return
    setEnteredMax(max)
    actions.setAmount(max, replace)
  }
  const isTooMuch =
    missingFunds === 'gas' && enteredMax !== undefined && enteredMax === amountText && max !== enteredMax
  useEffect(() => {
    if (isTooMuch) enter(true)
  })
  return () => enter(false)
}

const ReceiveSide = memo(({ swap, onPick, isOutdated }: Props & { readonly isOutdated: boolean }) => {
  const { order, quote, isRefused, loss } = swap
  const { src, dst, entry, exactSide, priceOf } = order
  const isTyped = exactSide === 'out'
  const note =
    quote && src && dst && !isRefused ? (
      <>
        {isTyped ? (
          <UnitToggle entry={entry} token={dst} price={priceOf(dst)} />
        ) : (
          <UsdValue base={quote.toAmount} token={dst} price={priceOf(dst)} />
        )}
        <ValueDifference loss={loss} /> <br />
        <Rate quote={quote} src={src} dst={dst} />
      </>
    ) : (
      <>
        &nbsp;
        <br />
        &nbsp;
      </>
    )
  return (
    <TicketLeg
      label={isTyped ? 'You receive at least' : 'You receive (simulated)'}
      note={(isTyped && amountProblem(entry)) || note}
    >
      <AmountOfSide swap={swap} side="out" isOutdated={isOutdated} />
      <TokenButton token={dst} side="receive" onOpen={() => onPick('receive')} />
    </TicketLeg>
  )
})

const Foot = memo(({ swap }: { readonly swap: SwapPageState }) => {
  const { order, liveQuote, quote, isRefused, hasFailed, tokenOf, loss } = swap
  const isPending = useLedger(order.chain.id).some(({ kind, status }) => kind !== 'approval' && status === 'pending')
  const isQuoted = !isRefused && isExpected(swap)
  return (
    <div className={`ticket__go ${isQuoted ? 'ticket__go--ruled' : ''}`}>
      {isQuoted && <QuoteAge live={liveQuote} />}
      {(hasFailed || order.tokenListError !== null) && (
        <Failure error={order.tokenListError ?? liveQuote.error}>
          <ErrorHelp error={liveQuote.error} chainId={order.chain.id} token={order.dst?.address} />
        </Failure>
      )}
      {quote && !isRefused && <Warnings {...{ quote, tokenOf, loss }} src={order.src} isDirect={isDirect(quote)} />}
      {quote && !isRefused && <GasRemark swap={swap} />}
      {isPending && (
        <Notice kind="warn" title="A swap is still pending.">
          Another one is sent in addition to it.
        </Notice>
      )}
      <MainAction swap={swap} />
    </div>
  )
})

function GasRemark({ swap: { order, quote } }: { readonly swap: SwapPageState }) {
  const gas = quote?.gasCost?.usd
  const outputUsd = quote && outputUsdOf(quote, order)
  if (typeof gas !== 'number' || outputUsd === undefined || gas <= outputUsd) return null
  return (
    <Notice kind="warn" title="Gas costs more than you receive.">
      <Usd value={gas} /> of gas for <Usd value={outputUsd} />.
    </Notice>
  )
}

/** Number of digits before the decimal point from which on an amount has a smaller font. */
const MIN_LONG_DIGITS = 7
function longClassOf(amount: string | undefined, token: PageToken | undefined): string {
  if (amount === undefined || !token) return ''
  return toPlainText(amount, token.decimals).split('.')[0]!.length >= MIN_LONG_DIGITS ? 'amt--long' : ''
}
