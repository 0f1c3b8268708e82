/** JSON numbers of the service (percent, USD) and texts of amounts, taken apart for the screen. Nothing is reckoned with here. */

/** A number as it is shown: thousands apart, the fraction quieter, zeros after the point as a subscript. */
export type Shown = {
  readonly sign: string
  readonly groups: readonly string[]
  /** With its point. */
  readonly fraction: string
  /** Zeros that a tiny number has after the point, where they are shown as a count, and the digits behind them. */
  readonly tiny: { readonly zeros: number; readonly digits: string } | null
  /** In full. */
  readonly text: string
}

const MINUS = '\u2212'

/**
 * @param digits - significant ones, where there is a whole part
 * @param most - places after the point
 */
export function show(text: string, digits = 7, most = 6): Shown {
  const sign = text.startsWith('-') ? MINUS : ''
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const base = { sign, text, tiny: null }
  if (whole !== '0') {
    const keep = Math.min(most, Math.max(2, digits - whole.length))
    const shown = fraction.slice(0, keep).padEnd(Math.min(keep, 2), '0')
    return { ...base, groups: group(whole), fraction: keep > 0 ? `.${shown}` : '' }
  }
  const zeros = /^0*/.exec(fraction)![0].length
  if (zeros === fraction.length) return { ...base, sign: '', groups: ['0'], fraction: '' }
  if (zeros < 4) return { ...base, groups: ['0'], fraction: `.${fraction.slice(0, zeros + 4)}` }
  const rest = fraction.slice(zeros, zeros + 4).replace(/0+$/, '')
  return { ...base, groups: ['0'], fraction: '.0', tiny: { zeros, digits: rest } }
}

export function group(digits: string): readonly string[] {
  const head = digits.length % 3 || 3
  const parts = [digits.slice(0, head)]
  for (let at = head; at < digits.length; at += 3) parts.push(digits.slice(at, at + 3))
  return parts
}

/** A JSON number as text without an exponent. */
export function decimal(value: number): string {
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', lead = '', rest = '', power = '0'] = match
  const places = Number(power)
  if (places < 0) return `${sign}0.${'0'.repeat(-places - 1)}${lead}${rest}`
  return `${sign}${lead}${rest.padEnd(places, '0').slice(0, places)}`
}

/** '$159 M': three significant digits, for axes and dense tables. */
export function short(value: number): string {
  for (const [size, unit] of [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const)
    if (value >= size) return `${(value / size).toPrecision(3)} ${unit}`
  return value >= 1 ? value.toPrecision(3) : value > 0 ? '< 1' : '0'
}

/** 6…4 of an address, a hash or an id. */
export const brief = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

export const utc = (seconds: number | bigint): string =>
  `${new Date(Number(seconds) * 1000).toISOString().replace('T', ' ').slice(0, 19)} UTC`
