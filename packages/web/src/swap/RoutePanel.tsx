/** The route panel of the Swap page. */
import { type ReactNode, useState } from 'react'
import { Flow } from '../route/Flow.tsx'
import { groupOf, groups } from '../route/families.ts'
import { LegTable } from '../route/LegTable.tsx'
import type { Token, TokenOf } from '../service/tokens.ts'
import { Amount, Count } from '../ui/Num.tsx'
import { Figures } from './Figures.tsx'
import { Skeleton } from './Ticket.tsx'
import type { Live, Quote } from './use-quote.ts'

type Props = {
  readonly live: Pick<Live, 'isAsking' | 'isStale'> & { readonly quote: Quote }
  readonly src: Token
  readonly dst: Token
  readonly tokenOf: TokenOf
  readonly held: boolean
  readonly native: string
}

/** Shows the route as a flow with its legend, its metrics, and a table of the legs. */
export function RoutePanel({ live: { quote, isAsking, isStale }, src, dst, tokenOf, held, native }: Props) {
  const [lit, setLit] = useState<number | null>(null)
  const { swaps } = quote
  const pools = new Set(swaps.map(({ pool }) => pool)).size
  const families = new Set(swaps.map(({ protocol }) => protocol)).size
  const shown = [...new Set(swaps.map(({ protocol }) => groupOf(protocol)))]
  const state = held ? 'held' : isStale ? 'stale' : isAsking ? 'asking' : 'fresh'
  return (
    <>
      <section className={`panel route route--${state}`} aria-labelledby="route" aria-busy={isAsking}>
        {isAsking && !held && <div className="busy" />}
        <div className="panel__h">
          <h2 id="route">Route</h2>
          <p className="route__sum">
            <span>{pools === 1 ? '1 pool' : `${pools} pools`}</span>
            <span>{families === 1 ? '1 family' : `${families} families`}</span>
            <span>
              simulated in block <Count value={quote.simulationBlock} />
              {held && ', held'}
            </span>
          </p>
        </div>
        <div className="ends">
          <p>
            <b>{src.symbol}</b> <Amount base={quote.fromAmount} decimals={src.decimals} />
          </p>
          <p>
            <Amount base={quote.toAmount} decimals={dst.decimals} digits={9} /> <b>{dst.symbol}</b>
          </p>
        </div>
        <Flow route={quote} tokenOf={tokenOf} lit={lit} onLight={setLit} />
        <div className="key" aria-hidden="true">
          {shown.map((group) => (
            <span key={group}>
              <span className={`sw f-${group} ${group === 'wrap' ? 'sw--wrap' : ''}`} />
              {groups[group]}
            </span>
          ))}
        </div>
        <Figures quote={quote} dst={dst} native={native} />
      </section>
      <LegTable legs={swaps} tokenOf={tokenOf} lit={lit} onLight={setLit} />
    </>
  )
}

/** Replaces the route if no quote is requested, and shows the reason. */
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
          {GHOSTS.map(([from, y, width]) => (
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
      <Figures quote={undefined} dst={undefined} native="" />
    </section>
  )
}

const GHOSTS = [
  [100, 90, 60],
  [170, 190, 44],
  [240, 280, 24],
  [310, 350, 10],
] as const
