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
  readonly nativeSymbol: string
  /** Request of the quote. The comparison repeats it with restrictions to get other routes. */
  readonly request: OrderRequest
  readonly chainName: string
  /** Number of known pools of the chain, which the placeholder shows. */
  readonly chainPoolCount: number | undefined
}

/**
 * Shows the route as a diagram with its legend, its metrics, and a table of the legs. Memoized, so that it does not
 * render again while an amount is typed. Paints the table after the diagram, so that the browser handles inputs in
 * between.
 */
export const RoutePanel = memo(function RoutePanel({
  quote,
  isFetching,
  isStale,
  src,
  dst,
  tokenOf,
  isSigning,
  nativeSymbol,
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
    const drawing = { svg, title, fileName: `sluice-route-${quote.simulationBlock}` }
    await (format === 'SVG' ? saveSvg(drawing) : savePng(drawing))
  }
  if (visibleParts === 1) return <RouteSkeleton poolCount={chainPoolCount} />
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
        <QuoteMetrics quote={quote} dst={dst} nativeSymbol={nativeSymbol} />
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

/** Shows the input and the output of the route. */
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

/** Number of parts that are painted one after another: the placeholder, the diagram, and the table. */
const PART_COUNT = 3

const PaintedLegTable = memo(function Legs(props: ComponentProps<typeof LegTable>) {
  return <LegTable {...useAfterPaint(props)} />
})

/** Compares the route with other routes: at once for a route of one pool, otherwise when the user opens the section. */
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

/** Placeholder for a loading route, in its size. */
export function RouteSkeleton({ poolCount }: { readonly poolCount: number | undefined }) {
  return (
    <section className="panel route" aria-busy="true" aria-label="Route">
      <div className="busy" />
      <div className="panel__h">
        <h2>Route</h2>
        <p className="route__sum">{poolCount ? `Searching ${poolCount} pools…` : 'Searching for pools…'}</p>
      </div>
      <div className="flow flow--empty">
        <svg viewBox="0 0 860 400" preserveAspectRatio="none" aria-hidden="true">
          <path className="ghost__bar" d="M3 60V340M857 60V340" />
          {GHOST_BANDS.map(([barY, y, width]) => (
            <path
              key={y}
              className="ghost"
              strokeWidth={width}
              d={`M6 ${barY}C60 ${barY} 60 ${y} 120 ${y}H740C800 ${y} 800 ${barY} 854 ${barY}`}
            />
          ))}
        </svg>
      </div>
      <div className="key" aria-hidden="true">
        <Skeleton like="concentrated constant product" />
      </div>
      <QuoteMetrics quote={undefined} dst={undefined} nativeSymbol="" />
    </section>
  )
}

/** Bands of the placeholder: y at the token bars, y in the middle of the drawing, and width, in pixels. */
const GHOST_BANDS = [
  [100, 90, 60],
  [170, 190, 44],
  [240, 280, 24],
  [310, 350, 10],
] as const
