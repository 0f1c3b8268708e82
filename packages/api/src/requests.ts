/**
 * Schemas that convert the text parameters of requests to typed values. The parameters of quotes are in
 * `swap/request.ts`. If several parameters are invalid, the error names the first one in the order of the schema's
 * fields.
 */
import { type Address, asAddress } from '@sluice/chains'
import type { BlockRef, BlockTag } from '@sluice/rpc'
import { sanitizeText } from '@sluice/simulation'
import { z } from 'zod'
import { ApiError } from './errors.ts'
import {
  address,
  gasPrice,
  hexData,
  type IssueParams,
  MAX_INTEGER,
  refuse,
  smallInteger,
  text,
  uintOrHex,
} from './parameters.ts'

/** Maximum tokens in a URL. */
const MAX_TOKENS = 200
/** Maximum tokens in a body. */
const MAX_POSTED_TOKENS = 1_000
/** Maximum tokens in a request of `/tokens`: few, because each token is measured with separate calls. */
const MAX_REPORTS = 10
/** Maximum tokens in a request of `/history`: few, because each token has hundreds of points. */
const MAX_HISTORIES = 10
/** Maximum bytes of the calldata of a simulated transaction. */
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
    from: address('from', { isSender: true }).describe(
      'Sender, whose balance of `tokenOut` shows the output. Needs no funds or approvals.',
    ),
    to: address('to').describe('Contract that is called, typically a router.'),
    data: hexData('data', MAX_CALLDATA_BYTES).describe('Calldata exactly as it would be sent, at most 128 kB.'),
    tokenIn: address('tokenIn').describe('Input token, an ERC-20.'),
    amountIn: uintOrHex('amountIn').describe('Input amount in base units, decimal or 0x-hex.'),
    tokenOut: address('tokenOut', { native: true }).describe('Output token; NATIVE for the native token.'),
    gasPrice: gasPrice(uintOrHex)
      .optional()
      .describe('Gas price in wei, below 2^64; 0 simulates without a gas price. Default: the network price.'),
    gas: uintOrHex('gas')
      .optional()
      .describe('Gas limit, at most that of the block and that of the service. Default: half of the block gas limit.'),
    block: block.prefault('latest').describe('Block number (decimal or 0x-hex) or tag. Default `latest`.'),
    spender: address('spender')
      .optional()
      .describe(
        'Account that may take the input. Default: `to`. For a router that draws through Permit2, the address of Permit2; `to` may then draw through it.',
      ),
    coinbase: address('coinbase', { zero: true })
      .optional()
      .describe('Value of `block.coinbase`. Default: the author of the block.'),
    balanceSlot: uintOrHex('balanceSlot')
      .optional()
      .describe('Storage slot of the mapping of balances in `tokenIn`. Default: searched.'),
    allowanceSlot: uintOrHex('allowanceSlot')
      .optional()
      .describe('Storage slot of the mapping of allowances in `tokenIn`. Default: searched.'),
  })
  // Unknown fields are refused: ignoring a field such as `value` would simulate another transaction.
  .strict()
  .superRefine(({ from, to }, context) => {
    if (from.address === to.address) refuse(context, 'to must differ from from')
  })
export type SimulateFields = z.output<typeof simulateFields>

/** Parses addresses. The keys of the result are the addresses as the request spells them. */
function parseAddresses(input: readonly string[], max: number, context: z.core.$RefinementCtx) {
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

const tokenAddresses = (max: number) =>
  text('token')
    .transform((input, context) =>
      input === '' ? refuse(context, 'token must be provided') : parseAddresses(input.split(','), max, context),
    )
    .describe(`One token address or up to ${max}, separated by commas.`)

const detail = z
  .enum(['0', '1'], 'detail must be 0 or 1')
  .default('0')
  .describe('1 returns the price of each token with its sources and confidence, or the reason why it has no price.')

const pastBlock = smallInteger('block', 0, MAX_INTEGER)
  .optional()
  .describe('Past block at whose end the tokens are priced; the node must have its state. Default: the newest block.')

export const pricesQuery = z.object({
  token: tokenAddresses(MAX_TOKENS),
  detail,
  block: pastBlock,
})

/** Parameters of `POST /prices` that may be JSON booleans. */
export const priceFlags: ReadonlySet<string> = new Set(['detail'])

const postedMistake = `token must be a list of 1 to ${MAX_POSTED_TOKENS} addresses`
export const pricesBody = z.object({
  token: z
    .array(z.string(postedMistake), postedMistake)
    .min(1, postedMistake)
    .max(MAX_POSTED_TOKENS, postedMistake)
    .transform((input, context) => parseAddresses(input, MAX_POSTED_TOKENS, context))
    .describe(`Up to ${MAX_POSTED_TOKENS} token addresses.`),
  detail,
  block: pastBlock,
})

/** Maximum coins of one request in DefiLlama's format. */
const MAX_COINS = 100
/** Pattern of a coin in DefiLlama's format, `chain:address`. DefiLlama also accepts names in place of addresses. */
const COIN = /^([\w-]{1,64}):([!-+\--~]{1,128})$/

export type RequestCoin = { readonly input: string; readonly chain: string; readonly token: string }

const coins = text('coins').transform((input, context): readonly RequestCoin[] => {
  if (input === '') return refuse(context, 'coins must be provided')
  const coinByText = new Map<string, RequestCoin>()
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
/** Query parameters in DefiLlama's format. Only for the OpenAPI document: the service ignores them. */
export const currentPricesQuery = z.object({
  searchWidth: z
    .string()
    .optional()
    .describe('Accepted and ignored, because prices are always those of the newest block.'),
})

export const tokensQuery = z.object({
  token: tokenAddresses(MAX_REPORTS),
})

export const statusQuery = z.object({
  toAmount: uintOrHex('toAmount')
    .optional()
    .describe('`toAmount` of the quote, in base units, with which the received amount is compared.'),
})

export const tokenListQuery = z.object({
  q: text('q')
    .refine((input) => input.length <= 100, 'q must be at most 100 characters')
    .optional()
    .describe(
      'Part of a symbol or name, or a whole address, which may also be that of a token outside the list. At most 100 characters.',
    ),
  limit: smallInteger('limit', 1, 1_000)
    .prefault('100')
    .describe('Maximum tokens in the response, 1 to 1,000. Default 100.'),
})

export const statsQuery = z.object({
  limit: smallInteger('limit', 0, 1_000)
    .prefault('100')
    .describe(
      'Maximum number of DEX families, of DEXes, and of pools in the response, 0 to 1,000. Those with the most samples come first. Default 100.',
    ),
})

export const liquidityQuery = z.object({
  token: tokenAddresses(MAX_TOKENS),
  curve: z
    .enum(['0', '1'], 'curve must be 0 or 1')
    .default('0')
    .describe('1 returns the depth of each token at 0.5, 1, 2, 5, and 10 percent of price impact.'),
})

export const historyQuery = z.object({
  token: tokenAddresses(MAX_HISTORIES),
})

/**
 * Parses a chain id.
 *
 * @throws ApiError 400 if it is not a base-10 integer, 404 if it is above `Number.MAX_SAFE_INTEGER`
 */
export function readChainId(input: string | undefined): number {
  if (!input || !/^[1-9][0-9]*$/.test(input))
    throw new ApiError('INVALID_PARAMETER', 'chain_id must be a base-10 integer')
  const chainId = Number(input)
  if (!Number.isSafeInteger(chainId)) throw unsupportedChainError(input)
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
export function unsupportedChainError(chainId: number | string, reason?: string): ApiError {
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
