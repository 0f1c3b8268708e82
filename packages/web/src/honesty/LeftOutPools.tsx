/** The panel of pools with unreliable quotes. */
import { shorten, utcText } from '../format/number.ts'
import { FamilyMark } from '../route/FamilyMark.tsx'
import { Percent } from '../ui/Num.tsx'
import type { FadingPoolEntry } from './drift.ts'

/** Lists pools that repeatedly pay less than they quote, and the penalty of each pool in the ranking of routes. */
export function LeftOutPools({ pools }: { readonly pools: readonly FadingPoolEntry[] }) {
  return (
    <section className="panel hn__out" aria-labelledby="out">
      <div className="panel__h">
        <h2 id="out">Unreliable pools</h2>
        <span className="note">{pools.length === 1 ? '1 pool' : `${pools.length} pools`}</span>
      </div>
      <p className="note">
        They paid less a block later than their trades explain, again and again. Routes are ranked with what that costs
        taken off, or go without them for a while.
      </p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Pool</th>
              <th>DEX</th>
              <th className="r">Times it paid less</th>
              <th className="r">Status</th>
            </tr>
          </thead>
          <tbody>
            {pools.map(({ pool, dex, family, fadeCount, samples, leftOutUntil, driftPenaltyPercent }) => (
              <tr key={pool}>
                <td>
                  <span className="addr" title={pool}>
                    {shorten(pool)}
                  </span>
                </td>
                <td>
                  <FamilyMark family={family} /> {dex}
                </td>
                <td className="r">
                  {fadeCount.toFixed(0)} <span className="unit">of {samples.toFixed(0)}</span>
                </td>
                <td className="r">
                  {leftOutUntil === null ? (
                    <>
                      ranked <Percent value={driftPenaltyPercent} /> lower
                    </>
                  ) : (
                    <>left out until {utcText(leftOutUntil).slice(11, 16)} UTC</>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
