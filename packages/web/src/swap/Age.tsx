/** The age indicator of a quote. */
import { Count } from '../ui/Num.tsx'
import { type Live, STALE_BLOCKS } from './use-quote.ts'

type Props = { readonly live: Live }

const TICKS = [0, 1, 2, 3, 4]

/** Shows the age of a quote in blocks. Changes once per block and has no countdown. */
export function Age({ live: { newestBlock: block, age, head, isAsking, isStale, silent } }: Props) {
  const ageText = silent
    ? `Can’t reach the ${silent}. These figures are out of date.`
    : isAsking && block !== undefined && head !== undefined
      ? `Updating to block ${head}…`
      : age >= STALE_BLOCKS
        ? `${age} blocks old. Refresh before signing.`
        : age === 0
          ? 'Up to date (simulated in the latest block)'
          : `${age} ${age === 1 ? 'block' : 'blocks'} old`
  return (
    <div className={`age ${isStale ? 'age--stale' : ''}`}>
      <span className="age__w">{block === undefined ? 'Getting a quote…' : ageText}</span>
      <span className="unit">
        {block !== undefined && (
          <>
            block <Count value={block} />
          </>
        )}
      </span>
      <span
        className="age__ticks"
        role="img"
        aria-label={`${Math.min(age, TICKS.length)} of ${TICKS.length} blocks old`}
      >
        {TICKS.map((tick) => (
          <span key={tick} className={block !== undefined && (tick <= age || silent) ? 'on' : undefined} />
        ))}
      </span>
    </div>
  )
}
