/**
 * State of the amount field. Typed amounts are written to the URL after a pause, and nothing is quoted or signed until
 * both agree.
 */
import { useEffect, useState } from 'react'
import { groupThousands, parseAmount, parseUsd, type TypedAmount, toPlainText, usdOf } from '../format/amount.ts'
import type { PageToken } from '../service/tokens.ts'
import { TYPING_PAUSE_MS } from '../ui/after-paint.ts'

export type AmountUnit = 'token' | 'usd'

export type AmountEntry = {
  /** Text of the field, as typed. */
  readonly text: string
  readonly unit: AmountUnit
  /** Parsed amount in base units of the token; undefined while the token is unknown. */
  readonly typed: TypedAmount | undefined
  /** True if the URL contains this amount. */
  readonly isSettled: boolean
  readonly set: (text: string) => void
  /** Writes the amount into the URL at once. */
  readonly commit: () => void
  /** Formats the text in the page's own notation. */
  readonly tidy: () => void
  /** Switches the field between tokens and dollars, keeping the amount. */
  readonly toggleUnit: () => void
}

/** Text typed while the URL contained the amount `before`. */
type Draft = {
  readonly text: string
  /** Unit of the field. A dollar sign in the text overrides it. */
  readonly unit: AmountUnit
  /** Converted once when dollars are typed, so that price updates do not change the amount. */
  readonly typed: TypedAmount
  readonly token: string
  readonly before: string
  /** Amount that was written into the URL. */
  readonly sent?: string
  readonly hasArrived?: boolean
}

type Options = {
  /** Amount in the URL, in whole tokens. */
  readonly value: string
  readonly token: PageToken | undefined
  /** USD per whole token; null if there is no price, undefined while loading. */
  readonly price: number | null | undefined
  /** Writes the amount into the URL. */
  readonly settle: (amount: string) => void
}

export function useAmount({ value, token, price, settle }: Options): AmountEntry {
  const [latest, setDraft] = useState<Draft>()
  // A change of amount or token in the URL, such as the browser's back button, replaces the typed text.
  const isOwn =
    latest?.token === token?.address && (latest?.hasArrived ? [latest.sent] : [latest?.before, latest?.sent])
  const draft = latest && Array.isArray(isOwn) && isOwn.includes(value) ? latest : undefined
  if (draft && draft.sent === value && !draft.hasArrived) setDraft({ ...draft, hasArrived: true })

  const typedAmount = draft?.typed ?? (token && parseAmount(value, token.decimals))
  const commit = () => {
    if (!draft || draft.sent !== undefined || !token) return
    const sentAmount = draft.typed.kind === 'amount' ? toPlainText(draft.typed.base, token.decimals) : ''
    setDraft({ ...draft, sent: sentAmount })
    if (sentAmount !== value) settle(sentAmount)
  }
  useEffect(() => {
    if (!draft || draft.sent !== undefined) return
    const later = setTimeout(commit, TYPING_PAUSE_MS)
    return () => clearTimeout(later)
  })
  return {
    text: draft?.text ?? groupThousands(value),
    unit: draft ? unitOf(draft.text, draft.unit) : 'token',
    typed: typedAmount,
    isSettled: !draft || draft.sent === value,
    set(text) {
      if (!token) return
      const unit = draft?.unit ?? 'token'
      const typedAmount = parse(text, unitOf(text, unit), token, price)
      setDraft({ text, unit, typed: typedAmount, token: token.address, before: value })
    },
    commit,
    tidy() {
      if (!draft || !token || unitOf(draft.text, draft.unit) === 'usd' || draft.typed.kind !== 'amount') return
      setDraft({ ...draft, text: groupThousands(toPlainText(draft.typed.base, token.decimals)) })
    },
    toggleUnit() {
      if (!token || !typedAmount) return
      if (draft && unitOf(draft.text, draft.unit) === 'usd') return setDraft(undefined)
      if (typeof price !== 'number') return
      // Changes only the display. The amount changes when the user types.
      const usd = typedAmount.kind === 'amount' ? usdOf(typedAmount.base, token.decimals, price).toFixed(2) : ''
      setDraft({
        text: usd,
        unit: 'usd',
        typed: typedAmount,
        token: token.address,
        before: value,
        sent: value,
        hasArrived: true,
      })
    },
  }
}

const unitOf = (text: string, unit: AmountUnit): AmountUnit => (text.trim().startsWith('$') ? 'usd' : unit)

function parse(text: string, unit: AmountUnit, token: PageToken, price: number | null | undefined): TypedAmount {
  if (unit === 'token') return parseAmount(text, token.decimals)
  if (typeof price === 'number') return parseUsd(text.replace('$', ''), price, token.decimals)
  return { kind: 'wrong', reason: `No price for ${token.symbol}. Enter an amount of ${token.symbol}.` }
}
