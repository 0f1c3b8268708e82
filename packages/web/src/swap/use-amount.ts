/**
 * State of the amount field. The page quotes the amount in the URL. The hook writes a typed amount to the URL after a
 * pause in typing. Until then, the typed amount can be neither quoted nor signed.
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
  readonly typedAmount: TypedAmount | undefined
  /** True if the URL contains this amount. */
  readonly isSettled: boolean
  readonly setText: (text: string) => void
  /** Writes the amount into the URL at once. */
  readonly commit: () => void
  /** Rewrites the text with thin spaces between thousands. */
  readonly formatText: () => void
  /** Switches the field between tokens and dollars, keeping the amount. */
  readonly toggleUnit: () => void
}

/** Text typed while the URL contained the amount `urlAmountBefore`. */
type Draft = {
  readonly text: string
  /** Unit of the field. A dollar sign in the text overrides it. */
  readonly unit: AmountUnit
  /** Amount of the text in base units. Dollars are converted once, so that a new price does not change the amount. */
  readonly typedAmount: TypedAmount
  /** Address of the token whose amount was typed. */
  readonly token: string
  readonly urlAmountBefore: string
  /** Amount that the hook has written to the URL; undefined until it writes. */
  readonly writtenAmount?: string
  /** True once the URL contains `writtenAmount`. */
  readonly isInUrl?: boolean
}

type Options = {
  /** Amount in the URL, in whole tokens. */
  readonly urlAmount: string
  readonly token: PageToken | undefined
  /** USD per whole token; null if there is no price, undefined while loading. */
  readonly price: number | null | undefined
  /** Writes the amount into the URL. */
  readonly writeToUrl: (amount: string) => void
}

export function useAmount({ urlAmount, token, price, writeToUrl }: Options): AmountEntry {
  const [latestDraft, setDraft] = useState<Draft>()
  // If another amount or token appears in the URL, for example by the back button, the typed text is dropped.
  const acceptedUrlAmounts =
    latestDraft?.token === token?.address &&
    (latestDraft?.isInUrl ? [latestDraft.writtenAmount] : [latestDraft?.urlAmountBefore, latestDraft?.writtenAmount])
  const draft =
    latestDraft && Array.isArray(acceptedUrlAmounts) && acceptedUrlAmounts.includes(urlAmount) ? latestDraft : undefined
  if (draft && draft.writtenAmount === urlAmount && !draft.isInUrl) setDraft({ ...draft, isInUrl: true })

  const typedAmount = draft?.typedAmount ?? (token && parseAmount(urlAmount, token.decimals))
  const commit = () => {
    if (!draft || draft.writtenAmount !== undefined || !token) return
    const amountToWrite = draft.typedAmount.kind === 'amount' ? toPlainText(draft.typedAmount.base, token.decimals) : ''
    setDraft({ ...draft, writtenAmount: amountToWrite })
    if (amountToWrite !== urlAmount) writeToUrl(amountToWrite)
  }
  useEffect(() => {
    if (!draft || draft.writtenAmount !== undefined) return
    const timeout = setTimeout(commit, TYPING_PAUSE_MS)
    return () => clearTimeout(timeout)
  })
  return {
    text: draft?.text ?? groupThousands(urlAmount),
    unit: draft ? unitOf(draft.text, draft.unit) : 'token',
    typedAmount,
    isSettled: !draft || draft.writtenAmount === urlAmount,
    setText(text) {
      if (!token) return
      const unit = draft?.unit ?? 'token'
      const typedAmount = parseTypedText(text, unitOf(text, unit), token, price)
      setDraft({ text, unit, typedAmount, token: token.address, urlAmountBefore: urlAmount })
    },
    commit,
    formatText() {
      if (!draft || !token || unitOf(draft.text, draft.unit) === 'usd' || draft.typedAmount.kind !== 'amount') return
      setDraft({ ...draft, text: groupThousands(toPlainText(draft.typedAmount.base, token.decimals)) })
    },
    toggleUnit() {
      if (!token || !typedAmount) return
      if (draft && unitOf(draft.text, draft.unit) === 'usd') return setDraft(undefined)
      if (typeof price !== 'number') return
      // Shows the amount in dollars, but keeps its base units.
      const usd = typedAmount.kind === 'amount' ? usdOf(typedAmount.base, token.decimals, price).toFixed(2) : ''
      setDraft({
        text: usd,
        unit: 'usd',
        typedAmount,
        token: token.address,
        urlAmountBefore: urlAmount,
        writtenAmount: urlAmount,
        isInUrl: true,
      })
    },
  }
}

/** A dollar sign in the text overrides the chosen unit. */
const unitOf = (text: string, unit: AmountUnit): AmountUnit => (text.trim().startsWith('$') ? 'usd' : unit)

function parseTypedText(
  text: string,
  unit: AmountUnit,
  token: PageToken,
  price: number | null | undefined,
): TypedAmount {
  if (unit === 'token') return parseAmount(text, token.decimals)
  if (typeof price === 'number') return parseUsd(text.replace('$', ''), price, token.decimals)
  return { kind: 'wrong', reason: `No price for ${token.symbol}. Enter an amount of ${token.symbol}.` }
}
