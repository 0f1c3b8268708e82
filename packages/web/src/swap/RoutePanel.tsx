/** The route panel of the Swap page. */

import { type ComponentProps, memo, type ReactNode, useRef, useState } from 'react'
import { toPlainText } from '../format/amount.ts'
import { Flow } from '../route/Flow.tsx'
import { groupOf, groupTitles } from '../route/families.ts'
import { LegTable } from '../route/LegTable.tsx'
import type { PageToken, TokenOf } from '../service/tokens.ts'
import { useAfterPaint, usePaintedParts } from '../ui/after-paint.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Amount, Count } from '../ui/Num.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { QuoteMetrics } from './QuoteMetrics.tsx'
import type { OrderRequest, ShownQuote } from './use-quote.ts'
import type { WhyRouteProps } from './WhyRoute.tsx'

const WhyRoute = lazyPart(async () => (await import('./WhyRoute.tsx')).WhyRoute)

type Props = {
  readonly quote: ShownQuote
  readonly isFetching: boolean
  readonly isStale: boolean
  readonly src: PageToken
  readonly dst: PageToken
  readonly tokenOf: TokenOf
  readonly isSigning: boolean
  readonly native: string
  /** Request of the quote, which the comparison repeats for other routes. */
  readonly request: OrderRequest
  readonly chainName: string
  /** Number of pools of the chain, for the placeholder. */
  readonly chainPoolCount: number | undefined
}

/**
 * Shows the route as a flow with its legend, its metrics, and a table of the legs. Renders again only if the quote or
 * its state changes, not while an amount is typed. Paints the table after the drawing, so that the browser handles
 * inputs in between.
 */
export const RoutePanel = memo(function RoutePanel({
  quote,
  isFetching,
  isStale,
  src,
  dst,
  tokenOf,
  isSigning,
  native,
  request,
  chainName,
  chainPoolCount,
}: Props) {
  const visibleParts = usePaintedParts(PART_COUNT)
  const [highlightedIndex, setHighlightedIndex] = useState<number | null>(null)
  const panel = useRef<HTMLElement>(null)
  const { swaps } = quote
  const poolCount = new Set(swaps.map(({ pool }) => pool)).size
  const familyCount = new Set(swaps.map(({ protocol }) => protocol)).size
  const shownGroups = [...new Set(swaps.map(({ protocol }) => groupOf(protocol)))]
  const save = async (format: 'SVG' | 'PNG') => {
    const svg = panel.current?.querySelector<SVGSVGElement>('.flow > svg')
    if (!svg) return
    const { saveSvg, savePng } = await import('../route/download.ts')
    const [paid, received] = [toPlainText(quote.fromAmount, src.decimals), toPlainText(quote.toAmount, dst.decimals)]
    const title = `${paid} ${src.symbol} → ${received} ${dst.symbol} · ${chainName}, block ${quote.simulationBlock} · Sluice`
    const drawing = { svg, title, file: `sluice-route-${quote.simulationBlock}` }
    await (format === 'SVG' ? saveSvg(drawing) : savePng(drawing))
  }
  if (visibleParts === 1) return <RouteSkeleton pools={chainPoolCount} />
  const state = isSigning ? 'held' : isStale ? 'stale' : isFetching ? 'asking' : 'fresh'
  return (
    <>
      <section ref={panel} className={`panel route route--${state}`} aria-labelledby="route" aria-busy={isFetching}>
        {isFetching && !isSigning && <div className="busy" />}
        <div className="panel__h">
          <h2 id="route">Route</h2>
          <p className="route__sum">
            <span>{poolCount === 1 ? '1 pool' : `${poolCount} pools`}</span>
            <span>{familyCount === 1 ? '1 family' : `${familyCount} families`}</span>
            <span>
              simulated in block <Count value={quote.simulationBlock} />
              {isSigning && ', held'}
            </span>
          </p>
        </div>
        <RouteEnds {...{ quote, src, dst }} />
        <Flow route={quote} tokenOf={tokenOf} highlightedIndex={highlightedIndex} onHighlight={setHighlightedIndex} />
        <div className="key">
          {shownGroups.map((group) => (
            <span key={group}>
              <span className={`sw f-${group} ${group === 'wrap' ? 'sw--wrap' : ''}`} />
              {groupTitles[group]}
            </span>
          ))}
          <span className="key__acts">
            {(['SVG', 'PNG'] as const).map((format) => (
              <button key={format} type="button" className="link" onClick={() => void save(format)}>
                Save {format}
              </button>
            ))}
          </span>
        </div>
        <QuoteMetrics quote={quote} dst={dst} native={native} />
      </section>
      {visibleParts === PART_COUNT && <WhySection {...{ request, quote, src, dst }} />}
      {visibleParts === PART_COUNT && (
        <PaintedLegTable
          legs={swaps}
          tokenOf={tokenOf}
          highlightedIndex={highlightedIndex}
          onHighlight={setHighlightedIndex}
        />
      )}
    </>
  )
})

/** Shows what is paid and what is received. */
function RouteEnds({ quote, src, dst }: Pick<Props, 'quote' | 'src' | 'dst'>) {
  return (
    <div className="ends">
      <p>
        <b>{src.symbol}</b> <Amount base={quote.fromAmount} decimals={src.decimals} />
      </p>
      <p>
        <Amount base={quote.toAmount} decimals={dst.decimals} digits={9} /> <b>{dst.symbol}</b>
      </p>
    </div>
  )
}

/** Parts of the panel: its placeholder, the drawing, and the table. */
const PART_COUNT = 3

const PaintedLegTable = memo(function Legs(props: ComponentProps<typeof LegTable>) {
  return <LegTable {...useAfterPaint(props)} />
})

/**
 * Compares the route with other routes: on demand, or at once for a route of one pool, whose drawing shows little.
 */
function WhySection({ quote, ...routeProps }: WhyRouteProps) {
  const [isOpen, setIsOpen] = useState<boolean>()
  const isShown = isOpen ?? quote.swaps.length === 1
  return (
    <section className="panel others" aria-labelledby="why-route">
      <div className="panel__h">
        <h2 id="why-route">{quote.swaps.length === 1 ? 'Why this pool' : 'Why this route'}</h2>
        <button type="button" className="link" aria-expanded={isShown} onClick={() => setIsOpen(!isShown)}>
          {isShown ? 'Hide' : 'Compare with other routes'}
        </button>
      </div>
      {isShown && <WhyRoute quote={quote} {...routeProps} />}
    </section>
  )
}

/** Shows the reason why there is no route to draw. */
export function RouteEmpty({ children }: { readonly children: ReactNode }) {
  return (
    <section className="panel route" aria-labelledby="no-route">
      <div className="panel__h">
        <h2 id="no-route">Route</h2>
      </div>
      <p className="route__none note">{children}</p>
    </section>
  )
}

/** Placeholder of a loading route, in the same size. */
export function RouteSkeleton({ pools }: { readonly pools: number | undefined }) {
  return (
    <section className="panel route" aria-busy="true" aria-label="Route">
      <div className="busy" />
      <div className="panel__h">
        <h2>Route</h2>
        <p className="route__sum">{pools ? `Searching ${pools} pools…` : 'Searching for pools…'}</p>
      </div>
      <div className="flow flow--empty">
        <svg viewBox="0 0 860 400" preserveAspectRatio="none" aria-hidden="true">
          <path className="ghost__bar" d="M3 60V340M857 60V340" />
          {GHOST_BANDS.map(([from, y, width]) => (
            <path
              key={y}
              className="ghost"
              strokeWidth={width}
              d={`M6 ${from}C60 ${from} 60 ${y} 120 ${y}H740C800 ${y} 800 ${from} 854 ${from}`}
            />
          ))}
        </svg>
      </div>
      <div className="key" aria-hidden="true">
        <Skeleton like="concentrated constant product" />
      </div>
      <QuoteMetrics quote={undefined} dst={undefined} native="" />
    </section>
  )
}

/** Bands of the placeholder: y at the bars, y in the middle, and width. */
const GHOST_BANDS = [
  [100, 90, 60],
  [170, 190, 44],
  [240, 280, 24],
  [310, 350, 10],
] as const
