/** The price history and the depth of the chosen token pair, from the blocks that the service has seen. */
import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { shortNumber, significantText } from '../format/number.ts'
import { isUnlimited } from '../prices/curve.ts'
import { sluice } from '../service/client.ts'
import type { PageToken } from '../service/tokens.ts'
import { Count, Decimal, Percent } from '../ui/Num.tsx'
import { Plot } from '../ui/Plot.tsx'
import { chartOf, type PairRate, ratesOf, type UsdPoint } from './history.ts'

type Props = { readonly chainId: number; readonly src: PageToken; readonly dst: PageToken }
/** USD that can be sold, by price impact in percent; null if unknown. */
type Depth = Readonly<Record<string, number>> | null

const REFETCH_MS = 10_000
const HEIGHT_PX = 120

export const PairChart = memo(function PairChart({ chainId, src, dst }: Props) {
  const token = [src.address, dst.address]
  const { data } = useQuery({
    queryKey: ['pair history', chainId, ...token],
    refetchInterval: REFETCH_MS,
    retry: false,
    queryFn: async () => {
      const [history, depths] = await Promise.all([
        sluice.get<Record<string, readonly UsdPoint[]>>(`/history/${chainId}`, { token }),
        sluice.get<Record<string, Depth>>(`/liquidity/${chainId}`, { token, curve: 1 }),
      ])
      return { rates: ratesOf(history[src.address] ?? [], history[dst.address] ?? []), depths }
    },
  })
  const latest = data?.rates.at(-1)
  return (
    <section className="panel pair" aria-labelledby="pair">
      <div className="panel__h">
        <h2 id="pair">
          {src.symbol} in {dst.symbol}
        </h2>
        <span className="note">
          {latest && (
            <>
              1 {src.symbol} ≈ <Decimal text={significantText(latest.rate, 7)} /> {dst.symbol}
            </>
          )}
        </span>
      </div>
      <Plot>{(width) => <RateLine rates={data?.rates ?? []} width={width} />}</Plot>
      <p className="note">
        {data && data.rates.length > 1 ? (
          <Caption rates={data.rates} />
        ) : (
          'This service draws the prices of blocks that it has seen. It starts with the first visit.'
        )}
      </p>
      <dl className="pair__depth">
        {[src, dst].map(({ address, symbol }) => (
          <div key={address}>
            <dt className="lab">Depth of {symbol}</dt>
            <dd>
              {data ? depthText(data.depths[address]) : '…'} <span className="note">can be sold at 2 % impact</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
})

function depthText(depth: Depth | undefined): string {
  const usd = depth?.['2'] ?? 0
  if (isUnlimited(usd)) return 'any amount'
  return usd > 0 ? `$${shortNumber(usd)}` : 'nothing'
}

function RateLine({ rates, width }: { readonly rates: readonly PairRate[]; readonly width: number }) {
  const chart = chartOf(rates, width - 12, HEIGHT_PX - 16)
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT_PX}`}
      width={width}
      height={HEIGHT_PX}
      role="img"
      aria-label={
        chart ? `Price from ${significantText(chart.low, 5)} to ${significantText(chart.high, 5)}` : 'No history yet'
      }
    >
      <path className="grid-l" d={`M0 8.5H${width}M0 ${HEIGHT_PX - 7.5}H${width}`} />
      {chart && (
        <g transform="translate(4 8)">
          <path className="pair__line" d={chart.line} />
          <circle className="pair__dot" cx={chart.last.x} cy={chart.last.y} r="4" />
        </g>
      )}
    </svg>
  )
}

function Caption({ rates }: { readonly rates: readonly PairRate[] }) {
  const [first, last] = [rates[0]!, rates.at(-1)!]
  const { changePercent: change, low, high } = chartOf(rates, 1, 1)!
  return (
    <>
      Blocks <Count value={first.block} /> to <Count value={last.block} />: {change > 0 && '+'}
      <Percent value={change} />, from <Decimal text={significantText(low, 7)} /> to{' '}
      <Decimal text={significantText(high, 7)} />.
    </>
  )
}
