/** Parts of the order form: amounts, tokens, rate, and minimum output. */

import type { ReactNode } from 'react'
import { rateText, usdOf } from '../format/amount.ts'
import { MINUS } from '../format/number.ts'
import type { PageToken } from '../service/tokens.ts'
import { Icon } from '../ui/Icon.tsx'
import { Amount, Decimal, Usd } from '../ui/Num.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import type { Loss } from './loss.ts'
import { ORDER_FORM } from './MainButton.tsx'
import type { AmountEntry } from './use-amount.ts'
import type { ShownQuote } from './use-quote.ts'

export type TicketSide = 'pay' | 'receive'

type TokenButtonProps = {
  readonly token: PageToken | undefined
  readonly side: TicketSide
  readonly onOpen: () => void
}

export function TokenButton({ token, side, onOpen }: TokenButtonProps) {
  const symbol = token?.symbol ?? '…'
  return (
    <button
      type="button"
      className="tok"
      aria-haspopup="dialog"
      aria-label={`${token?.fullSymbol ?? symbol}, token to ${side}`}
      title={token && `${token.fullSymbol ?? symbol} ${token.name} ${token.address}`}
      onClick={onOpen}
    >
      <TokenIcon symbol={symbol} />
      <span className="tok__s">{symbol}</span>
    </button>
  )
}

/** Shows the first letter of a symbol in a circle. */
export function TokenIcon({ symbol }: { readonly symbol: string }) {
  // CSS draws the letter, so that it is not part of the button's accessible name.
  return <span className="disc" data-letter={symbol.charAt(0).toUpperCase()} aria-hidden="true" />
}

/** Length from which on an amount has a smaller font. */
const LONG_CHARS = 12
/** Length from which on an amount has the smallest font. */
const LONGER_CHARS = 15
/** Id of the element with the message about an invalid or ambiguous amount. */
const PROBLEM_ID = 'amount-why'

type AmountFieldProps = { readonly label: string; readonly entry: AmountEntry }

/** Field for the amount. Adds spaces between thousands only when the field loses the focus. */
export function AmountField({ label, entry }: AmountFieldProps) {
  const { text, unit, typedAmount, setText, commit, formatText } = entry
  const isWrong = typedAmount?.kind === 'wrong' || typedAmount?.kind === 'ambiguous'
  return (
    <>
      {unit === 'usd' && !text.trim().startsWith('$') && <span className="amt amt__unit">$</span>}
      <input
        form={ORDER_FORM}
        className={`amt ${text.length >= LONGER_CHARS ? 'amt--longer' : text.length >= LONG_CHARS ? 'amt--long' : ''}`}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        placeholder="0"
        value={text}
        aria-label={unit === 'usd' ? `${label}, in dollars` : label}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? PROBLEM_ID : undefined}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          commit()
          formatText()
        }}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
    </>
  )
}

/** Returns the message about an invalid or ambiguous amount; undefined for other amounts. */
export function amountProblem({ typedAmount, setText }: AmountEntry): ReactNode {
  if (typedAmount?.kind === 'wrong')
    return (
      <span className="amt__why" id={PROBLEM_ID} role="alert">
        {typedAmount.reason}
      </span>
    )
  if (typedAmount?.kind === 'ambiguous')
    return (
      <span className="amt__why" id={PROBLEM_ID} role="alert">
        Did you mean{' '}
        {typedAmount.readings.map((reading, index) => (
          <span key={reading}>
            {index > 0 && ' or '}
            <button type="button" className="link" onClick={() => setText(reading)}>
              {reading}
            </button>
          </span>
        ))}
        ?
      </span>
    )
  return undefined
}

type UnitToggleProps = {
  readonly entry: AmountEntry
  readonly token: PageToken | undefined
  /** USD per whole token; null if there is no price, undefined while loading. */
  readonly price: number | null | undefined
}

/** Shows the amount in dollars next to an amount in tokens, and vice versa. A button switches the unit of the field. */
export function UnitToggle({ entry, token, price }: UnitToggleProps) {
  const { typedAmount, unit, toggleUnit } = entry
  if (!token || typeof price !== 'number')
    return <UsdValue base={typedAmount?.kind === 'amount' ? typedAmount.base : undefined} token={token} price={price} />
  const base = typedAmount?.kind === 'amount' ? typedAmount.base : 0n
  return (
    <>
      {unit === 'usd' ? (
        <>
          <Amount base={base} decimals={token.decimals} digits={9} /> {token.symbol}
        </>
      ) : (
        <UsdValue base={base} token={token} price={price} />
      )}{' '}
      <button type="button" className="link" onClick={toggleUnit}>
        {unit === 'usd' ? `Enter ${token.symbol}` : 'Enter dollars'}
      </button>
    </>
  )
}

type TicketLegProps = {
  readonly label: ReactNode
  readonly right?: ReactNode
  readonly note: ReactNode
  readonly children: ReactNode
}

export function TicketLeg({ label, right, note, children }: TicketLegProps) {
  return (
    <>
      <div className="leg-in__top">
        <span className="lab">{label}</span>
        <span className="note">{right}</span>
      </div>
      <div className="leg-in__row">{children}</div>
      <span className="note leg-in__note">{note}</span>
    </>
  )
}

export function FlipButton({ onFlip }: { readonly onFlip: () => void }) {
  return (
    <button type="button" className="flip" aria-label="Swap the two tokens" onClick={onFlip}>
      <Icon name="flip" />
    </button>
  )
}

type UsdValueProps = {
  readonly base: bigint | string | undefined
  readonly token: PageToken | undefined
  readonly price: number | null | undefined
}

export function UsdValue({ base, token, price }: UsdValueProps) {
  if (base === undefined || !token || price === undefined) return <>&nbsp;</>
  if (price === null) return <span className="q">no price</span>
  // Used for display only, because a price is a float.
  return <Usd value={usdOf(base, token.decimals, price)} />
}

/** Smallest difference that is shown, in percent: smaller ones would read as 0.00 %. */
const MIN_SHOWN_PERCENT = 0.005

/** Shows the difference in value between input and output. */
export function ValueDifference({ loss }: { readonly loss: Loss | undefined }) {
  if (loss?.usd === undefined || Math.abs(loss.percent) < MIN_SHOWN_PERCENT) return null
  const sign = loss.percent > 0 ? MINUS : '+'
  return (
    <span className={loss.isHigh ? 'bad' : undefined} title="Compared with the value you pay, by current prices">
      {' '}
      ({sign}
      {Math.abs(loss.percent).toFixed(2)} %, {Math.abs(loss.usd) >= 0.01 && sign}
      <Usd value={Math.abs(loss.usd)} />)
    </span>
  )
}

export function Rate({
  quote,
  src,
  dst,
}: {
  readonly quote: ShownQuote
  readonly src: PageToken
  readonly dst: PageToken
}) {
  const text = rateText(
    { amount: BigInt(quote.fromAmount), decimals: src.decimals },
    { amount: BigInt(quote.toAmount), decimals: dst.decimals },
  )
  return (
    <>
      1 {src.symbol} = <Decimal text={text} /> {dst.symbol}
    </>
  )
}

type MinimumProps = {
  readonly quote: ShownQuote | undefined
  readonly token: PageToken | undefined
  readonly isOutdated: boolean
}

/** Shows the minimum output in strong type, because this is the amount that the contract enforces. */
export function Minimum({ quote, token, isOutdated }: MinimumProps) {
  return (
    <div className="least">
      <span className="lab">Minimum received (or the swap reverts)</span>
      <div className={`least__v ${isOutdated ? 'quiet' : ''}`}>
        {quote?.minToAmount && token ? (
          <>
            <Amount base={quote.minToAmount} decimals={token.decimals} digits={9} />{' '}
            <span className="unit">{token.symbol}</span>
          </>
        ) : (
          <Skeleton like="000 000.00" />
        )}
      </div>
      <p className="note">Enforced on-chain by the Guard contract.</p>
    </div>
  )
}
