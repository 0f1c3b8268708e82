/** Announcements of quotes to screen readers. */
import { useState } from 'react'
import { toPlainText } from '../format/amount.ts'
import type { PageToken } from '../service/tokens.ts'
import type { ShownQuote } from './use-quote.ts'

/** Minimum time between two announcements. */
const MIN_INTERVAL_MS = 10_000
/** Smallest change of the minimum output that is announced, in parts per million. */
const MIN_CHANGE_PPM = 1_000n

type Props = { readonly quote: Pick<ShownQuote, 'minToAmount'> | undefined; readonly dst: PageToken | undefined }

/** Announces a new quote at most every ten seconds, and only if the minimum output changed by at least 0.1 %. */
export function QuoteAnnouncement({ quote, dst }: Props) {
  const [announcement, setAnnouncement] = useState({ announcedAtMs: 0, minimumOutput: 0n, text: '' })
  const minimum = BigInt(quote?.minToAmount ?? '0')
  const hasChanged =
    announcement.minimumOutput === 0n ||
    abs(minimum - announcement.minimumOutput) * 1_000_000n >= announcement.minimumOutput * MIN_CHANGE_PPM
  if (dst && minimum > 0n && hasChanged && Date.now() - announcement.announcedAtMs > MIN_INTERVAL_MS)
    setAnnouncement({
      announcedAtMs: Date.now(),
      minimumOutput: minimum,
      text: `New quote: at least ${toPlainText(minimum, dst.decimals)} ${dst.symbol}`,
    })
  return (
    <div className="sr" aria-live="polite">
      {announcement.text}
    </div>
  )
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value)
