import { Count } from '../ui/Num.tsx'
import { type Live, STALE_BLOCKS } from './use-quote.ts'

type Props = { readonly live: Live }

const TICKS = [0, 1, 2, 3, 4]

/** One tick a block: how old the figures are, without anything that counts down. */
export function Age({ live: { seen: block, age, head, isAsking, isStale, isDead } }: Props) {
  const words = isDead
    ? 'No answer from the chain: these figures are old'
    : isAsking && block !== undefined && head !== undefined
      ? `Asking for block ${head}…`
      : age >= STALE_BLOCKS
        ? `${age} blocks old: ask again before you sign`
        : age === 0
          ? 'Fresh: simulated in the newest block'
          : `${age} ${age === 1 ? 'block' : 'blocks'} old`
  return (
    <div className={`age ${isStale ? 'age--stale' : ''}`}>
      <span className="age__w">{block === undefined ? 'Asking for a quote…' : words}</span>
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
          <span key={tick} className={block !== undefined && (tick <= age || isDead) ? 'on' : undefined} />
        ))}
      </span>
    </div>
  )
}
