/** The metrics of a quote. */

import type { ReactNode } from 'react'
import type { PageToken } from '../service/tokens.ts'
import { Amount, Count, Percent, Usd } from '../ui/Num.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import type { ShownQuote } from './use-quote.ts'

type Props = {
  /** Undefined while the quote is loading. */
  readonly quote: ShownQuote | undefined
  readonly dst: PageToken | undefined
  readonly nativeSymbol: string
}

export function QuoteMetrics({ quote, dst, nativeSymbol }: Props) {
  const isNetOfGas = isKnown(quote?.optimalityGapNet)
  const gapBps = quote?.optimalityGapNet ?? quote?.optimalityGap
  return (
    <dl className="figs">
      <Metric name="Price impact" note="How much your trade moves the price.">
        {quote && (isKnown(quote.priceImpact) ? <Percent value={quote.priceImpact} /> : <Unknown />)}
      </Metric>
      <Metric
        name="Gas"
        note={
          quote?.gasCost && (
            <>
              <Amount base={quote.gasCost.native} decimals={18} digits={6} /> {nativeSymbol} for{' '}
              <Count value={quote.gasCharged ?? quote.gasEstimate} /> gas.
            </>
          )
        }
      >
        {quote && <Usd value={quote.gasCost?.usd} />}
      </Metric>
      <Metric name="You receive, net of gas" note="What the router optimizes for.">
        {quote &&
          dst &&
          (isKnown(quote.netToAmount) ? (
            <>
              <Amount base={quote.netToAmount} decimals={dst.decimals} digits={9} />{' '}
              <span className="unit">{dst.symbol}</span>
            </>
          ) : (
            <Unknown />
          ))}
      </Metric>
      <Metric name="Optimality gap (at most)" note={quote && gapText(gapBps, isNetOfGas ? 'after gas' : 'before gas')}>
        {quote &&
          (isKnown(gapBps) ? (
            <>
              {gapBps < 0.01 ? '< 0.01' : gapBps.toFixed(2)} <span className="unit">bps</span>
            </>
          ) : (
            <Unknown />
          ))}
      </Metric>
    </dl>
  )
}

const isKnown = <T,>(value: T | null | undefined): value is T => value !== null && value !== undefined

function gapText(gapBps: number | null | undefined, gasBasis: 'after gas' | 'before gas'): string {
  if (!isKnown(gapBps)) return 'We can’t bound this route.'
  return `At most ${gapBps < 1 ? '0.01' : (Math.ceil(gapBps) / 100).toFixed(2)} % better is possible with these pools, ${gasBasis}.`
}

const Unknown = () => <span className="q">not known</span>

function Metric({
  name,
  note,
  children,
}: {
  readonly name: string
  readonly note: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="fig">
      <dt className="lab">{name}</dt>
      <dd className="fig__v">{children || <Skeleton like="000 000" />}</dd>
      <dd className="note">{note || <Skeleton like="000 000.00 of these" />}</dd>
    </div>
  )
}
