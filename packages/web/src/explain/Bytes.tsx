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
  readonly offFacts: readonly ExplainFact[]
  readonly highlighted: string | null
  readonly onHighlight: (key: string | null) => void
}

/** Shows the calldata. The bytes of a fact or a step are underlined and are highlighted together with it. */
export function Bytes({ pieces, steps, offFacts, highlighted, onHighlight }: Props) {
  const differingOwners = new Set(
    offFacts.filter(({ certainty }) => certainty === 'differs').map(({ byteOwner }) => byteOwner),
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
        {pieces.map(({ hex, fact, step }, index) => {
          const key = step === undefined ? fact : `step ${step}`
          if (key === undefined) return hex
          const classes = [
            step !== undefined && `st f-${groupOf(steps[step]!.op)}`,
            fact && differingOwners.has(fact) && 'off',
            highlighted === key && 'hot',
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
