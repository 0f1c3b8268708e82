/**
 * Schema of CoW Protocol auctions, as a driver (the service that runs solvers) posts them to `/solve`.
 *
 * @see crates/solvers/openapi.yml of cowprotocol/services
 */
import { type Address, toAddress } from '@sluice/chains'
import { z } from 'zod'
import { readBody } from './read.ts'

/** Limits of an auction's lists. An auction with all open orders on Ethereum has a few thousand orders and pools. */
const MAX_ORDERS = 20_000
const MAX_LIQUIDITY = 50_000
const MAX_TOKENS = 50_000
const MAX_POOL_TOKENS = 50
const MAX_TICKS = 20_000

const WORD_LIMIT = 1n << 256n

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
  .transform(toAddress)
const amount = z
  .string()
  .regex(/^\d{1,78}$/, 'must be a decimal integer')
  .transform(BigInt)
  .refine((value) => value < WORD_LIMIT, 'must be below 2^256')
const signedInteger = z
  .string()
  .regex(/^-?\d{1,39}$/, 'must be a decimal integer')
  .transform(BigInt)
/** The driver's library writes small numbers with an exponent, such as `1E-7`. */
const decimal = z.string().regex(/^\d{1,60}(\.\d{1,60})?(E[+-]?\d{1,2})?$/i, 'must be a decimal number')
const uid = z.string().regex(/^0x[0-9a-fA-F]{112}$/, 'must be an order UID of 56 bytes')

const token = z.object({
  referencePrice: amount.nullish(),
  availableBalance: amount,
  trusted: z.boolean(),
})

const order = z.object({
  uid,
  sellToken: address,
  buyToken: address,
  sellAmount: amount,
  buyAmount: amount,
  kind: z.enum(['sell', 'buy']),
  partiallyFillable: z.boolean(),
  class: z.enum(['market', 'limit']),
})

const commonFields = { id: z.string().max(200), address: z.string().optional() }
const reserves = <T extends z.ZodType>(reserve: T) =>
  z
    .record(address, reserve)
    .transform((record) => Object.entries(record) as [Address, z.output<T>][])
    .refine((entries) => entries.length >= 2 && entries.length <= MAX_POOL_TOKENS, 'must name 2 to 50 tokens')

const liquidity = z.discriminatedUnion('kind', [
  z.object({
    ...commonFields,
    kind: z.literal('constantProduct'),
    tokens: reserves(z.object({ balance: amount })),
    fee: decimal,
  }),
  z.object({
    ...commonFields,
    kind: z.literal('weightedProduct'),
    tokens: reserves(z.object({ balance: amount, scalingFactor: decimal.default('1'), weight: decimal })),
    fee: decimal,
    version: z.enum(['v0', 'v3Plus']).default('v0'),
    balancerPoolId: z.string().optional(),
  }),
  z.object({
    ...commonFields,
    kind: z.literal('stable'),
    tokens: reserves(z.object({ balance: amount, scalingFactor: decimal })),
    fee: decimal,
    amplificationParameter: decimal,
    address,
  }),
  z.object({
    ...commonFields,
    kind: z.literal('concentratedLiquidity'),
    tokens: z.tuple([address, address]),
    sqrtPrice: amount,
    liquidity: amount,
    tick: z.number().int().min(-887_272).max(887_272),
    liquidityNet: z
      .record(z.string().regex(/^-?\d{1,6}$/, 'must be a tick'), signedInteger)
      .refine((ticks) => Object.keys(ticks).length <= MAX_TICKS, `must name at most ${MAX_TICKS} ticks`),
    fee: decimal,
  }),
  z.object({
    ...commonFields,
    kind: z.literal('limitOrder'),
    makerToken: address,
    takerToken: address,
    makerAmount: amount,
    takerAmount: amount,
    takerTokenFeeAmount: amount,
  }),
])

const KINDS: ReadonlySet<unknown> = new Set(liquidity.options.map(({ shape }) => shape.kind.value))

/**
 * Liquidity of known kinds. Later drivers may add kinds; an auction can be solved without them, so they are skipped.
 */
const knownLiquidity = z
  .array(z.looseObject({ kind: z.string() }))
  .max(MAX_LIQUIDITY)
  .transform((items) => items.filter(({ kind }) => KINDS.has(kind)))
  .pipe(z.array(liquidity))

const auction = z.object({
  /** Absent for a quote request, which is not part of an auction. */
  id: z.union([z.string(), z.number()]).nullish(),
  tokens: z
    .record(address, token)
    .refine((tokens) => Object.keys(tokens).length <= MAX_TOKENS, `must name at most ${MAX_TOKENS} tokens`),
  orders: z.array(order).max(MAX_ORDERS),
  liquidity: knownLiquidity,
  /** Wei per gas. */
  effectiveGasPrice: amount,
  deadline: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
})

export type Auction = z.output<typeof auction>
export type Order = z.output<typeof order>
export type Liquidity = z.output<typeof liquidity>

/**
 * Tokens of an auction: price in wei per 10^18 base units, balance of the settlement contract, and whether CIP-2 allows
 * using that balance.
 */
export type AuctionTokens = Auction['tokens']

/** Parses an auction. @throws BodyError for the first invalid field */
export const readAuction = (body: unknown): Auction => readBody(auction, body)

/** Converts a decimal number, with or without an exponent, to units of 10^-18, rounded down. */
export function toFixed18(text: string): bigint {
  const [mantissa = '0', exponent = '0'] = text.split(/E/i)
  const [integer = '0', fraction = ''] = mantissa.split('.')
  const digits = BigInt(integer + fraction)
  const shift = 18 + Number(exponent) - fraction.length
  return shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
}
