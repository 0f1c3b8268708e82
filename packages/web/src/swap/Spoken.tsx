/** Announcements of quotes to screen readers. */
import { useState } from 'react'
import { plain } from '../format/amount.ts'
import type { PageToken } from '../service/tokens.ts'
import type { ShownQuote } from './use-quote.ts'

const EVERY_MS = 10_000
/** Parts per million. */
const MOVED = 1_000n

type Props = { readonly quote: Pick<ShownQuote, 'minToAmount'> | undefined; readonly dst: PageToken | undefined }

/** Announces a new quote at most every ten seconds, and only if the minimum changed by 0.1 %. */
export function Spoken({ quote, dst }: Props) {
  const [spoken, setSaid] = useState({ at: 0, least: 0n, text: '' })
  const minimum = BigInt(quote?.minToAmount ?? '0')
  const hasMoved = spoken.least === 0n || abs(minimum - spoken.least) * 1_000_000n >= spoken.least * MOVED
  if (dst && minimum > 0n && hasMoved && Date.now() - spoken.at > EVERY_MS)
    setSaid({
      at: Date.now(),
      least: minimum,
      text: `New quote: at least ${plain(minimum, dst.decimals)} ${dst.symbol}`,
    })
  return (
    <div className="sr" aria-live="polite">
      {spoken.text}
    </div>
  )
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value)
