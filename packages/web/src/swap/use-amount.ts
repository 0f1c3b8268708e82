/** The amount as it is typed. The link carries it once typing pauses; until both agree, nothing is quoted or signed by it. */
import { useEffect, useState } from 'react'
import { grouped, parseAmount, parseUsd, plain, type Typed } from '../format/amount.ts'
import type { Token } from '../service/tokens.ts'

/** Pause in typing before the amount is quoted. */
const TYPING_PAUSE_MS = 250

export type Unit = 'token' | 'usd'

export type AmountEntry = {
  /** As typed. */
  readonly text: string
  readonly unit: Unit
  /** Base units of the token; undefined while the token is not known. */
  readonly typed: Typed | undefined
  /** True when the link has this amount. */
  readonly isSettled: boolean
  readonly set: (text: string) => void
  /** Writes the amount into the link at once. */
  readonly commit: () => void
  /** Shows the amount as the page writes it. */
  readonly tidy: () => void
  /** Shows the same amount in dollars, or in tokens, to be changed there. */
  readonly toggleUnit: () => void
}

/** Text that was typed since the link had the amount `before`. */
type Draft = {
  readonly text: string
  /** Unit of the field; a dollar sign in it means dollars all the same. */
  readonly unit: Unit
  /** Fixed when it is typed in dollars: a price that moves changes no amount. */
  readonly typed: Typed
  readonly token: string
  readonly before: string
  /** Amount that was written into the link. */
  readonly sent?: string
  readonly hasArrived?: boolean
}

type Options = {
  /** Amount of the link, in whole tokens. */
  readonly value: string
  readonly token: Token | undefined
  /** USD of a whole token; null if it has none, undefined while it is not known. */
  readonly price: number | null | undefined
  /** Writes the amount into the link. */
  readonly settle: (amount: string) => void
}

export function useAmount({ value, token, price, settle }: Options): AmountEntry {
  const [latest, setDraft] = useState<Draft>()
  // Another amount or token in the link, such as by the browser's back, takes the place of what was typed.
  const isOwn =
    latest?.token === token?.address && (latest?.hasArrived ? [latest.sent] : [latest?.before, latest?.sent])
  const draft = latest && Array.isArray(isOwn) && isOwn.includes(value) ? latest : undefined
  if (draft && draft.sent === value && !draft.hasArrived) setDraft({ ...draft, hasArrived: true })

  const typed = draft?.typed ?? (token && parseAmount(value, token.decimals))
  const commit = () => {
    if (!draft || draft.sent !== undefined || !token) return
    const sent = draft.typed.kind === 'amount' ? plain(draft.typed.base, token.decimals) : ''
    setDraft({ ...draft, sent })
    if (sent !== value) settle(sent)
  }
  useEffect(() => {
    if (!draft || draft.sent !== undefined) return
    const later = setTimeout(commit, TYPING_PAUSE_MS)
    return () => clearTimeout(later)
  })
  return {
    text: draft?.text ?? grouped(value),
    unit: draft ? unitOf(draft.text, draft.unit) : 'token',
    typed,
    isSettled: !draft || draft.sent === value,
    set(text) {
      if (!token) return
      const unit = draft?.unit ?? 'token'
      const typed = parse(text, unitOf(text, unit), token, price)
      setDraft({ text, unit, typed, token: token.address, before: value })
    },
    commit,
    tidy() {
      if (!draft || !token || unitOf(draft.text, draft.unit) === 'usd' || draft.typed.kind !== 'amount') return
      setDraft({ ...draft, text: grouped(plain(draft.typed.base, token.decimals)) })
    },
    toggleUnit() {
      if (!token || !typed) return
      if (draft && unitOf(draft.text, draft.unit) === 'usd') return setDraft(undefined)
      if (typeof price !== 'number') return
      // Shown only: the amount stays what it is until another is typed.
      const usd = typed.kind === 'amount' ? (Number(plain(typed.base, token.decimals)) * price).toFixed(2) : ''
      setDraft({ text: usd, unit: 'usd', typed, token: token.address, before: value, sent: value, hasArrived: true })
    },
  }
}

const unitOf = (text: string, unit: Unit): Unit => (text.trim().startsWith('$') ? 'usd' : unit)

function parse(text: string, unit: Unit, token: Token, price: number | null | undefined): Typed {
  if (unit === 'token') return parseAmount(text, token.decimals)
  if (typeof price === 'number') return parseUsd(text.replace('$', ''), price, token.decimals)
  return { kind: 'wrong', why: `No price for ${token.symbol}. Enter an amount of ${token.symbol}.` }
}
