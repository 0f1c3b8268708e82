/** The table of a route's legs. A leg is a swap in one pool. */
import type { SwapLeg } from '@sluice/client'
import type { TokenOf } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { AmountCell, Count, Decimal, Percent } from '../ui/Num.tsx'
import { Scroll } from '../ui/Scroll.tsx'
import { FamilyMark } from './FamilyMark.tsx'
import { legRate } from './LegCard.tsx'

type Props = {
  readonly legs: readonly SwapLeg[]
  readonly tokenOf: TokenOf
  readonly highlightedIndex: number | null
  readonly onHighlight: (legIndex: number | null) => void
}

/** Shows every leg with all its numbers in execution order, as an accessible alternative to the drawing. */
export function LegTable({ legs, tokenOf, highlightedIndex, onHighlight }: Props) {
  return (
    <section className="panel legs" aria-labelledby="legs">
      <div className="panel__h">
        <h2 id="legs">Every leg</h2>
        <CopyButton text={csvOf(legs)}>Copy as CSV</CopyButton>
      </div>
      <Scroll label="Legs of the route">
        <table>
          <thead>
            <tr>
              <th>Pool</th>
              <th>Family</th>
              <th>From → to</th>
              <th className="r">Share, %</th>
              <th className="r">In</th>
              <th className="r">Out</th>
              <th className="r">Price</th>
              <th className="r">Gas</th>
              <th>Address</th>
            </tr>
          </thead>
          <tbody>
            {legs.map((leg, index) => {
              const soldToken = tokenOf(leg.tokenIn)
              const boughtToken = tokenOf(leg.tokenOut)
              return (
                <tr
                  // biome-ignore lint/suspicious/noArrayIndexKey: a route may use a pool twice, so the index is the key.
                  key={index}
                  className={highlightedIndex === index ? 'hot' : undefined}
                  onPointerEnter={() => onHighlight(index)}
                  onPointerLeave={() => onHighlight(null)}
                >
                  <td>
                    <FamilyMark family={leg.protocol} />
                    {leg.dex}
                  </td>
                  <td className="unit">{leg.protocol}</td>
                  <td>
                    {soldToken.symbol} → {boughtToken.symbol}
                  </td>
                  <td className="r">
                    <Percent value={leg.share} hasNoUnit />
                  </td>
                  <td className="r">
                    <AmountCell base={leg.amountIn} decimals={soldToken.decimals} />
                  </td>
                  <td className="r">
                    <AmountCell base={leg.amountOut} decimals={boughtToken.decimals} />
                  </td>
                  <td className="r">
                    <Decimal text={legRate(leg, tokenOf)} maxDecimals={5} />
                  </td>
                  <td className="r">
                    <Count value={leg.gas} />
                  </td>
                  <td>
                    <Address address={leg.pool} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

/** Returns the legs as CSV with amounts in base units. */
function csvOf(legs: readonly SwapLeg[]): string {
  const columns = ['dex', 'protocol', 'pool', 'tokenIn', 'tokenOut', 'share', 'amountIn', 'amountOut', 'gas'] as const
  const cell = (value: string | number) =>
    /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value
  return [columns, ...legs.map((leg) => columns.map((name) => cell(leg[name])))].map((row) => row.join(',')).join('\n')
}
