/** Components that show numbers. */
import { toPlainText } from '../format/amount.ts'
import { decimalText, groupThousandsOf, MINUS, type NumberParts, splitForDisplay } from '../format/number.ts'

/** Shows a number. CSS separates the thousands, so that copied text has only digits. */
function Digits({ parts, title }: { readonly parts: NumberParts; readonly title?: string | undefined }) {
  const { sign, groups, fraction, tiny, text } = parts
  return (
    <span className="num" title={title}>
      {tiny ? (
        <>
          <span aria-hidden="true">
            {sign}0.0<sub>{tiny.zeroCount}</sub>
            {tiny.digits}
          </span>
          <span className="sr">{text}</span>
        </>
      ) : (
        <>
          {sign}
          <Groups digitGroups={groups} />
          {fraction && <span className="fr">{fraction}</span>}
        </>
      )}
    </span>
  )
}

function Groups({ digitGroups: [first, ...otherGroups] }: { readonly digitGroups: readonly string[] }) {
  return (
    <>
      {first}
      {otherGroups.map((digits, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups of digits have no key other than their index.
        <i key={index}>{digits}</i>
      ))}
    </>
  )
}

type AmountProps = {
  /** Base units. */
  readonly base: bigint | string
  readonly decimals: number
  /** Significant digits; 9 for an amount that the user decides on. */
  readonly digits?: number
  readonly maxDecimals?: number
}

export function Amount({ base, decimals, digits = 7, maxDecimals = 6 }: AmountProps) {
  const text = toPlainText(base, decimals)
  return <Digits parts={splitForDisplay(text, digits, maxDecimals)} title={text} />
}

/**
 * Shows an amount in a table, with two decimals from 1,000 up, and with four below, so that decimal points nearly
 * align.
 */
export function AmountCell({ base, decimals }: AmountProps) {
  const text = toPlainText(base, decimals)
  return <Digits parts={splitForDisplay(text, 30, text.split('.')[0]!.length > 3 ? 2 : 4)} title={text} />
}

export function Decimal({
  text,
  digits = 7,
  maxDecimals = 4,
}: {
  readonly text: string
  readonly digits?: number
  readonly maxDecimals?: number
}) {
  return <Digits parts={splitForDisplay(text, digits, maxDecimals)} title={text} />
}

export function Count({ value }: { readonly value: number | bigint | string }) {
  return (
    <span className="num">
      <Groups digitGroups={groupThousandsOf(String(value))} />
    </span>
  )
}

/** Shows USD. A missing value shows the text `unknown`, never 0. */
export function Usd({
  value,
  unknown = 'no price',
}: {
  readonly value: number | null | undefined
  readonly unknown?: string
}) {
  if (value === null || value === undefined) return <span className="q">{unknown}</span>
  if (value > 0 && value < 0.01) return <>&lt; $0.01</>
  return (
    <>
      $<Digits parts={splitForDisplay(value.toFixed(2), 30, 2)} />
    </>
  )
}

/** Shows a price, with four decimals below ten dollars, so that a stablecoin's deviation is visible. */
export function Price({ value }: { readonly value: number | null | undefined }) {
  if (value === null || value === undefined) return <span className="q">not known</span>
  const text = value >= 1 ? value.toFixed(value < 10 ? 4 : 2) : decimalText(value)
  return (
    <>
      $<Digits parts={splitForDisplay(text, 30, 6)} title={decimalText(value)} />
    </>
  )
}

type PercentProps = {
  /** In percent. */
  readonly value: number
  readonly maxDecimals?: number
  /** True to show no percent sign. */
  readonly hasNoUnit?: boolean
}

export function Percent({ value, maxDecimals = 2, hasNoUnit = false }: PercentProps) {
  const minShown = 10 ** -maxDecimals
  const text =
    value > 0 && value < minShown
      ? `< ${minShown.toFixed(maxDecimals)}`
      : value.toFixed(maxDecimals).replace('-', MINUS)
  return (
    <span className="num">
      {text}
      {!hasNoUnit && <span className="unit"> %</span>}
    </span>
  )
}

type BpsProps = { readonly value: number | null | undefined; readonly hasNoUnit?: boolean }

/** Shows basis points with two decimals. A missing value shows "not known", or a dash without a unit. */
export function Bps({ value, hasNoUnit = false }: BpsProps) {
  if (value === null || value === undefined) return <span className="q">{hasNoUnit ? '–' : 'not known'}</span>
  // Removes the sign of a negative value that rounds to 0.
  const text = value.toFixed(2).replace(/^-(?=0\.00$)/, '')
  return (
    <span className="num">
      {text.replace('-', MINUS)}
      {!hasNoUnit && <span className="unit"> bps</span>}
    </span>
  )
}
