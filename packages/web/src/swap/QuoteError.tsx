/** The panel that explains why a request has no route. */
import { toPlainText } from '../format/amount.ts'
import { MINUS } from '../format/number.ts'
import { FamilyMark } from '../route/FamilyMark.tsx'
import { type Exclusion, errorTextOf, impactOf, isAboutSize, refusalOf } from '../service/error-messages.ts'
import type { PageToken } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { Amount, Count, Usd } from '../ui/Num.tsx'
import { Plot } from '../ui/Plot.tsx'

type Props = {
  readonly error: unknown
  /** Token of the amount that the user typed. */
  readonly token: PageToken
  readonly requestedAmount: bigint
  /** Maximum price impact of the request, in percent. */
  readonly maxImpact: string | undefined
  /** USD value of the input; undefined without a price. */
  readonly inputUsd: number | undefined
  /** Largest amount with a route, in base units; undefined while loading, 0 if no amount has a route. */
  readonly maxRoutable: bigint | undefined
  /** Enters an amount, in whole tokens. */
  readonly onUse: (amountText: string) => void
  /** Raises the limit of price impact to 100 %. */
  readonly onRaise: () => void
}

/** Maximum number of pools that are listed for one reason. */
const MAX_LISTED = 6

/** Explains why there is no route, and offers the largest amount with a route. */
export function NoRoutePanel({
  error,
  token,
  requestedAmount,
  maxImpact,
  inputUsd,
  maxRoutable,
  onUse,
  onRaise,
}: Props) {
  const { title, text, smallText } = errorTextOf(error, maxImpact)
  const { reasons, block } = refusalOf(error) ?? { reasons: [] }
  return (
    <section className="panel" aria-labelledby="why">
      <div className="panel__h">
        <h2 id="why">Why there is no route</h2>
        <span className="note">
          {smallText}
          {block !== undefined && (
            <>
              {' '}
              · block <Count value={block} />
            </>
          )}
        </span>
      </div>
      <div className="why">
        <div>
          {maxRoutable !== undefined && maxRoutable > 0n ? (
            <>
              <span className="lab">Largest amount available</span>
              <div className="why__v">
                <Amount base={maxRoutable} decimals={token.decimals} /> <span className="unit">{token.symbol}</span>
              </div>
              <div className="gauge">
                <Plot>
                  {(width) => (
                    <Gauge width={width} maxRoutable={maxRoutable} requestedAmount={requestedAmount} token={token} />
                  )}
                </Plot>
              </div>
              <p className="note">
                {title} {text}
              </p>
              <button type="button" className="btn" onClick={() => onUse(toPlainText(maxRoutable, token.decimals))}>
                Use <Amount base={maxRoutable} decimals={token.decimals} /> {token.symbol}
              </button>
            </>
          ) : (
            <>
              <div className="why__v">{title}</div>
              <p className="note">{text}</p>
              {maxRoutable === undefined && <p className="note">Finding the largest amount that works…</p>}
            </>
          )}
        </div>
        {isAboutSize(error) && <SwapAnyway {...{ error, inputUsd, onRaise }} />}
        {reasons.length > 0 && <ExcludedPools exclusions={reasons} />}
      </div>
    </section>
  )
}

/** Lists the excluded pools, grouped by the reason of their exclusion. */
function ExcludedPools({ exclusions: allExclusions }: { readonly exclusions: readonly Exclusion[] }) {
  const exclusionsByReason = new Map<string, Exclusion[]>()
  for (const exclusion of allExclusions)
    exclusionsByReason.set(exclusion.reason, [...(exclusionsByReason.get(exclusion.reason) ?? []), exclusion])
  return (
    <div>
      <span className="lab">Routes we tried</span>
      <ul className="why__l">
        {[...exclusionsByReason].map(([reason, exclusions]) => (
          <li key={reason}>
            <b>{exclusions.length === 1 ? '1 pool' : `${exclusions.length} pools`}</b> {reason}
            {exclusions.slice(0, MAX_LISTED).map(({ pool, family }) => (
              <div className="note" key={pool}>
                {family && <FamilyMark family={family} />}
                {family} {pool && <Address address={pool} />}
              </div>
            ))}
            {exclusions.length > MAX_LISTED && <div className="note">{exclusions.length - MAX_LISTED} more</div>}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Offers a swap without a price impact limit and shows its estimated cost. */
function SwapAnyway({ error, inputUsd, onRaise }: Pick<Props, 'error' | 'inputUsd' | 'onRaise'>) {
  const impact = impactOf(error)
  return (
    <div>
      <span className="lab">Swap anyway</span>
      <p className="note">
        You could lose most of the value
        {impact !== undefined && (
          <>
            : about{' '}
            {inputUsd !== undefined && (
              <>
                {MINUS}
                <Usd value={(inputUsd * impact) / 100} />{' '}
              </>
            )}
            ({impact.toFixed(1)} %)
          </>
        )}
        .
      </p>
      <button type="button" className="btn why__raise" onClick={onRaise}>
        Raise the limit to 100 %
      </button>
    </div>
  )
}

/** Distance in pixels below which the two labels of the gauge overlap. */
const MIN_LABEL_DISTANCE_PX = 60
/** Width of a tick label in pixels. */
const TICK_LABEL_WIDTH_PX = 64

type GaugeProps = {
  readonly width: number
  readonly maxRoutable: bigint
  readonly requestedAmount: bigint
  readonly token: PageToken
}

/** Shows the largest amount with a route and the typed amount on a logarithmic scale. */
function Gauge({ width, maxRoutable, requestedAmount, token }: GaugeProps) {
  // Returns the logarithm to base 10 of an amount in base units.
  const powerOf = (amount: bigint) =>
    String(amount).length - 1 + Math.log10(Number(`0.${String(amount).slice(0, 12)}`) * 10)
  const high = Math.max(powerOf(requestedAmount), powerOf(maxRoutable) + 1)
  const low = Math.floor(Math.min(powerOf(maxRoutable), powerOf(requestedAmount))) - 2
  const xOf = (power: number) => 1 + ((power - low) / (high - low)) * (width - 2)
  const ticks = Array.from({ length: Math.floor(high) - low + 1 }, (_, k) => low + k)
  const labelInterval = Math.ceil((ticks.length * TICK_LABEL_WIDTH_PX) / width)
  // Labels that would overlap move to the outer sides of their marks.
  const wouldOverlap = xOf(powerOf(requestedAmount)) - xOf(powerOf(maxRoutable)) < MIN_LABEL_DISTANCE_PX
  const requestedAnchor =
    wouldOverlap && xOf(powerOf(requestedAmount)) < width - MIN_LABEL_DISTANCE_PX ? 'start' : 'end'
  const tickLabel = (power: number) => {
    const exponent = power - token.decimals
    return exponent >= 0 && exponent < 7
      ? (10 ** exponent).toLocaleString('en').replaceAll(',', ' ')
      : exponent < 0 && exponent > -5
        ? (10 ** exponent).toString()
        : `1e${exponent}`
  }
  return (
    <svg
      viewBox={`0 0 ${width} 76`}
      role="img"
      aria-label="Largest amount with a route and the amount you entered, on a logarithmic scale"
    >
      <path className="gauge__axis" d={`M1 36H${width - 1}`} />
      {ticks.map((power, k) => (
        <g key={power}>
          <path className="gauge__axis" d={`M${xOf(power)} 30V36`} />
          {k % labelInterval === 0 && (
            <text x={xOf(power)} y={54} textAnchor={k === 0 ? 'start' : k === ticks.length - 1 ? 'end' : 'middle'}>
              {tickLabel(power)}
            </text>
          )}
        </g>
      ))}
      <path className="gauge__yes" d={`M1 36H${xOf(powerOf(maxRoutable))}`} />
      <text className="strong" x={xOf(powerOf(maxRoutable))} y={20} textAnchor={wouldOverlap ? 'end' : 'middle'}>
        routes
      </text>
      <path className="gauge__no" d={`M${xOf(powerOf(requestedAmount)) - 1.5} 26V46`} />
      <text className="strong" x={xOf(powerOf(requestedAmount))} y={20} textAnchor={requestedAnchor}>
        entered
      </text>
      <text x={0} y={74}>
        {token.symbol}, log scale
      </text>
    </svg>
  )
}
