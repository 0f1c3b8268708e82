/**
 * Schemas of single request parameters, which parse text. Each schema is created with the name of its parameter, for
 * error messages.
 */
import { type Address, type Hex, isAddress, NATIVE, PPM_PER_PERCENT, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { getAddress } from 'ethers'
import { z } from 'zod'

/** Exclusive upper bound of 256-bit integers. */
const UINT256_LIMIT = 1n << 256n

/** Parameters of a custom zod issue. `code` is the error code of the response; default: `INVALID_PARAMETER`. */
export type IssueParams = { readonly code?: 'FEE_TOO_HIGH' }

type Context = z.core.$RefinementCtx

/** Reports a mistake in a parameter. A transform must return the result, so that zod stops parsing the value. */
export function refuse(context: Context, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/**
 * An address in a request. Responses repeat `input`, which is spelled as in the request. `address` is the normalized
 * form.
 */
export type RequestAddress = { readonly input: string; readonly address: Address }

/**
 * Creates a schema of any text, with different messages for missing values, repeated values, and values of other types.
 */
export const text = (name: string) =>
  z.string({
    error: ({ input }) =>
      input === undefined
        ? `${name} must be provided`
        : Array.isArray(input)
          ? `${name} must be given once`
          : `${name} must be a string`,
  })

/**
 * Addresses below this are precompiles, or reserved for precompiles. A node runs the precompile at such an address even
 * if a simulation overrides the code there.
 */
const PRECOMPILES_END = 0x200n

/**
 * Creates a schema of an address. Refuses NATIVE unless `native` is set, the zero address unless `zero` is set, and
 * precompiles if `isSender` is set, because precompiles send no transactions.
 */
export const address = (name: string, { native = false, zero = false, isSender = false } = {}) =>
  text(name)
    .transform((input, context): RequestAddress => {
      if (input === '') return refuse(context, `${name} must be provided`)
      if (!isAddress(input)) return refuse(context, `${name} must be a valid 0x... address`)
      const parsed = toAddress(input)
      if (!native && parsed === NATIVE) return refuse(context, `${name} must not be the native token`)
      if (!zero && parsed === ZERO_ADDRESS) return refuse(context, `${name} must not be the zero address`)
      if (isSender && BigInt(parsed) < PRECOMPILES_END) return refuse(context, `${name} must not be a precompile`)
      return { input, address: parsed }
    })
    .meta({ pattern: '^0x[0-9a-fA-F]{40}$' })

/**
 * Returns false for a mixed-case address with a wrong EIP-55 checksum. Addresses in one case have no checksum and pass.
 */
export function hasValidChecksum(input: string): boolean {
  const digits = input.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  return getAddress(input.toLowerCase()) === input
}

/** Creates a schema of a base-10 integer from 0 to 2^256 − 1. */
export const uint = (name: string) =>
  text(name)
    .transform((input, context): bigint => {
      if (input === '') return refuse(context, `${name} must be provided`)
      if (!/^[0-9]{1,78}$/.test(input)) return refuse(context, `${name} must be a base-10 integer`)
      const value = BigInt(input)
      if (value >= UINT256_LIMIT) return refuse(context, `${name} must be a base-10 integer below 2^256`)
      return value
    })
    .meta({ pattern: '^[0-9]{1,78}$' })

/** Creates a schema of an integer from 0 to 2^256 − 1, base-10 or 0x-hex. */
export const uintOrHex = (name: string) =>
  text(name)
    .transform((input, context): bigint => {
      if (input === '') return refuse(context, `${name} must be provided`)
      if (!/^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/.test(input))
        return refuse(context, `${name} must be an integer, base-10 or 0x-hex`)
      const value = BigInt(input)
      if (value >= UINT256_LIMIT) return refuse(context, `${name} must be below 2^256`)
      return value
    })
    .meta({ pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$' })

/** Exclusive upper bound of gas prices in wei, far above any real price. Some nodes store gas prices in 64 bits. */
const GAS_PRICE_LIMIT = 1n << 64n

/** Creates a schema of a gas price. @param integerSchema - `uint` for decimal notation only, or `uintOrHex` */
export const gasPrice = (integerSchema: typeof uint) =>
  integerSchema('gasPrice').refine((wei) => wei < GAS_PRICE_LIMIT, 'gasPrice must be below 2^64 wei')

/**
 * Maximum of integer parameters without a smaller maximum: 15 digits, because a JavaScript number holds all such
 * integers exactly.
 */
export const MAX_INTEGER = 999_999_999_999_999

/** Creates a schema of an integer, up to `MAX_INTEGER`, that becomes a number. */
export const smallInteger = (name: string, min: number, max: number) =>
  text(name)
    .transform((input, context): number => {
      const value = /^[0-9]{1,15}$/.test(input) ? Number(input) : Number.NaN
      if (!(value >= min && value <= max)) return refuse(context, `${name} must be an integer from ${min} to ${max}`)
      return value
    })
    .meta({ pattern: '^[0-9]{1,15}$' })

/** Creates a schema of a percentage with at most 4 decimals. Converts it to parts per million: 0.5 becomes 5,000n. */
export const percent = (name: string) =>
  text(name)
    .transform((input, context): bigint => {
      const match = /^([0-9]+)(?:\.([0-9]{1,4}))?$/.exec(input)
      if (!match) return refuse(context, `${name} must be a number of percent with at most 4 decimals`)
      return BigInt(match[1]!) * PPM_PER_PERCENT + BigInt((match[2] ?? '').padEnd(4, '0'))
    })
    .meta({ pattern: '^[0-9]+(\\.[0-9]{1,4})?$' })

const slippagePercent = percent('slippage').refine((ppm) => ppm < 100n * PPM_PER_PERCENT, 'slippage must be below 100')
/** Schema of a slippage tolerance: a percentage, or `auto`. */
export const slippage = text('slippage')
  .transform((input, context) => {
    if (input === 'auto') return input
    const { data, error } = slippagePercent.safeParse(input)
    return data ?? refuse(context, error!.issues[0]!.message)
  })
  .meta({ pattern: '^[0-9]+(\\.[0-9]{1,4})?$|^auto$' })

/** Creates a schema of 0x-prefixed bytes. */
export const hexData = (name: string, maxBytes: number) =>
  text(name)
    .transform((input, context): Hex => {
      if (input === '') return refuse(context, `${name} must be provided`)
      if (!/^0x([0-9a-fA-F]{2})*$/.test(input)) return refuse(context, `${name} must be 0x-prefixed hex of whole bytes`)
      if (input.length > 2 + 2 * maxBytes) return refuse(context, `${name} must be at most ${maxBytes} bytes`)
      return input as Hex
    })
    .meta({ pattern: '^0x([0-9a-fA-F]{2})*$' })

/**
 * Creates a schema of 1 to `max` comma-separated items.
 *
 * @param description - description of the items for the error message
 */
export const list = <T>(name: string, max: number, parseItem: (input: string) => T | undefined, description: string) =>
  text(name).transform((input, context): readonly T[] => {
    const items = input.split(',').map((item) => item.trim())
    if (items.length > max) return refuse(context, `${name} must list at most ${max}`)
    const parsedItems: T[] = []
    for (const item of items) {
      const value = parseItem(item)
      if (value === undefined) return refuse(context, `${name} must be ${description}, separated by commas`)
      parsedItems.push(value)
    }
    return parsedItems
  })
