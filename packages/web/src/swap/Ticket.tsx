import { type ReactNode, useEffect, useId, useState } from 'react'
import { grouped, parseAmount, plain, rate } from '../format/amount.ts'
import type { Token } from '../service/tokens.ts'
import { Icon } from '../ui/Icon.tsx'
import { Amount, Decimal, Usd } from '../ui/Num.tsx'
import type { Quote } from './use-quote.ts'

export type Side = 'pay' | 'receive'

type TokenButtonProps = { readonly token: Token | undefined; readonly side: Side; readonly onOpen: () => void }

export function TokenButton({ token, side, onOpen }: TokenButtonProps) {
  const symbol = token?.symbol ?? '…'
  return (
    <button
      type="button"
      className="tok"
      aria-haspopup="dialog"
      aria-label={`${symbol}, token to ${side}`}
      onClick={onOpen}
    >
      <Disc symbol={symbol} />
      {symbol}
    </button>
  )
}

export function Disc({ symbol }: { readonly symbol: string }) {
  // Drawn by the style, so that it is no part of the button's words.
  return <span className="disc" data-letter={symbol.charAt(0).toUpperCase()} aria-hidden="true" />
}

type FieldProps = {
  readonly label: string
  /** Decimal text as the address has it. */
  readonly value: string
  readonly decimals: number
  readonly onChange: (text: string) => void
}

/** Pause in typing before the amount is asked about. */
const TYPING_PAUSE_MS = 250
/** From so many characters on, smaller. */
const LONG = 12

export function AmountField({ label, value, decimals, onChange }: FieldProps) {
  const id = useId()
  const [text, setText] = useState(grouped(value))
  const [touched, setTouched] = useState(false)
  const typed = parseAmount(text, decimals)
  // An amount from elsewhere, such as the browser's back or "use less", takes the place of what was typed.
  useEffect(() => {
    setText((now) => {
      const same = parseAmount(now, decimals)
      const next = parseAmount(value, decimals)
      return same.kind === 'amount' && next.kind === 'amount' && same.base === next.base ? now : grouped(value)
    })
    setTouched(false)
  }, [value, decimals])
  useEffect(() => {
    if (!touched) return
    const later = setTimeout(
      () => onChange(typed.kind === 'amount' ? plain(typed.base, decimals) : ''),
      TYPING_PAUSE_MS,
    )
    return () => clearTimeout(later)
  })
  const wrong = typed.kind === 'wrong'
  return (
    <>
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={`amt ${text.length >= LONG ? 'amt--long' : ''}`}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        placeholder="0"
        value={text}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-why` : undefined}
        onChange={(event) => {
          setTouched(true)
          setText(event.target.value)
        }}
        onBlur={() => typed.kind === 'amount' && setText(grouped(plain(typed.base, decimals)))}
      />
      {wrong && (
        <span className="amt__why" id={`${id}-why`} role="alert">
          {typed.why}
        </span>
      )}
    </>
  )
}

type LegProps = {
  readonly label: ReactNode
  readonly right?: ReactNode
  readonly note: ReactNode
  readonly children: ReactNode
}

export function TicketLeg({ label, right, note, children }: LegProps) {
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

export function Flip({ onFlip }: { readonly onFlip: () => void }) {
  return (
    <button type="button" className="flip" aria-label="Swap the two tokens" onClick={onFlip}>
      <Icon name="flip" />
    </button>
  )
}

/** Placeholder where a figure will stand. */
export function Skeleton({ like }: { readonly like: string }) {
  return (
    <span className="sk" aria-hidden="true">
      {like}
    </span>
  )
}

type WorthProps = {
  readonly base: bigint | string | undefined
  readonly token: Token | undefined
  readonly price: number | null | undefined
}

export function Worth({ base, token, price }: WorthProps) {
  if (base === undefined || !token || price === undefined) return <>&nbsp;</>
  if (price === null) return <span className="q">no price</span>
  // Shown, never sent: a price is a float to begin with.
  return <Usd value={Number(plain(base, token.decimals)) * price} />
}

export function Rate({ quote, src, dst }: { readonly quote: Quote; readonly src: Token; readonly dst: Token }) {
  const text = rate(
    { amount: BigInt(quote.fromAmount), decimals: src.decimals },
    { amount: BigInt(quote.toAmount), decimals: dst.decimals },
  )
  return (
    <>
      1 {src.symbol} = <Decimal text={text} /> {dst.symbol}
    </>
  )
}

type LeastProps = { readonly quote: Quote | undefined; readonly token: Token | undefined; readonly quiet: boolean }

/** The figure that binds is the boldest: the contract enforces it. */
export function Least({ quote, token, quiet }: LeastProps) {
  return (
    <div className="least">
      <span className="lab">At least, or the swap undoes itself</span>
      <div className={`least__v ${quiet ? 'quiet' : ''}`}>
        {quote?.minToAmount && token ? (
          <>
            <Amount base={quote.minToAmount} decimals={token.decimals} digits={9} />{' '}
            <span className="unit">{token.symbol}</span>
          </>
        ) : (
          <Skeleton like="000 000.00" />
        )}
      </div>
      <p className="note">The contract checks this, not this page.</p>
    </div>
  )
}
