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
  /** Highlighted part: the name of a calldata field, or `step` and the index of a step, such as `step 0`. */
  readonly highlightedKey: string | null
  readonly onHighlight: (key: string | null) => void
}

/**
 * Shows the calldata. Underlines the bytes of a field or a step, and highlights them with the row that explains them.
 */
export function Bytes({ pieces, steps, facts, highlightedKey, onHighlight }: Props) {
  const differingFields = new Set(
    facts.filter(({ certainty }) => certainty === 'differs').map(({ calldataField }) => calldataField),
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
        {pieces.map(({ hex, field, stepIndex }, index) => {
          const key = stepIndex === undefined ? field : `step ${stepIndex}`
          if (key === undefined) return hex
          const classes = [
            stepIndex !== undefined && `st f-${groupOf(steps[stepIndex]!.op)}`,
            field && differingFields.has(field) && 'off',
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
