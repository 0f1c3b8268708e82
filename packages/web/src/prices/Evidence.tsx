/** The sources and the confidence of a price. */
import { Address } from '../ui/Address.tsx'
import { Price } from '../ui/Num.tsx'
import { type NoPriceReason, type PriceEvidence, sourcesWithKeys } from './rows.ts'

const textByReason: Readonly<Record<NoPriceReason, string>> = {
  unknown: 'No pool of this token is known here.',
  'no-decimals': 'The token does not state its decimals.',
  'below-floor': 'Under $300 of liquidity: too little to price.',
  'no-anchor': 'None of its pools leads to a dollar.',
  unsellable: 'Measured on the chain, it could be bought but not sold.',
  pending: 'Its pools are still being searched.',
}
/** Minimum confidence at which each bar is filled. */
const BAR_THRESHOLDS = [0.2, 0.4, 0.6, 0.8]
/** Length of an address. A pool without its own contract has a longer id. */
const ADDRESS_LENGTH = 42

/** Shows a confidence (0 to 1) as four bars. */
export function Confidence({ confidence }: { readonly confidence: number }) {
  return (
    <span className="conf" role="img" aria-label={`Confidence ${Math.round(confidence * 100)} percent`}>
      {BAR_THRESHOLDS.map((threshold) => (
        <i key={threshold} className={confidence >= threshold ? 'on' : undefined} />
      ))}
    </span>
  )
}

/** Lists the pools that a price comes from, or the reason for a missing price. */
export function Evidence({ detail }: { readonly detail: PriceEvidence }) {
  const { usd, confidence, sources, reason } = detail
  if (usd === null || sources.length === 0)
    return (
      <p className="note evidence">{reason ? textByReason[reason] : 'Assumed to be $1: no market says otherwise.'}</p>
    )
  return (
    <div className="evidence">
      <p className="note">
        <Confidence confidence={confidence} />
        {Math.round(confidence * 100)} % confidence, from liquidity and agreement between pools
      </p>
      <table>
        <thead>
          <tr>
            <th>Pool</th>
            <th className="r">Price</th>
            <th className="r">Weight</th>
          </tr>
        </thead>
        <tbody>
          {sourcesWithKeys(sources).map(({ key, pool, protocol, usd: price, weight }) => (
            <tr key={key}>
              <td>
                {protocol}{' '}
                {pool.length === ADDRESS_LENGTH && (
                  <span className="hide-s">
                    <Address address={pool} />
                  </span>
                )}
              </td>
              <td className="r">
                <Price value={price} />
              </td>
              <td className="r">{Math.round(weight * 100)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
