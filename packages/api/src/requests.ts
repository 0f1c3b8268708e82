/**
 * Schemas that convert the text parameters of requests to typed values. The parameters of quotes are in
 * `swap/request.ts`. Mistakes are reported in the order of a schema's fields.
 */
import { type Address, asAddress } from '@sluice/chains'
import type { BlockRef, BlockTag } from '@sluice/rpc'
import { sanitizeText } from '@sluice/simulation'
import { z } from 'zod'
import { ApiError } from './errors.ts'
import { address, gasPrice, hexData, type IssueParams, refuse, smallInteger, text, uintOrHex } from './parameters.ts'

const MAX_TOKENS = 200
/** Maximum tokens in a body, which is not limited by the length of a URL. */
const MAX_POSTED_TOKENS = 1_000
/** Maximum tokens of `/tokens`. Each token is measured with separate calls. */
const MAX_REPORTS = 10
/** Maximum tokens in a request of past prices, each with hundreds of points. */
const MAX_HISTORIES = 10
const MAX_CALLDATA_BYTES = 131_072
/** Address that stands for the native token in responses. */
export const NATIVE_TEXT = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const tags = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const satisfies readonly BlockTag[]

const block = text('block')
  .transform((input, context): { readonly input: string; readonly ref: BlockRef } => {
    const tag = tags.find((name) => name === input)
    if (tag) return { input, ref: tag }
    const number = /^([0-9]{1,15}|0x[0-9a-fA-F]{1,13})$/.test(input) ? Number(input) : Number.NaN
    if (!Number.isSafeInteger(number))
      return refuse(context, `block must be a number, 0x-hex or one of ${tags.join(', ')}`)
    return { input, ref: number }
  })
  .meta({ pattern: `^([0-9]{1,15}|0x[0-9a-fA-F]{1,13}|${tags.join('|')})$` })

export const simulateFields = z
  .object({
    from: address('from', { sends: true }).describe('Sender; output is measured here. Needs no funds or approvals.'),
    to: address('to').describe('Contract called, typically a router.'),
    data: hexData('data', MAX_CALLDATA_BYTES).describe('Calldata exactly as it would be sent, at most 128 kB.'),
    tokenIn: address('tokenIn').describe('Input token, an ERC-20.'),
    amountIn: uintOrHex('amountIn').describe('Input amount in base units, decimal or 0x-hex.'),
    tokenOut: address('tokenOut', { native: true }).describe('Output token to measure; NATIVE for the native token.'),
    gasPrice: gasPrice(uintOrHex)
      .optional()
      .describe('Wei, below 2^64; 0 simulates without one. Default: the network price.'),
    gas: uintOrHex('gas').optional().describe('Gas limit. Default: half of the block gas limit.'),
    block: block.prefault('latest').describe('Block number (decimal or 0x-hex) or tag. Default `latest`.'),
    spender: address('spender').optional().describe('Receives the allowance. Default: `to`.'),
    coinbase: address('coinbase', { zero: true })
      .optional()
      .describe('`block.coinbase`. Default: author of the block.'),
    balanceSlot: uintOrHex('balanceSlot').optional().describe('Base storage slot of the balance mapping.'),
    allowanceSlot: uintOrHex('allowanceSlot').optional().describe('Base storage slot of the allowance mapping.'),
  })
  // Unknown fields are refused: ignoring a field such as `value` would simulate another transaction.
  .strict()
  .superRefine(({ from, to }, context) => {
    if (from.address === to.address) refuse(context, 'to must differ from from')
  })
export type SimulateFields = z.output<typeof simulateFields>

/** Parses addresses; the keys are the addresses as sent. */
function addresses(input: readonly string[], max: number, context: z.core.$RefinementCtx) {
  const addressByText = new Map<string, Address>()
  for (const item of input) {
    const address = asAddress(item)
    if (address === null) return refuse(context, 'token must be valid 0x... addresses, separated by commas')
    addressByText.set(item, address)
  }
  if (addressByText.size > max && new Set(addressByText.values()).size > max)
    return refuse(context, `token must list at most ${max} addresses`)
  return addressByText as ReadonlyMap<string, Address>
}

const tokenList = (max: number) =>
  text('token')
    .transform((input, context) =>
      input === '' ? refuse(context, 'token must be provided') : addresses(input.split(','), max, context),
    )
    .describe(`One token address or up to ${max}, separated by commas.`)

const detail = z
  .enum(['0', '1'], 'detail must be 0 or 1')
  .default('0')
  .describe('1 answers each token with its price and what that rests on, or why there is none.')

const pastBlock = smallInteger('block', 0, Number.MAX_SAFE_INTEGER)
  .optional()
  .describe('A block of the past: prices as of its end, where the node has its state. The newest when absent.')

export const pricesQuery = z.object({
  token: tokenList(MAX_TOKENS),
  detail,
  block: pastBlock,
})

/** Parameters of posted prices that may be booleans. */
export const priceFlags: ReadonlySet<string> = new Set(['detail'])

const postedMistake = `token must be a list of 1 to ${MAX_POSTED_TOKENS} addresses`
export const pricesBody = z.object({
  token: z
    .array(z.string(postedMistake), postedMistake)
    .min(1, postedMistake)
    .max(MAX_POSTED_TOKENS, postedMistake)
    .transform((input, context) => addresses(input, MAX_POSTED_TOKENS, context))
    .describe(`Up to ${MAX_POSTED_TOKENS} token addresses.`),
  detail,
  block: pastBlock,
})

/** Maximum coins of one request in DefiLlama's format. */
const MAX_COINS = 100
/** Pattern of a coin in DefiLlama's format. DefiLlama also accepts names in place of addresses. */
const COIN = /^([\w-]{1,64}):([!-+\--~]{1,128})$/

export type SentCoin = { readonly input: string; readonly chain: string; readonly token: string }

const coins = text('coins').transform((input, context): readonly SentCoin[] => {
  if (input === '') return refuse(context, 'coins must be provided')
  const coinByText = new Map<string, SentCoin>()
  for (const item of input.split(',')) {
    const [, chain, token] = COIN.exec(item) ?? []
    if (!chain || !token)
      return refuse(context, `coins must be <chain>:<address>, separated by commas; "${sanitizeText(item, 60)}" is not`)
    coinByText.set(item, { input: item, chain, token })
  }
  if (coinByText.size > MAX_COINS) return refuse(context, `coins must list at most ${MAX_COINS}`)
  return [...coinByText.values()]
})
export const currentPricesPath = z.object({
  coins: coins
    .meta({ pattern: '^[A-Za-z0-9_-]{1,64}:[^,]{1,128}(,[A-Za-z0-9_-]{1,64}:[^,]{1,128})*$' })
    .describe(`One coin as \`chain:address\`, or up to ${MAX_COINS}, separated by commas.`),
})
/** Schema for the OpenAPI document only; the service ignores the parameter. */
export const currentPricesQuery = z.object({
  searchWidth: z
    .string()
    .optional()
    .describe('Accepted and ignored: prices are of the newest block, and there is no older one to search for.'),
})

export const tokensQuery = z.object({
  token: tokenList(MAX_REPORTS),
})

export const statusQuery = z.object({
  toAmount: uintOrHex('toAmount')
    .optional()
    .describe('`toAmount` of the quote, in base units: the answer says how what was received compares.'),
})

export const tokenListQuery = z.object({
  q: text('q')
    .refine((input) => input.length <= 100, 'q must be at most 100 characters')
    .optional()
    .describe('Part of a symbol or a name, or a whole address, which need not be on the list.'),
  limit: smallInteger('limit', 1, 1_000).prefault('100').describe('Most tokens in the answer. Default 100.'),
})

export const statsQuery = z.object({
  limit: smallInteger('limit', 0, 1_000)
    .prefault('100')
    .describe('Most families, brands and pools in the answer, those with the most samples first. Default 100.'),
})

export const liquidityQuery = z.object({
  token: tokenList(MAX_TOKENS),
  curve: z
    .enum(['0', '1'], 'curve must be 0 or 1')
    .default('0')
    .describe('1 answers each token with the depth at 0.5, 1, 2, 5 and 10 percent of price impact.'),
})

export const historyQuery = z.object({
  token: tokenList(MAX_HISTORIES),
})

/**
 * Parses a chain id.
 *
 * @throws ApiError 400 if it is not a base-10 integer, 404 if it is above the safe integers
 */
export function readChainId(input: string | undefined): number {
  if (!input || !/^[1-9][0-9]*$/.test(input))
    throw new ApiError('INVALID_PARAMETER', 'chain_id must be a base-10 integer')
  const chainId = Number(input)
  if (!Number.isSafeInteger(chainId)) throw unsupportedChain(input)
  return chainId
}

/** Parses a transaction hash. @throws ApiError `INVALID_PARAMETER` */
export function readHash(input: string | undefined): string {
  if (!input || !/^0x[0-9a-fA-F]{64}$/.test(input))
    throw new ApiError('INVALID_PARAMETER', 'hash must be 0x and 64 hex digits, the hash of a transaction')
  return input.toLowerCase()
}

/**
 * Creates the error for a chain that is not served.
 *
 * @param reason - why a chain of the registry cannot be served
 */
export function unsupportedChain(chainId: number | string, reason?: string): ApiError {
  const chain = `chain ${String(chainId).slice(0, 80)} is not supported`
  return new ApiError('UNSUPPORTED_CHAIN', `${chain}${reason ? `: ${reason}` : '; /chains lists those that are'}`)
}

/** Parses input by a schema. @throws ApiError for the first mistake, in the order of the schema's fields */
export function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  const code = issue.code === 'custom' ? (issue.params as IssueParams | undefined)?.code : undefined
  const message = issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message
  throw new ApiError(code ?? 'INVALID_PARAMETER', message)
}

function unknownFields(keys: readonly string[]): string {
  const names = keys.slice(0, 5).map((key) => sanitizeText(key, 40))
  return `${names.join(', ')} ${keys.length === 1 ? 'is no field' : 'are no fields'} of this endpoint`
}
