/** The calldata panel of the Explain page. */
import { groupOf } from '../route/families.ts'
import { Count } from '../ui/Num.tsx'
import { Scroll } from '../ui/Scroll.tsx'
import type { CalldataPiece } from './bytes.ts'
import type { ExplainFact } from './facts.ts'
import type { DecodedStep } from './steps.ts'

type Props = {
  readonly pieces: readonly CalldataPiece[]
  readonly steps: readonly DecodedStep[]
  readonly facts: readonly ExplainFact[]
  /** Key of the highlighted fact (its name) or step (`step` and its index); null for none. */
  readonly highlightedKey: string | null
  readonly onHighlight: (key: string | null) => void
}

/** Shows the calldata. The bytes of a fact or a step are underlined and are highlighted together with it. */
export function Bytes({ pieces, steps, facts, highlightedKey, onHighlight }: Props) {
  const differingOwners = new Set(
    facts.filter(({ certainty }) => certainty === 'differs').map(({ byteOwner }) => byteOwner),
  )
  return (
    <section className="panel" aria-labelledby="bytes">
      <div className="panel__h">
        <h2 id="bytes">Bytes</h2>
        <span className="note">
          <Count value={pieces.reduce((sum, { hex }) => sum + hex.length / 2, 0)} /> bytes
        </span>
      </div>
      <Scroll label="Calldata" className="bytes">
        0x
        {pieces.map(({ hex, fact, stepIndex }, index) => {
          const key = stepIndex === undefined ? fact : `step ${stepIndex}`
          if (key === undefined) return hex
          const classes = [
            stepIndex !== undefined && `st f-${groupOf(steps[stepIndex]!.op)}`,
            fact && differingOwners.has(fact) && 'off',
            highlightedKey === key && 'hot',
          ]
          return (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: bytes have no key other than their index.
              key={index}
              className={classes.filter(Boolean).join(' ')}
              onPointerEnter={() => onHighlight(key)}
              onPointerLeave={() => onHighlight(null)}
            >
              {hex}
            </span>
          )
        })}
      </Scroll>
    </section>
  )
}
