/** Converts amounts between base units and text with strings and bigint. Truncates, and never rounds up. */
import { decimalText } from './number.ts'

/** Splits base units at the decimal point: '1234567' with 6 decimals becomes '1' and '234567'. */
function splitAmount(amount: bigint | string, decimals: number): readonly [integer: string, fraction: string] {
  const text = String(amount).padStart(decimals + 1, '0')
  return [text.slice(0, text.length - decimals), decimals ? text.slice(-decimals) : '']
}

/** Formats base units as decimal text without grouping, for input fields and the clipboard. */
export function toPlainText(amount: bigint | string, decimals: number): string {
  const isNegative = String(amount).startsWith('-')
  const [integer, fraction] = splitAmount(String(amount).replace('-', ''), decimals)
  const digits = fraction.replace(/0+$/, '')
  return `${isNegative ? '-' : ''}${digits ? `${integer}.${digits}` : integer}`
}

/** Returns the USD value of an amount, as a float for comparison and display only. `price` is USD per whole token. */
export function usdOf(base: bigint | string, decimals: number, price: number): number {
  return Number(toPlainText(base, decimals)) * price
}

export type TypedAmount =
  | { readonly kind: 'empty' }
  /** `base` is in base units. */
  | { readonly kind: 'amount'; readonly base: bigint }
  /** The comma may separate thousands or begin the fraction. `readings` has both possible numbers, without a comma. */
  | { readonly kind: 'ambiguous'; readonly readings: readonly [string, string] }
  | { readonly kind: 'wrong'; readonly reason: string }

/** Characters that separate thousands and never begin a fraction. */
const THOUSANDS_SEPARATORS = /[\s\u2009\u202f'’]/g
const COMMA_THOUSANDS = /^\d{1,3}(,\d{3})+(\.\d*)?$/
const POINT_THOUSANDS = /^\d{1,3}(\.\d{3})+(,\d*)?$/

/**
 * Returns the number with a decimal point and without thousands separators, or two numbers if the comma is ambiguous.
 */
function normalizeSeparators(text: string): string | readonly [string, string] {
  const commas = text.split(',').length - 1
  const points = text.split('.').length - 1
  if (commas === 0 && points < 2) return text
  if (commas === 1 && points === 0) {
    // The comma may separate thousands: three digits follow it, and the number does not begin with a zero.
    if (/^[1-9]\d{0,2},\d{3}$/.test(text)) return [text.replace(',', '.'), text.replace(',', '')]
    return text.replace(',', '.')
  }
  if (COMMA_THOUSANDS.test(text)) return text.replaceAll(',', '')
  if (POINT_THOUSANDS.test(text)) return text.replaceAll('.', '').replace(',', '.')
  return text
}

/**
 * Parses typed text into base units. `1,5` is 1.5, `1,234.56` and `1.234,56` are 1234.56, and `1,234` is ambiguous.
 * Ignores spaces and apostrophes between digits, since the page shows amounts with spaces.
 */
export function parseAmount(text: string, decimals: number): TypedAmount {
  const digits = normalizeSeparators(text.replace(THOUSANDS_SEPARATORS, ''))
  if (typeof digits !== 'string') return { kind: 'ambiguous', readings: digits }
  if (digits === '' || digits === '.') return { kind: 'empty' }
  if (/^[\d.]+e[+-]?\d*$/i.test(digits)) return { kind: 'wrong', reason: 'Write the number out, without an exponent.' }
  if (digits.startsWith('-') || digits.startsWith('\u2212'))
    return { kind: 'wrong', reason: 'Enter a positive amount.' }
  const match = /^(\d*)(?:\.(\d*))?$/.exec(digits)
  if (!match) return { kind: 'wrong', reason: 'Use digits and one decimal point.' }
  const [, integer = '', fraction = ''] = match
  if (fraction.replace(/0+$/, '').length > decimals)
    return { kind: 'wrong', reason: `At most ${decimals} decimals; this has ${fraction.length}.` }
  const base = BigInt(`${integer}${fraction.slice(0, decimals).padEnd(decimals, '0')}` || '0')
  // A program encodes amounts as uint128.
  if (base >= 1n << 128n) return { kind: 'wrong', reason: 'Amount too large.' }
  return base === 0n ? { kind: 'empty' } : { kind: 'amount', base }
}

/** Maximum decimal places of an amount entered in dollars. */
const USD_PLACES = 6
/** Significant digits of the token amount for typed dollars, because prices are not more precise. */
const USD_DIGITS = 9

/**
 * Converts dollars to base units of a token, truncated to nine significant digits.
 *
 * @param text - without dollar sign
 * @param price - USD of a whole token
 */
export function parseUsd(text: string, price: number, decimals: number): TypedAmount {
  const typedAmount = parseAmount(text, USD_PLACES)
  if (typedAmount.kind !== 'amount') return typedAmount
  const [integer = '0', fraction = ''] = decimalText(price).split('.')
  const scaledPrice = BigInt(`${integer}${fraction}`)
  if (scaledPrice <= 0n) return { kind: 'wrong', reason: 'This token has no price.' }
  const scale = 10n ** BigInt(decimals + fraction.length)
  const base = (typedAmount.base * scale) / scaledPrice / 10n ** BigInt(USD_PLACES)
  if (base === 0n) return { kind: 'wrong', reason: 'Less than the smallest unit of the token.' }
  if (base >= 1n << 128n) return { kind: 'wrong', reason: 'Amount too large.' }
  const truncationUnit = 10n ** BigInt(Math.max(0, String(base).length - USD_DIGITS))
  return { kind: 'amount', base: (base / truncationUnit) * truncationUnit }
}

/**
 * Adds thin spaces between thousands, for input fields and sentences. Numbers on their own use `ui/Num.tsx` instead,
 * whose spaces are not copied.
 */
export function groupThousands(text: string): string {
  const [integer = '', ...digits] = text.split('.')
  return [integer.replace(/\B(?=(\d{3})+$)/g, '\u202f'), ...digits].join('.')
}

/** Formats an amount with four digits and a unit, such as '1.218 M', for drawings with little room. Truncates. */
export function formatCompact(amount: bigint | string, decimals: number): string {
  const [integer, fraction] = splitAmount(amount, decimals)
  const thousands = Math.floor((integer.length - 1) / 3)
  if (thousands === 0) {
    const digits = integer === '0' ? 4 : Math.max(0, 4 - integer.length)
    const text = `${integer}.${fraction.slice(0, digits)}`.replace(/\.0*$/, '')
    return text === '0' && BigInt(amount) > 0n ? '< 0.0001' : text
  }
  const leadLength = integer.length - 3 * thousands
  const unit = ['', 'k', 'M', 'B', 'T'][thousands] ?? `e${3 * thousands}`
  return `${integer.slice(0, leadLength)}${leadLength < 4 ? `.${integer.slice(leadLength, 4)}` : ''} ${unit}`
}

/** Returns whole output tokens per whole input token, as decimal text with at most 12 decimals. */
export function rateText(
  input: { readonly amount: bigint; readonly decimals: number },
  output: { readonly amount: bigint; readonly decimals: number },
): string {
  if (input.amount === 0n) return '0'
  const PLACES = 12
  const scaledRate =
    (output.amount * 10n ** BigInt(input.decimals + PLACES)) / input.amount / 10n ** BigInt(output.decimals)
  return toPlainText(scaledRate, PLACES)
}

/**
 * Returns the percentage by which `currentAmount` lies below `previousAmount`; negative if it lies above. The text,
 * such as '0.0024', has at most four decimals.
 */
export function percentBelow(previousAmount: bigint, currentAmount: bigint): string {
  if (previousAmount === 0n) return '0'
  return toPlainText(((previousAmount - currentAmount) * 1_000_000n) / previousAmount, 4)
}
