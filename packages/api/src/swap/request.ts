/**
 * Schemas of the parameters of quotes, and the conversion of parameters to a QuoteRequest. If several parameters are
 * invalid, the error names the first one in the order of the schema's fields.
 */
import { createHash } from 'node:crypto'
import {
  type Address,
  type Chain,
  type Deployment,
  isAddress,
  NATIVE,
  PPM,
  toAddress,
  ZERO_ADDRESS,
} from '@sluice/chains'
import { NEUTRAL_SENDER, type QuoteRequest } from '@sluice/quoting'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import {
  address,
  gasPrice,
  hasValidChecksum,
  type IssueParams,
  list,
  MAX_INTEGER,
  percent,
  type RequestAddress,
  refuse,
  slippage,
  smallInteger,
  text,
  uint,
} from '../parameters.ts'
import { NATIVE_TEXT, read } from '../requests.ts'
import { checkPermit, permit } from './permit.ts'

/** Maximum convenience fee: 10 % in parts per million. */
const MAX_FEE_PPM = 100_000n

const swapToken = (name: string) =>
  z.string('src and dst must be valid 0x... addresses').transform((input, context): RequestAddress => {
    if (!isAddress(input)) return refuse(context, 'src and dst must be valid 0x... addresses')
    if (/^0x0{40}$/.test(input))
      return refuse(context, `${name} must not be the zero address; the native token is ${NATIVE_TEXT}`)
    return { input, address: toAddress(input) }
  })

const convenienceFee = percent('convenienceFee').refine((ppm) => ppm <= MAX_FEE_PPM, {
  message: 'convenienceFee must be at most 10',
  params: { code: 'FEE_TOO_HIGH' } satisfies IssueParams,
})
const parseSourceName = (input: string) => (/^[\w .&()+-]{1,60}$/.test(input) ? input.toLowerCase() : undefined)
const parsePoolId = (input: string) =>
  /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(input) ? input.toLowerCase() : undefined
const sources = (name: string) => list(name, 100, parseSourceName, 'names of sources')

/**
 * Maximum deadline in Unix seconds. Contracts that store times in 40 bits can hold it. A present time in milliseconds
 * is above it, so it is refused.
 */
const MAX_DEADLINE = 2 ** 40

const PAST_BLOCK_MESSAGE = 'block is a parameter of /quote alone: what a past block would have paid cannot be sent'

const PROOF_MESSAGE = 'proof is a parameter of /quote alone'

const swapFields = z.object({
  src: swapToken('src').describe('Input token; `0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE` for the native token.'),
  dst: swapToken('dst').describe('Output token; the same address to receive the native token.'),
  amount: uint('amount')
    .refine((amount) => amount > 0n, 'amount must be a base-10 integer above 0')
    .describe('Input amount in base units.'),
  from: address('from', { isSender: true }).describe('Wallet that sends the transaction.'),
  recipient: address('recipient', { native: true, zero: true })
    .optional()
    .describe(
      'Account that receives the output. Default: `from`. It is part of the calldata, and the Guard measures the growth of its balance. A mixed-case address must have a valid checksum.',
    ),
  slippage: slippage
    .prefault('0.5')
    .describe(
      "Slippage tolerance in percent, below 100, at most 4 decimals. Default 0.5. `auto`: from 0.05 to 3, depending on past price changes of the route's pools within two blocks.",
    ),
  convenienceFee: convenienceFee
    .prefault('0')
    .describe(
      'Fee of the integrator in percent of the output, at most 10; `convenienceFeeRecipient` receives it. Default 0.',
    ),
  convenienceFeeRecipient: address('convenienceFeeRecipient', { native: true, zero: true })
    .optional()
    .describe(
      'Account that receives the convenience fee; required if there is a fee. A mixed-case address must have a valid checksum.',
    ),
  minimumBlock: smallInteger('minimumBlock', 0, MAX_INTEGER)
    .optional()
    .describe('Lowest block at which the route may be computed and simulated.'),
  deadline: smallInteger('deadline', 0, MAX_INTEGER)
    .refine((seconds) => seconds <= MAX_DEADLINE, 'deadline must be Unix time in seconds, at most 2^40')
    .optional()
    .describe(
      'Unix time in seconds, at most 2^40, after which the transaction reverts, later than the timestamp of the current block. Default: 1,200 s after the simulated block or now, whichever is later.',
    ),
  feeExemptKey: text('feeExemptKey')
    .optional()
    .describe('Attribution key; alternatively in the header `X-Fee-Exempt-Key`.'),
  includeSources: sources('includeSources')
    .optional()
    .describe(
      'Use only pools of these DEX families or DEXes, at most 100, separated by commas. Unknown names give a warning.',
    ),
  excludeSources: sources('excludeSources')
    .optional()
    .describe(
      'Do not use pools of these DEX families or DEXes, at most 100, separated by commas. Unknown names give a warning.',
    ),
  excludePools: list('excludePools', 200, parsePoolId, 'pool addresses or ids')
    .optional()
    .describe('Do not use these pools, at most 200, separated by commas.'),
  maxHops: smallInteger('maxHops', 1, 4).optional().describe('Maximum pools in series, 1 to 4.'),
  maxSplits: smallInteger('maxSplits', 1, 64).optional().describe('Maximum pools that the route uses, 1 to 64.'),
  intermediates: z
    .enum(['named', 'earned', 'any'], 'intermediates must be named, earned or any')
    .default('earned')
    .describe(
      "Tokens and pools that the route may pass through between `src` and `dst`: only those in the chain's file (`named`), also those with a long record of good behavior (`earned`, the default), or all (`any`).",
    ),
  gasPrice: gasPrice(uint)
    .optional()
    .describe('Gas price in wei with which the cost of gas is computed, below 2^64. Default: the network price.'),
  maxPriceImpact: percent('maxPriceImpact')
    .refine((ppm) => ppm <= PPM, 'maxPriceImpact must be at most 100')
    .prefault('15')
    .describe('Maximum price impact in percent; routes above it are rejected. Default 15; 100 accepts any.'),
  calls: z
    .enum(['0', '1'], 'calls must be 0 or 1')
    .default('0')
    .describe('1 adds `calls`: the approvals that the sender lacks and the swap, for `wallet_sendCalls`.'),
  permit: permit
    .optional()
    .describe(
      "A signed permit: the field `permit` of a response of `/permit`, followed by the owner's signature. The transaction then needs no approval. For ERC-20 input.",
    ),
  amountOut: z.undefined().optional(),
  block: z.undefined(PAST_BLOCK_MESSAGE).optional(),
  proof: z.undefined(PROOF_MESSAGE).optional(),
})
type Fields = z.output<typeof swapFields>

const amountOut = uint('amountOut').refine((amount) => amount > 0n, 'amountOut must be a base-10 integer above 0')
/** Alternative to `amount`: exact output. */
const exactOutput = {
  amount: z.undefined('amount and amountOut exclude each other').optional(),
  amountOut,
}

type ParsedQuery = Omit<Fields, 'from' | 'amount' | 'amountOut' | 'block' | 'proof'> & {
  readonly [Name in 'from' | 'amount']?: Fields[Name] | undefined
} & {
  readonly amountOut?: bigint | undefined
  readonly block?: number | undefined
  readonly proof?: '0' | '1' | undefined
}

/**
 * Exclusive upper bound of native amounts in wei, above the supply of every chain. Nodes refuse calls with larger
 * values.
 */
const NATIVE_LIMIT = 1n << 128n
const nativeLimitMessage = (name: string) => `${name} must be below 2^128 wei of the native token: no chain has as much`

/** Checks constraints between fields. Runs only if every field is valid. */
function checkSwap(query: ParsedQuery, context: z.core.$RefinementCtx): void {
  if (query.src.address === query.dst.address) refuse(context, 'src and dst must be different tokens')
  if (query.convenienceFee > 0n && !query.convenienceFeeRecipient)
    refuse(context, 'convenienceFeeRecipient must be provided when convenienceFee is non-zero')
  const { src, dst, amount = 0n, amountOut = 0n } = query
  if (src.address === NATIVE && amount >= NATIVE_LIMIT) refuse(context, nativeLimitMessage('amount'))
  if (dst.address === NATIVE && amountOut >= NATIVE_LIMIT) refuse(context, nativeLimitMessage('amountOut'))
  checkPermit(query, context)
  if (query.block !== undefined) checkPastBlock(query, context)
  if (query.proof === '1' && query.amountOut !== undefined) refuse(context, 'proof must be 0 with amountOut')
}

/** Refuses parameters that only matter for a transaction: a swap cannot be executed at a past block. */
function checkPastBlock({ permit, calls, minimumBlock }: ParsedQuery, context: z.core.$RefinementCtx): void {
  if (minimumBlock !== undefined) refuse(context, 'block and minimumBlock exclude each other')
  if (permit) refuse(context, 'permit must be left out with block')
  if (calls === '1') refuse(context, 'calls must be 0 with block')
}

export const swapQuery = swapFields.superRefine(checkSwap)
const exactSwapQuery = swapFields.extend(exactOutput).superRefine(checkSwap)
export type SwapQuery = z.output<typeof swapQuery> | z.output<typeof exactSwapQuery>

const quoteFields = swapFields.extend({
  from: swapFields.shape.from
    .optional()
    .describe('Wallet that would send the transaction. Default: an address that no token treats specially.'),
  block: smallInteger('block', 0, MAX_INTEGER)
    .optional()
    .describe(
      'Past block at whose end the swap is quoted and simulated; the node must have its state. Without `gasPrice`, gas costs the base fee of the next block plus the median tip in the past block. Default: the newest block.',
    ),
  proof: z
    .enum(['0', '1'], 'proof must be 0 or 1')
    .optional()
    .describe(
      '1 adds `proof`: a certificate of an upper bound on the output of every route, which `@sluice/certificate` verifies with any node. Not with `amountOut`. Default 0.',
    ),
})
const quoteQuery = quoteFields.superRefine(checkSwap)
const exactQuoteQuery = quoteFields.extend(exactOutput).superRefine(checkSwap)
export type QuoteQuery = z.output<typeof quoteQuery> | z.output<typeof exactQuoteQuery>

/** Parses the parameters of `/aggregator`. @throws ApiError for the first invalid parameter */
export function readSwap(parameters: object): SwapQuery {
  return read('amountOut' in parameters ? exactSwapQuery : swapQuery, parameters)
}

/** Parses the parameters of `/quote`. @throws ApiError for the first invalid parameter */
export function readQuote(parameters: object): QuoteQuery {
  return read('amountOut' in parameters ? exactQuoteQuery : quoteQuery, parameters)
}

/** Refuses `block` and `proof` on endpoints that do not support them. @throws ApiError `INVALID_PARAMETER` */
export function refuseBlockAndProof({ block, proof }: QuoteQuery): void {
  if (block !== undefined) throw new ApiError('INVALID_PARAMETER', PAST_BLOCK_MESSAGE)
  if (proof !== undefined) throw new ApiError('INVALID_PARAMETER', PROOF_MESSAGE)
}

/** Fields `amount` and `amountOut` of the documented schemas. A documented schema accepts either of them. */
const eitherAmount = {
  amount: swapFields.shape.amount
    .optional()
    .describe('Input amount in base units. Exactly one of `amount` and `amountOut` must be given.'),
  amountOut: amountOut
    .optional()
    .describe(
      'Minimum output of the transaction in base units; alternative to `amount`. `minToAmount` equals it, and `fromAmount` is the minimum input for it.',
    ),
}
/** Documented parameters of `/aggregator`. */
export const swapParameters = swapFields.extend(eitherAmount).omit({ block: true, proof: true })
export const quoteParameters = quoteFields.extend(eitherAmount)

/** Maximum quotes in one request of `/quotes`. */
const MAX_QUOTES = 20
const quotesMistake = `quotes must be a list of 1 to ${MAX_QUOTES} objects`
/** Body of `/quotes`. Each quote is parsed separately, so that an invalid quote gets its own error. */
export const quotesBody = z.object({
  quotes: z.array(z.looseObject({}, quotesMistake), quotesMistake).min(1, quotesMistake).max(MAX_QUOTES, quotesMistake),
})
/** Parameters that are 0 or 1, which may be booleans in a JSON body. */
export const flagParameters: ReadonlySet<string> = new Set(['calls'])
/** Comma-separated parameters, which may be arrays in a JSON body. */
export const listParameters: ReadonlySet<string> = new Set(['includeSources', 'excludeSources', 'excludePools'])
/** Documented body of `/quotes`. */
export const quotesFields = z.object({
  quotes: z
    .array(quoteParameters.omit({ block: true, proof: true }))
    .min(1)
    .max(MAX_QUOTES)
    .describe(
      'Parameters of `/quote` for each quote. If a quote has `from`, its result has a transaction, like `/aggregator`.',
    ),
})

export const permitQuery = z.object({
  src: address('src').describe('Input token, an ERC-20.'),
  amount: swapFields.shape.amount.describe('Amount of the input, in base units, that the Guard may take.'),
  from: address('from', { isSender: true }).describe('Owner, who signs and sends the swap.'),
  deadline: swapFields.shape.deadline.describe(
    'Unix time in seconds until which the signature is valid, at most a day after the default. Default: 1,200 s after the current block or now, whichever is later.',
  ),
})

/** Contracts and wrapped native token that requests are checked against. */
type RequestChain = { readonly deployment: Deployment; readonly chain: Pick<Chain, 'wrappedNative'> }

/**
 * Converts a parsed query to a request on a chain.
 *
 * @throws ApiError if the sender is the Guard or an Executor, or the recipient or fee recipient is invalid
 */
export function toQuoteRequest(query: QuoteQuery, { deployment, chain }: RequestChain): QuoteRequest {
  const contracts = new Set<Address>([deployment.guard.address, ...deployment.executors.map(({ address }) => address)])
  const from = query.from?.address ?? NEUTRAL_SENDER
  if (contracts.has(from)) throw new ApiError('INVALID_PARAMETER', 'from must not be the Guard or an Executor')
  const feePpm = query.convenienceFee
  const checkedPayee = (name: string, input: RequestAddress) =>
    checkPayee(name, input, query, { contracts, wrappedNative: chain.wrappedNative?.address })
  const recipient = query.recipient && checkedPayee('recipient', query.recipient)
  return {
    tokenIn: query.src.address,
    tokenOut: query.dst.address,
    amountIn: query.amount,
    amountOut: query.amountOut,
    from,
    recipient: recipient === from ? undefined : recipient,
    slippagePpm: query.slippage,
    feePpm,
    feeRecipient: feePpm > 0n ? checkedPayee('convenienceFeeRecipient', query.convenienceFeeRecipient!) : undefined,
    minimumBlock: query.minimumBlock,
    deadline: query.deadline,
    gasPriceWei: query.gasPrice,
    maxHops: query.maxHops,
    maxSplits: query.maxSplits,
    excludePools: new Set(query.excludePools),
    sources: {
      ...(query.includeSources && { include: new Set(query.includeSources) }),
      ...(query.excludeSources && { exclude: new Set(query.excludeSources) }),
    },
    intermediates: query.intermediates,
    maxPriceImpactPpm: query.maxPriceImpact,
    permit: query.permit,
    // Without a sender there is no allowance to read.
    withCalls: query.calls === '1' && query.from !== undefined,
    withProof: query.proof === '1',
  }
}

/**
 * Checks an address that receives funds. It needs a valid EIP-55 checksum, because a typo would pay a wrong account.
 * Refuses the Guard, the Executors, and the tokens of the swap, because funds would be lost there.
 */
function checkPayee(
  name: string,
  { input, address }: RequestAddress,
  { src, dst }: QuoteQuery,
  { contracts, wrappedNative }: { contracts: ReadonlySet<Address>; wrappedNative: Address | undefined },
): Address {
  const refuse = (reason: string) => new ApiError('INVALID_PARAMETER', `${name} ${reason}`)
  if (!hasValidChecksum(input)) throw refuse('has a wrong EIP-55 checksum')
  if (address === ZERO_ADDRESS) throw refuse('must not be the zero address')
  if (address === NATIVE) throw refuse('must not be the native token')
  if (contracts.has(address)) throw refuse('must not be the Guard or an Executor')
  const wrappedTokenOfSwap = [src, dst].some((token) => token.address === NATIVE) ? wrappedNative : undefined
  if ([src.address, dst.address, wrappedTokenOfSwap].includes(address)) throw refuse('must not be a token of the swap')
  return address
}

/**
 * Checks a fee exemption key. The service takes no protocol fee, so a valid key changes only attribution.
 *
 * @throws ApiError `INVALID_FEE_EXEMPT_KEY`
 */
export function checkFeeExemptKey(key: string | undefined, hashes: ReadonlySet<string>): void {
  if (key === undefined) return
  if (!hashes.has(createHash('sha256').update(key).digest('hex')))
    throw new ApiError('INVALID_FEE_EXEMPT_KEY', 'feeExemptKey is not valid')
}
