/** The facts panel of the Explain page. */
import { utcTextOrUndefined } from '../format/number.ts'
import type { TokenOf } from '../service/tokens.ts'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { TokenAmount } from '../ui/TokenAmount.tsx'
import type { Certainty, ExplainFact, FactValue } from './facts.ts'
import type { UnusualTerm } from './terms.ts'

type Props = {
  readonly facts: readonly ExplainFact[]
  readonly unusualTerms: readonly UnusualTerm[]
  readonly tokenOf: TokenOf
  readonly highlightedKey: string | null
  readonly onHighlight: (key: string | null) => void
}

/** Icon and CSS class of each certainty. */
const markByCertainty: Readonly<Record<Certainty, readonly [icon: IconName, cssClass: string]>> = {
  proven: ['good', 'mark--proven'],
  claimed: ['claimed', 'mark--claimed'],
  differs: ['bad', 'mark--off'],
}

function Mark({ certainty }: { readonly certainty: Certainty }) {
  const [icon, cssClass] = markByCertainty[certainty]
  return (
    <span className={`mark ${cssClass}`}>
      <Icon name={icon} />
      {certainty}
    </span>
  )
}

/** Lists facts with their evidence: proven, claimed, or different from the contracts deployed on the chain. */
export function Facts({ facts, unusualTerms, tokenOf, highlightedKey, onHighlight }: Props) {
  return (
    <section className="panel" aria-labelledby="facts">
      <div className="panel__h">
        <h2 id="facts">Facts</h2>
        <span className="note">
          <Mark certainty="proven" /> by the bytes · <Mark certainty="claimed" /> by its sender
        </span>
      </div>
      <table className="facts">
        <thead className="sr">
          <tr>
            <th>Fact</th>
            <th>Value</th>
            <th>How it is known</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ name, calldataField, value, note, certainty }) => {
            const highlightHandlers = calldataField && {
              tabIndex: 0,
              onPointerEnter: () => onHighlight(calldataField),
              onPointerLeave: () => onHighlight(null),
              onFocus: () => onHighlight(calldataField),
              onBlur: () => onHighlight(null),
            }
            const unusualTerm = unusualTerms.find(({ fact }) => fact === name)
            const classes = [
              calldataField && highlightedKey === calldataField && 'hot',
              certainty === 'differs' && 'off',
              unusualTerm && 'odd',
            ]
              .filter(Boolean)
              .join(' ')
            return (
              <tr
                key={`${name}${JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`}
                className={classes}
                {...highlightHandlers}
              >
                <td>{name}</td>
                <td>
                  <div className="v">
                    <FactValueText value={value} tokenOf={tokenOf} />
                  </div>
                  <div className="note">{note}</div>
                  {unusualTerm && (
                    <div className="note odd__why">
                      <Icon name="warn" />
                      <span>Unusual: {unusualTerm.text}.</span>
                    </div>
                  )}
                </td>
                <td className="r">
                  <Mark certainty={certainty} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function FactValueText({ value, tokenOf }: { readonly value: FactValue; readonly tokenOf: TokenOf }) {
  switch (value.kind) {
    case 'text':
      return <>{value.text}</>
    case 'address':
      return (
        <span className="mono" title={value.address}>
          {value.address.slice(0, 10)}…{value.address.slice(-8)}
        </span>
      )
    case 'time':
      return <>{utcTextOrUndefined(value.seconds) ?? 'for ever'}</>
    case 'amount':
      return <TokenAmount base={value.baseUnits} token={tokenOf(value.token)} digits={9} />
  }
}
