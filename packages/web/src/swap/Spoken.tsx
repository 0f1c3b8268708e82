/** Announcements of quotes to screen readers. */
import { useState } from 'react'
import { plain } from '../format/amount.ts'
import type { Token } from '../service/tokens.ts'
import type { Quote } from './use-quote.ts'

const EVERY_MS = 10_000
/** Parts per million. */
const MOVED = 1_000n

type Props = { readonly quote: Pick<Quote, 'minToAmount'> | undefined; readonly dst: Token | undefined }

/** Announces a new quote at most every ten seconds, and only if the minimum changed by 0.1 %. */
export function Spoken({ quote, dst }: Props) {
  const [said, setSaid] = useState({ at: 0, least: 0n, text: '' })
  const least = BigInt(quote?.minToAmount ?? '0')
  const moved = said.least === 0n || abs(least - said.least) * 1_000_000n >= said.least * MOVED
  if (dst && least > 0n && moved && Date.now() - said.at > EVERY_MS)
    setSaid({ at: Date.now(), least, text: `New quote: at least ${plain(least, dst.decimals)} ${dst.symbol}` })
  return (
    <div className="sr" aria-live="polite">
      {said.text}
    </div>
  )
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value)
