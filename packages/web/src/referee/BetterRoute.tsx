/** The best route that the Referee found. */
import { useState } from 'react'
import { Flow } from '../route/Flow.tsx'
import { LegTable } from '../route/LegTable.tsx'
import type { TokenOf } from '../service/tokens.ts'
import { TokenAmount } from '../ui/TokenAmount.tsx'
import type { Comparison, Trade } from './report.ts'

type Props = { readonly trade: Trade; readonly comparison: Comparison; readonly tokenOf: TokenOf }

/** Shows the best route at the chosen state as a flow through pools and as a table. */
export function BetterRoute({ trade, comparison: { bestAmountOut, legs }, tokenOf }: Props) {
  const [highlightedIndex, setHighlightedIndex] = useState<number | null>(null)
  const { src, dst, amountIn, amountOut } = trade
  const poolCount = new Set(legs.map(({ pool }) => pool)).size
  const route = { src, dst, fromAmount: String(amountIn), swaps: legs }
  return (
    <div>
      <section className="panel route" aria-labelledby="better">
        <div className="panel__h">
          <h2 id="better">
            {bestAmountOut > amountOut ? 'The route that would have been better' : 'The best route of this service'}
          </h2>
          <p className="route__sum">
            <span>{poolCount === 1 ? '1 pool' : `${poolCount} pools`}</span>
          </p>
        </div>
        <div className="ends">
          <p>
            <TokenAmount base={amountIn} token={tokenOf(src)} />
          </p>
          <p>
            <TokenAmount base={bestAmountOut} token={tokenOf(dst)} digits={9} />
          </p>
        </div>
        <Flow route={route} tokenOf={tokenOf} highlightedIndex={highlightedIndex} onHighlight={setHighlightedIndex} />
      </section>
      <LegTable legs={legs} tokenOf={tokenOf} highlightedIndex={highlightedIndex} onHighlight={setHighlightedIndex} />
    </div>
  )
}
