/** The comparison of a quoted route with other routes for the same order. */

import { useQuery } from '@tanstack/react-query'
import { MINUS } from '../format/number.ts'
import { shouldRetry } from '../service/client.ts'
import type { PageToken } from '../service/tokens.ts'
import { Failure } from '../ui/Notice.tsx'
import { Amount, Count, Percent } from '../ui/Num.tsx'
import { Scroll } from '../ui/Scroll.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { type Alternative, compareRoutes, type RouteComparison, shortfallOf } from './alternatives.ts'
import type { OrderRequest, ShownQuote } from './use-quote.ts'

export type WhyRouteProps = {
  readonly request: OrderRequest
  readonly quote: ShownQuote
  readonly src: PageToken
  readonly dst: PageToken
}

export function WhyRoute({ request, quote, src, dst }: WhyRouteProps) {
  const { from: _, ...order } = request
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['alternatives', order, quote.swaps.length === 1],
    staleTime: Number.POSITIVE_INFINITY,
    retry: shouldRetry,
    queryFn: ({ signal }) => compareRoutes(request, quote, signal),
  })
  const isExactOutput = request.amountOut !== undefined
  return (
    <div className="why-route">
      {error !== null && <Failure error={error} />}
      {!data && !error && <p className="note">Asking for the same order with fewer pools…</p>}
      {data && (
        <>
          <Scroll label="Routes compared">
            <table>
              <thead>
                <tr>
                  <th>Route</th>
                  <th className="r">Pools</th>
                  <th className="r">{isExactOutput ? `You pay, ${src.symbol}` : `You receive, ${dst.symbol}`}</th>
                  <th className="r">{isExactOutput ? 'Costs more' : 'Pays less, after gas'}</th>
                </tr>
              </thead>
              <tbody>
                <Row name="This route" quote={data.best} {...{ data, isExactOutput, src, dst }} />
                {data.alternatives.map((other) => (
                  <Row key={other.name} {...other} {...{ data, isExactOutput, src, dst }} />
                ))}
              </tbody>
            </table>
          </Scroll>
          <p className="note">
            All quoted at block <Count value={data.block} />.{' '}
            <button type="button" className="link" disabled={isFetching} onClick={() => void refetch()}>
              Compare again
            </button>
          </p>
        </>
      )}
      {!data && !error && <Skeleton like="000 000 000 000" />}
    </div>
  )
}

type RowProps = Alternative & {
  readonly data: RouteComparison
  readonly isExactOutput: boolean
  readonly src: PageToken
  readonly dst: PageToken
}

function Row({ name, quote, reason, data, isExactOutput, src, dst }: RowProps) {
  const token = isExactOutput ? src : dst
  if (!quote)
    return (
      <tr>
        <td>{name}</td>
        <td className="r q">–</td>
        <td className="r q" colSpan={2} title={reason}>
          no such route
        </td>
      </tr>
    )
  const { base, percent } = shortfallOf(data.best, quote, isExactOutput)
  const amount = isExactOutput ? quote.fromAmount : quote.toAmount
  return (
    <tr>
      <td>{quote === data.best ? <b>{name}</b> : name}</td>
      <td className="r">{new Set(quote.swaps.map(({ pool }) => pool)).size}</td>
      <td className="r">
        <Amount base={amount} decimals={token.decimals} digits={9} maxDecimals={4} />
      </td>
      <td className="r">
        {quote === data.best ? (
          <span className="q">–</span>
        ) : base === 0n ? (
          'the same'
        ) : (
          <>
            {base > 0n ? '' : MINUS}
            <Amount base={base > 0n ? base : -base} decimals={token.decimals} /> {token.symbol} (
            <Percent value={percent} />)
          </>
        )}
      </td>
    </tr>
  )
}
