/** Readers of single values. Each takes text as a caller sent it and knows its parameter's name for the error. */
import { type Address, type Hex, isAddress, NATIVE, PPM_PER_PERCENT, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { getAddress } from 'ethers'
import { z } from 'zod'

const UINT256_LIMIT = 1n << 256n

/** A parameter that fails with another code than INVALID_PARAMETER says so in the issue's params. */
export type IssueParams = { readonly code?: 'FEE_TOO_HIGH' }

type Context = z.core.$RefinementCtx
/** Records one mistake and ends the reading of this value. */
export function refuse(context: Context, message: string, params: IssueParams = {}): never {
  context.addIssue({ code: 'custom', message, params })
  return z.NEVER
}

/** An address as the caller wrote it, for the echo, beside the form used inside. */
export type SentAddress = { readonly sent: string; readonly address: Address }

/** Text of any kind; a missing, repeated or non-text value gets a message of its own. */
export const text = (name: string) =>
  z.string({
    error: ({ input }) =>
      input === undefined
        ? `${name} must be provided`
        : Array.isArray(input)
          ? `${name} must be given once`
          : `${name} must be a string`,
  })

/** @param allow - refuses the zero address and, unless `native`, NATIVE */
export const address = (name: string, { native = false, zero = false } = {}) =>
  text(name)
    .transform((sent, context): SentAddress => {
      if (sent === '') return refuse(context, `${name} must be provided`)
      if (!isAddress(sent)) return refuse(context, `${name} must be a valid 0x... address`)
      const parsed = toAddress(sent)
      if (!native && parsed === NATIVE) return refuse(context, `${name} must not be the native token`)
      if (!zero && parsed === ZERO_ADDRESS) return refuse(context, `${name} must not be the zero address`)
      return { sent, address: parsed }
    })
    .meta({ pattern: '^0x[0-9a-fA-F]{40}$' })

/** True for mixed-case text that carries the right EIP-55 checksum; all lower or all upper case carries none and passes. */
export function hasValidChecksum(sent: string): boolean {
  const digits = sent.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  return getAddress(sent.toLowerCase()) === sent
}

/** `0` to 2^256 − 1 in base 10. */
export const uint = (name: string) =>
  text(name)
    .transform((sent, context): bigint => {
      if (sent === '') return refuse(context, `${name} must be provided`)
      if (!/^[0-9]{1,78}$/.test(sent)) return refuse(context, `${name} must be a base-10 integer`)
      const value = BigInt(sent)
      if (value >= UINT256_LIMIT) return refuse(context, `${name} must be a base-10 integer below 2^256`)
      return value
    })
    .meta({ pattern: '^[0-9]{1,78}$' })

/** `0` to 2^256 − 1 in base 10 or 0x-hex. */
export const uintOrHex = (name: string) =>
  text(name)
    .transform((sent, context): bigint => {
      if (sent === '') return refuse(context, `${name} must be provided`)
      if (!/^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/.test(sent))
        return refuse(context, `${name} must be an integer, base-10 or 0x-hex`)
      const value = BigInt(sent)
      if (value >= UINT256_LIMIT) return refuse(context, `${name} must be below 2^256`)
      return value
    })
    .meta({ pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$' })

/** Wei per gas that every node can reckon with: some hold prices of gas in 64 bits. Far above any that was ever paid. */
const GAS_PRICE_LIMIT = 1n << 64n

/** @param read - of the notations that the endpoint takes */
export const gasPrice = (read: typeof uint) =>
  read('gasPrice').refine((wei) => wei < GAS_PRICE_LIMIT, 'gasPrice must be below 2^64 wei')

/** A whole number that is counted with, not an amount. */
export const count = (name: string, min: number, max: number) =>
  text(name)
    .transform((sent, context): number => {
      const value = /^[0-9]{1,15}$/.test(sent) ? Number(sent) : Number.NaN
      if (!(value >= min && value <= max)) return refuse(context, `${name} must be an integer from ${min} to ${max}`)
      return value
    })
    .meta({ pattern: '^[0-9]{1,15}$' })

/** Percent with at most 4 decimals, read straight into whole parts per million: 0.5 is 5,000n. */
export const percent = (name: string) =>
  text(name)
    .transform((sent, context): bigint => {
      const match = /^([0-9]+)(?:\.([0-9]{1,4}))?$/.exec(sent)
      if (!match) return refuse(context, `${name} must be a number of percent with at most 4 decimals`)
      return BigInt(match[1]!) * PPM_PER_PERCENT + BigInt((match[2] ?? '').padEnd(4, '0'))
    })
    .meta({ pattern: '^[0-9]+(\\.[0-9]{1,4})?$' })

const tolerance = percent('slippage').refine((ppm) => ppm < 100n * PPM_PER_PERCENT, 'slippage must be below 100')
/** A tolerance in percent, or `auto`. */
export const slippage = text('slippage')
  .transform((sent, context) => {
    if (sent === 'auto') return sent
    const { data, error } = tolerance.safeParse(sent)
    return data ?? refuse(context, error!.issues[0]!.message)
  })
  .meta({ pattern: '^[0-9]+(\\.[0-9]{1,4})?$|^auto$' })

export const hexData = (name: string, maxBytes: number) =>
  text(name)
    .transform((sent, context): Hex => {
      if (sent === '') return refuse(context, `${name} must be provided`)
      if (!/^0x([0-9a-fA-F]{2})*$/.test(sent)) return refuse(context, `${name} must be 0x-prefixed hex of whole bytes`)
      if (sent.length > 2 + 2 * maxBytes) return refuse(context, `${name} must be at most ${maxBytes} bytes`)
      return sent as Hex
    })
    .meta({ pattern: '^0x([0-9a-fA-F]{2})*$' })

/** Items between commas, at least one and at most `max`. */
export const list = <T>(name: string, max: number, item: (sent: string) => T | undefined, what: string) =>
  text(name).transform((sent, context): readonly T[] => {
    const items = sent.split(',').map((part) => part.trim())
    if (items.length > max) return refuse(context, `${name} must list at most ${max}`)
    const read: T[] = []
    for (const part of items) {
      const value = item(part)
      if (value === undefined) return refuse(context, `${name} must be ${what}, separated by commas`)
      read.push(value)
    }
    return read
  })
