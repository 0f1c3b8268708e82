/** What each endpoint accepts: text in, typed values out. Fields are read in the order in which mistakes are reported. */
import { type Address, isAddress, toAddress } from '@sluice/chains'
import type { BlockRef, BlockTag } from '@sluice/rpc'
import { z } from 'zod'
import { ApiError } from './errors.ts'
import {
  address,
  count,
  gasPrice,
  hexData,
  type IssueParams,
  list,
  percent,
  refuse,
  type SentAddress,
  text,
  uint,
  uintOrHex,
} from './parameters.ts'

/** 10 % in parts per million. */
const MAX_FEE_PPM = 100_000n
/** 100 % in parts per million. */
const WHOLE_PPM = 1_000_000n
const MAX_TOKENS = 200
/** Each is measured by calls of its own. */
const MAX_REPORTS = 10
const MAX_CALLDATA_BYTES = 131_072
export const NATIVE_TEXT = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const swapToken = (name: string) =>
  z.string('src and dst must be valid 0x... addresses').transform((sent, context): SentAddress => {
    if (!isAddress(sent)) return refuse(context, 'src and dst must be valid 0x... addresses')
    if (/^0x0{40}$/.test(sent))
      return refuse(context, `${name} must not be the zero address; the native token is ${NATIVE_TEXT}`)
    return { sent, address: toAddress(sent) }
  })

const slippage = percent('slippage').refine((ppm) => ppm < WHOLE_PPM, 'slippage must be below 100')
const convenienceFee = percent('convenienceFee').refine((ppm) => ppm <= MAX_FEE_PPM, {
  message: 'convenienceFee must be at most 10',
  params: { code: 'FEE_TOO_HIGH' } satisfies IssueParams,
})
const sourceName = (sent: string) => (/^[\w .&()+-]{1,60}$/.test(sent) ? sent.toLowerCase() : undefined)
const poolId = (sent: string) => (/^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(sent) ? sent.toLowerCase() : undefined)
const sources = (name: string) => list(name, 100, sourceName, 'names of sources')

export const swapQuery = z
  .object({
    src: swapToken('src').describe('Input token; `0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE` for the native token.'),
    dst: swapToken('dst').describe('Output token; the same address to receive the native token.'),
    amount: uint('amount')
      .refine((amount) => amount > 0n, 'amount must be a base-10 integer above 0')
      .describe('Input amount in base units.'),
    from: address('from').describe('Wallet that sends the transaction and receives the output.'),
    slippage: slippage.prefault('0.5').describe('Slippage tolerance in percent, at most 4 decimals. Default 0.5.'),
    convenienceFee: convenienceFee
      .prefault('0')
      .describe('Fee in percent of the output, added for the caller; at most 10. Default 0.'),
    convenienceFeeRecipient: address('convenienceFeeRecipient', { native: true, zero: true })
      .optional()
      .describe(
        'Receives the convenience fee. Required when there is one; a mixed-case address must carry its checksum.',
      ),
    minimumBlock: count('minimumBlock', 0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('The route must be computed and simulated at this block or a later one.'),
    deadline: count('deadline', 0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe(
        'Unix seconds after which the transaction reverts. Default: 1,200 s after the simulated block or now, whichever is later.',
      ),
    feeExemptKey: text('feeExemptKey').optional().describe('Attribution key; also taken from `X-Fee-Exempt-Key`.'),
    includeSources: sources('includeSources').optional().describe('Use only these families or brands.'),
    excludeSources: sources('excludeSources').optional().describe('Do not use these families or brands.'),
    excludePools: list('excludePools', 200, poolId, 'pool addresses or ids')
      .optional()
      .describe('Do not use these pools.'),
    maxHops: count('maxHops', 1, 4).optional().describe('Most pools in series.'),
    maxSplits: count('maxSplits', 1, 64).optional().describe('Most pools that the route may use.'),
    intermediates: z
      .enum(['named', 'earned', 'any'], 'intermediates must be named, earned or any')
      .default('earned')
      .describe(
        "What the route may pass through between `src` and `dst`: only what the chain's file names (`named`), also what has been seen to behave for long (`earned`, the default), or anything (`any`).",
      ),
    gasPrice: gasPrice(uint)
      .optional()
      .describe('Wei per gas to weigh gas with, below 2^64. Default: the network price.'),
    maxPriceImpact: percent('maxPriceImpact')
      .refine((ppm) => ppm <= WHOLE_PPM, 'maxPriceImpact must be at most 100')
      .prefault('15')
      .describe('Percent above which the route is refused. Default 15; 100 accepts any.'),
  })
  .superRefine((query, context) => {
    if (query.src.address === query.dst.address) refuse(context, 'src and dst must be different tokens')
    if (query.convenienceFee > 0n && !query.convenienceFeeRecipient)
      refuse(context, 'convenienceFeeRecipient must be provided when convenienceFee is non-zero')
  })
export type SwapQuery = z.output<typeof swapQuery>

const tags = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const satisfies readonly BlockTag[]

const block = text('block').transform((sent, context): { readonly sent: string; readonly ref: BlockRef } => {
  const tag = tags.find((name) => name === sent)
  if (tag) return { sent, ref: tag }
  const number = /^([0-9]{1,15}|0x[0-9a-fA-F]{1,13})$/.test(sent) ? Number(sent) : Number.NaN
  if (!Number.isSafeInteger(number))
    return refuse(context, `block must be a number, 0x-hex or one of ${tags.join(', ')}`)
  return { sent, ref: number }
})

export const simulateFields = z
  .object({
    from: address('from').describe('Sender; output is measured here. Needs no funds or approvals.'),
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
  .superRefine(({ from, to }, context) => {
    if (from.address === to.address) refuse(context, 'to must differ from from')
  })
export type SimulateFields = z.output<typeof simulateFields>

const tokenList = (most: number) =>
  text('token')
    .transform((sent, context): ReadonlyMap<string, Address> => {
      if (sent === '') return refuse(context, 'token must be provided')
      const read = new Map<string, Address>()
      for (const part of sent.split(',')) {
        if (!isAddress(part)) return refuse(context, 'token must be valid 0x... addresses, separated by commas')
        read.set(part, toAddress(part))
      }
      if (new Set(read.values()).size > most) return refuse(context, `token must list at most ${most} addresses`)
      return read
    })
    .describe(`One token address or up to ${most}, separated by commas.`)

export const pricesQuery = z.object({
  token: tokenList(MAX_TOKENS),
})

export const tokensQuery = z.object({
  token: tokenList(MAX_REPORTS),
})

export const liquidityQuery = pricesQuery.extend({
  curve: z
    .enum(['0', '1'], 'curve must be 0 or 1')
    .default('0')
    .describe('1 answers each token with the depth at 0.5, 1, 2, 5 and 10 percent of price impact.'),
})

/** @throws ApiError 400 for anything but a chain id in base 10, 404 for one beyond those that exist */
export function readChainId(sent: string | undefined): number {
  if (!sent || !/^[1-9][0-9]*$/.test(sent))
    throw new ApiError('INVALID_PARAMETER', 'chain_id must be a base-10 integer')
  const chainId = Number(sent)
  if (!Number.isSafeInteger(chainId)) throw unsupportedChain(sent)
  return chainId
}

export function unsupportedChain(chainId: number | string): ApiError {
  return new ApiError(
    'UNSUPPORTED_CHAIN',
    `chain ${String(chainId).slice(0, 80)} is not supported; /chains lists those that are`,
  )
}

/** @throws ApiError for the first mistake, in the order of the schema's fields */
export function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  const code = issue.code === 'custom' ? (issue.params as IssueParams | undefined)?.code : undefined
  throw new ApiError(code ?? 'INVALID_PARAMETER', issue.message)
}
