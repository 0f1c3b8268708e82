/** Parses amounts and percentages without floating-point arithmetic. */
import { ClientError } from './errors.ts'

/** 100 % in parts per million. */
export const PPM = 1_000_000n
const PPM_PER_PERCENT = 10_000n
/** Maximum slippage in percent that the service may choose with `slippage: 'auto'`. */
export const MAX_AUTO_PERCENT = 3
/** Maximum decimals of a percentage. */
const PERCENT_DECIMALS = 4
/** Maximum floating-point error that is corrected, such as that of 0.1 + 0.2. */
const FLOAT_ERROR = 1e-9

/**
 * Formats a number without floating-point errors: `0.1 + 0.2` becomes `0.3`. A number that really has more than four
 * decimals keeps all of them, so that the parser rejects it.
 */
export function formatNumber(value: number): string {
  const roundedValue = Number.isInteger(value) ? value : Number(value.toFixed(PERCENT_DECIMALS))
  return String(Math.abs(roundedValue - value) < FLOAT_ERROR ? roundedValue : value)
}

/**
 * Converts a percentage with at most four decimals to ppm.
 *
 * @throws ClientError `UNSAFE` for other text, or for 100 and above
 */
export function toPpm(percent: number | string): bigint {
  const text = typeof percent === 'number' ? formatNumber(percent) : String(percent)
  const match = /^(\d{1,2})(?:\.(\d{1,4}))?$/.exec(text)
  if (!match)
    throw new ClientError('UNSAFE', `${text.slice(0, 100)} is not a percentage below 100 with at most 4 decimals`)
  return BigInt(match[1]!) * PPM_PER_PERCENT + BigInt((match[2] ?? '').padEnd(PERCENT_DECIMALS, '0'))
}

/**
 * Deducts the slippage in percent from an amount, and rounds down like the service. For `auto`, deducts
 * `MAX_AUTO_PERCENT`.
 */
export function deductSlippage(amount: bigint, slippage: number | string = 0.5): bigint {
  return (amount * (PPM - toPpm(slippage === 'auto' ? MAX_AUTO_PERCENT : slippage))) / PPM
}

/** Converts an amount to a bigint. @throws ClientError `UNSAFE` for anything but an integer in base units */
export function amountOf(amount: bigint | string | undefined, name: string): bigint {
  if ((typeof amount !== 'bigint' && typeof amount !== 'string') || !/^\d{1,78}$/.test(String(amount)))
    throw new ClientError('UNSAFE', `${name} must be an integer in base units, not ${String(amount).slice(0, 100)}`)
  return BigInt(amount)
}
