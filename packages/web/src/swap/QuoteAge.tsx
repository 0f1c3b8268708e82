/** The indicator of a quote's age in blocks. */
import { Count } from '../ui/Num.tsx'
import { type LiveQuote, STALE_BLOCKS } from './use-quote.ts'

type Props = { readonly live: LiveQuote }

/** Ticks of the indicator: the one with number `n` lights up at an age of `n` blocks. */
const TICKS = [0, 1, 2, 3, 4]

/** Shows the age of a quote as text and as ticks. It has no countdown in seconds, so it changes only once per block. */
export function QuoteAge({ live: { lastCheckedBlock, ageBlocks, head, isFetching, isStale, silentParty } }: Props) {
  const ageText = silentParty
    ? `Can’t reach the ${silentParty}. These figures are out of date.`
    : isFetching && lastCheckedBlock !== undefined && head !== undefined
      ? `Updating to block ${head}…`
      : ageBlocks >= STALE_BLOCKS
        ? `${ageBlocks} blocks old. Refresh before signing.`
        : ageBlocks === 0
          ? 'Up to date (simulated in the latest block)'
          : `${ageBlocks} ${ageBlocks === 1 ? 'block' : 'blocks'} old`
  return (
    <div className={`age ${isStale ? 'age--stale' : ''}`}>
      <span className="age__w">{lastCheckedBlock === undefined ? 'Getting a quote…' : ageText}</span>
      <span className="unit">
        {lastCheckedBlock !== undefined && (
          <>
            block <Count value={lastCheckedBlock} />
          </>
        )}
      </span>
      <span
        className="age__ticks"
        role="img"
        aria-label={`${Math.min(ageBlocks, TICKS.length)} of ${TICKS.length} blocks old`}
      >
        {TICKS.map((tick) => (
          <span
            key={tick}
            className={lastCheckedBlock !== undefined && (tick <= ageBlocks || silentParty) ? 'on' : undefined}
          />
        ))}
      </span>
    </div>
  )
}
