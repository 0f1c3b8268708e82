/** Formats numbers of the service's JSON (percent, USD), amounts that are already decimal text, and times. */

/** Parts of a displayed number. */
export type NumberParts = {
  readonly sign: string
  /** Integer digits in groups of thousands. */
  readonly groups: readonly string[]
  /** Includes the decimal point. */
  readonly fraction: string
  /** In a tiny number, the count of zeros after the point and the digits after those zeros; otherwise null. */
  readonly tiny: { readonly zeroCount: number; readonly digits: string } | null
  /** The whole number, unformatted. */
  readonly text: string
}

export const MINUS = '\u2212'

/**
 * Splits a number for display.
 *
 * @param digits - significant digits, if the number has a whole part
 * @param maxDecimals - maximum decimal places
 */
export function splitForDisplay(text: string, digits = 7, maxDecimals = 6): NumberParts {
  const sign = text.startsWith('-') ? MINUS : ''
  const [integer = '0', fraction = ''] = text.replace('-', '').split('.')
  const commonParts = { sign, text, tiny: null }
  if (integer !== '0') {
    const decimalsToKeep = Math.min(maxDecimals, Math.max(2, digits - integer.length))
    const shownFraction = fraction.slice(0, decimalsToKeep).padEnd(Math.min(decimalsToKeep, 2), '0')
    return {
      ...commonParts,
      groups: groupThousandsOf(integer),
      fraction: decimalsToKeep > 0 ? `.${shownFraction}` : '',
    }
  }
  const zeroCount = /^0*/.exec(fraction)![0].length
  if (zeroCount === fraction.length) return { ...commonParts, sign: '', groups: ['0'], fraction: '' }
  if (zeroCount < 4) return { ...commonParts, groups: ['0'], fraction: `.${fraction.slice(0, zeroCount + 4)}` }
  const significantDigits = fraction.slice(zeroCount, zeroCount + 4).replace(/0+$/, '')
  return { ...commonParts, groups: ['0'], fraction: '.0', tiny: { zeroCount, digits: significantDigits } }
}

export function groupThousandsOf(digits: string): readonly string[] {
  const firstGroupLength = digits.length % 3 || 3
  const groups = [digits.slice(0, firstGroupLength)]
  for (let offset = firstGroupLength; offset < digits.length; offset += 3) groups.push(digits.slice(offset, offset + 3))
  return groups
}

/** Formats a JSON number without an exponent. */
export function decimalText(value: number): string {
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', leadDigit = '', fractionDigits = '', power = '0'] = match
  const exponent = Number(power)
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${leadDigit}${fractionDigits}`
  return `${sign}${leadDigit}${fractionDigits.padEnd(exponent, '0').slice(0, exponent)}`
}

/** Formats a number with a number of significant digits and without an exponent. */
export const significantText = (value: number, digits: number): string => decimalText(Number(value.toPrecision(digits)))

const SHORT_UNITS = [
  [1e12, ' T'],
  [1e9, ' B'],
  [1e6, ' M'],
  [1e3, ' k'],
  [1, ''],
] as const

/** Formats a number with three significant digits, such as '159 M', for axes and dense tables. */
export function shortNumber(value: number): string {
  // Rounds first, because 999.9 rounds to 1.00 k.
  const rounded = Number(value.toPrecision(3))
  for (const [size, unit] of SHORT_UNITS) if (rounded >= size) return `${(rounded / size).toPrecision(3)}${unit}`
  return value > 0 ? '< 1' : '0'
}

/** Formats a number with two decimals, truncated. */
export const hundredthsText = (value: number): string => (Math.trunc(value * 100) / 100).toFixed(2).replace('-', MINUS)

/** Shortens an address, a hash, or an id to its first six and last four characters. */
export const shorten = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`

/** Unix time in seconds from which on a `Date` cannot represent it. */
const MAX_DATE_SECONDS = 8_640_000_000_000n

/** Formats Unix seconds; undefined if they do not fit into a `Date`, such as a deadline that never passes. */
export const utcTextOrUndefined = (seconds: bigint): string | undefined =>
  seconds < MAX_DATE_SECONDS ? utcText(seconds) : undefined

export const utcText = (seconds: number | bigint): string =>
  `${new Date(Number(seconds) * 1000).toISOString().replace('T', ' ').slice(0, 19)} UTC`
