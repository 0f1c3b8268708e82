import { plain } from '../format/amount.ts'
import { decimal, group, type Shown, show } from '../format/number.ts'

/** A number with its thousands set apart by space, not by a character: what is copied is plain digits. */
function Digits({ shown, title }: { readonly shown: Shown; readonly title?: string | undefined }) {
  const { sign, groups, fraction, tiny, text } = shown
  return (
    <span className="num" title={title}>
      {tiny ? (
        <>
          <span aria-hidden="true">
            {sign}0.0<sub>{tiny.zeros}</sub>
            {tiny.digits}
          </span>
          <span className="sr">{text}</span>
        </>
      ) : (
        <>
          {sign}
          <Groups of={groups} />
          {fraction && <span className="fr">{fraction}</span>}
        </>
      )}
    </span>
  )
}

function Groups({ of: [first, ...rest] }: { readonly of: readonly string[] }) {
  return (
    <>
      {first}
      {rest.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three digits have no name but their place.
        <i key={place}>{part}</i>
      ))}
    </>
  )
}

type AmountProps = {
  /** Base units. */
  readonly base: bigint | string
  readonly decimals: number
  /** Significant ones; 9 for an amount that is decided on. */
  readonly digits?: number
  readonly most?: number
}

export function Amount({ base, decimals, digits = 7, most = 6 }: AmountProps) {
  const text = plain(base, decimals)
  return <Digits shown={show(text, digits, most)} title={text} />
}

/** In a column: two places from 1 000 up, four below, so that the points stay near one line. */
export function Cell({ base, decimals }: AmountProps) {
  const text = plain(base, decimals)
  return <Digits shown={show(text, 30, text.split('.')[0]!.length > 3 ? 2 : 4)} title={text} />
}

export function Decimal({
  text,
  digits = 7,
  most = 4,
}: {
  readonly text: string
  readonly digits?: number
  readonly most?: number
}) {
  return <Digits shown={show(text, digits, most)} title={text} />
}

export function Count({ value }: { readonly value: number | bigint | string }) {
  return (
    <span className="num">
      <Groups of={group(String(value))} />
    </span>
  )
}

/** USD that the service says; never 0 for what is not known. */
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
      $<Digits shown={show(value.toFixed(2), 30, 2)} />
    </>
  )
}

/** A price: four places below ten dollars, so that a stable coin that is off shows. */
export function Price({ value }: { readonly value: number | null | undefined }) {
  if (value === null || value === undefined) return <span className="q">not known</span>
  const text = value >= 1 ? value.toFixed(value < 10 ? 4 : 2) : decimal(value)
  return (
    <>
      $<Digits shown={show(text, 30, 6)} title={decimal(value)} />
    </>
  )
}

/** Percent with two places. */
type PercentProps = { readonly value: number; readonly places?: number; readonly bare?: boolean }

export function Percent({ value, places = 2, bare = false }: PercentProps) {
  const least = 10 ** -places
  const text = value > 0 && value < least ? `< ${least.toFixed(places)}` : value.toFixed(places).replace('-', '\u2212')
  return (
    <span className="num">
      {text}
      {!bare && <span className="unit"> %</span>}
    </span>
  )
}

type BpsProps = { readonly value: number | null | undefined; readonly bare?: boolean }

/** Basis points with two places; in words where nothing was measured. */
export function Bps({ value, bare = false }: BpsProps) {
  if (value === null || value === undefined) return <span className="q">{bare ? '–' : 'not known'}</span>
  // What is cut to 0 has no sign.
  const text = value.toFixed(2).replace(/^-(?=0\.00$)/, '')
  return (
    <span className="num">
      {text.replace('-', '\u2212')}
      {!bare && <span className="unit"> bps</span>}
    </span>
  )
}
