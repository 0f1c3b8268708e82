/** The warnings of a quote. */
import { MINUS } from '../format/number.ts'
import type { PageToken, TokenOf } from '../service/tokens.ts'
import { Notice } from '../ui/Notice.tsx'
import type { Loss } from './loss.ts'
import { ValueDifference } from './Ticket.tsx'
import type { ShownQuote } from './use-quote.ts'

type Props = {
  readonly quote: ShownQuote
  readonly src: PageToken | undefined
  readonly tokenOf: TokenOf
  readonly loss: Loss | undefined
  /** True if the Executor pays the recipient directly, not through the Guard. */
  readonly isDirect: boolean
}

/** Matches addresses in a message of the service. The page shows token symbols instead. */
const ADDRESS = /0x[0-9a-fA-F]{40}/g
/** Matches the service's message about price impact, which the page replaces. */
const IMPACT = /^the price impact is ([\d.]+) percent$/
/** Matches the service's message about a token with a transfer tax, which the page replaces. */
const TAX = /^(src|dst) takes ([\d.]+) percent on transfers/

/** Shows the warnings of a quote. Replaces known messages by clearer ones. */
export function Warnings({ quote, src, tokenOf, loss, isDirect }: Props) {
  const symbolOf = (side: string) => (side === 'src' ? (src?.symbol ?? 'The token') : tokenOf(quote.dst).symbol)
  return (
    <>
      {quote.warnings?.map((text) => {
        const impact = IMPACT.exec(text)?.[1]
        if (impact !== undefined)
          return (
            <Notice key={text} kind="warn" title={`High price impact: ${MINUS}${Number(impact).toFixed(2)} %.`}>
              {loss?.usd !== undefined && loss.usd > 0 && (
                <>
                  Value difference: <ValueDifference loss={loss} />.
                </>
              )}
            </Notice>
          )
        const tax = TAX.exec(text)
        if (tax)
          return (
            <Notice key={text} kind="warn" title={`${symbolOf(tax[1]!)} keeps ${tax[2]} % of every transfer.`}>
              Amounts shown are after that.
            </Notice>
          )
        const namedText = text.replace(ADDRESS, (address) => tokenOf(address).symbol)
        return <Notice key={text} kind="warn" title={`${namedText.charAt(0).toUpperCase()}${namedText.slice(1)}.`} />
      })}
      {isDirect && (
        <Notice kind="warn" title="Sent to you directly,">
          because this token charges a transfer fee. The Guard still checks what you receive.
        </Notice>
      )}
    </>
  )
}
