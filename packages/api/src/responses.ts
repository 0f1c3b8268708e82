/** Response schemas of the endpoints. New fields may be added without a version change. */
import { L1_FEE_MODELS } from '@sluice/chains'
import { z } from 'zod'
import { certificate } from './swap/certificate-response.ts'

export const hexAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
export const hexBytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
export const units = z.string().regex(/^[0-9]+$/)
const signedUnits = z.string().regex(/^-?[0-9]+$/)

export const swapLeg = z.object({
  pool: z.string().describe('Address of the pool, or its id inside a singleton.'),
  protocol: z.string().describe('Family of the pool, such as `uniswap-v3`.'),
  dex: z.string().describe('Brand.'),
  tokenIn: hexAddress,
  tokenOut: hexAddress,
  amountIn: units.describe('Base units of `tokenIn`.'),
  amountOut: units.describe('Base units of `tokenOut`.'),
  share: z.number().min(0).max(100).describe("Percent of the route's flow of `tokenIn`."),
  gas: units.describe('Gas of the leg.'),
})
/** A swap in one pool of a route. */
export type LegResponse = z.infer<typeof swapLeg>

const transaction = z.object({
  from: hexAddress.describe('Sender, as in the request.'),
  to: hexAddress.describe('Guard Contract of the chain.'),
  data: hexBytes.describe('Calldata, to be submitted unmodified.'),
  value: units.describe('Wei; `0` for ERC-20 input.'),
})

const routeEcho = {
  src: hexAddress.describe('Input token, as in the request.'),
  dst: hexAddress.describe('Output token, as in the request.'),
  fromAmount: units.describe('Input amount in base units.'),
}

export const swapResponse = z.object({
  ...routeEcho,
  toAmount: units.describe(
    'Output that the simulation of `tx` measured at `simulationBlock`, in base units, after fee and taxes. Pools whose fee or rate follows the time (algebra-v1, liquidity-book, vaults) may pay a few millionths more or less in a later block.',
  ),
  minToAmount: units.describe('Least output that `tx` accepts before it reverts.'),
  slippage: z
    .object({ percent: z.number().min(0.05).max(3), reason: z.string() })
    .optional()
    .describe('With `slippage=auto`: what `minToAmount` is less than `toAmount`, and why so much.'),
  gasEstimate: units.describe('Gas of the whole transaction before refunds. Set the gas limit 20 % higher.'),
  simulationBlock: z.int().describe('Block at which `tx` was simulated.'),
  blockHash: z.string().describe('Hash of that block.'),
  expiresAtBlock: z
    .int()
    .describe("Once the chain's head is at this block, ask again: more than two blocks have passed."),
  quoteId: z
    .string()
    .describe(
      'Chain, block and a digest of the route with its amounts. Where the service keeps a log of quotes, its operator makes the quote again from it.',
    ),
  priceImpact: z.number().nullable().describe('Percent against the mid price of the same route.'),
  gasCharged: units.describe(
    'Gas that the sender is charged, after refunds, as in the receipt. `gasCost` and `netToAmount` count it.',
  ),
  gasChargedAtDeadline: units.describe(
    'The same when `tx` is mined at its deadline instead of in the next block: more if an observation of a pool, a cache of rates, or an epoch falls due before then.',
  ),
  gasCost: z.object({
    native: units.describe('Wei, `l1Fee` included.'),
    usd: z.number().nullable(),
    l1Fee: units.nullable().describe('Wei for publishing on the chain below; null where it is not known.'),
  }),
  netToAmount: signedUnits.nullable().describe('`toAmount` less the gas, in base units of the output.'),
  optimalityGap: z
    .number()
    .nullable()
    .describe(
      'Before gas: basis points by which the output of this route is below an upper bound on the output of every route that the request admits. The bound counts all pools that the service knows at `simulationBlock`, each up to the end of its liquidity, on paths of up to `maxHops` pools, split in any way; not pools that the service does not know. At 2, no such route pays more than `toAmount` / (1 − 0.0002), but for the fees and taxes that both pay. The bound may be higher than any real route, above all with `maxSplits`. Null when no bound is known: with `maxSplits=1`, when pool prices disagree so far that the bound counts an arbitrage, and for some pools of several tokens.',
    ),
  optimalityGapNet: z
    .number()
    .nullable()
    .describe(
      'The same after gas: output less the expected gas of the route, compared with an upper bound on output less gas of every such route. Null also while the service is short of time.',
    ),
  poolsPending: z
    .literal(true)
    .optional()
    .describe(
      'Pools of some families are still being searched for, or cannot be found at this node (`/ready/{chain_id}` says which): a better route may be found later. Left out once all are known.',
    ),
  warnings: z.array(z.string()),
  swaps: z
    .array(swapLeg)
    .min(1)
    .describe(
      'Pools used, in execution order. What is wrapped or unwrapped at an end that is NATIVE is no leg, unless it is all there is to do.',
    ),
  tx: transaction,
  calls: z
    .array(z.object({ to: hexAddress, data: hexBytes, value: units }))
    .min(1)
    .optional()
    .describe(
      'With `calls=1`: a reset of the allowance where the token insists, an approval of exactly `fromAmount` where the allowance is short at `simulationBlock`, and `tx`. To be made in this order, all or none, as they were simulated: in one call of the node.',
    ),
})
/** Response body of `/aggregator`. */
export type SwapResponse = z.infer<typeof swapResponse>

export const quoteResponse = swapResponse.omit({ tx: true, calls: true }).extend({
  expiresAtBlock: swapResponse.shape.expiresAtBlock
    .optional()
    .describe(
      "Once the chain's head is at this block, ask again: more than two blocks have passed. Absent with `block`: a past block does not change.",
    ),
  proof: certificate
    .nullable()
    .optional()
    .describe('With `proof=1`: a certificate of a bound on the output of every route; null when no bound was found.'),
})
/** Response body of `/quote`. */
export type QuoteResponse = z.infer<typeof quoteResponse>

export const quotesResponse = z.object({
  simulationBlock: z.int().describe('Block of all quotes.'),
  blockHash: z.string().describe('Hash of that block.'),
  quotes: z
    .array(z.union([swapResponse, quoteResponse, z.looseObject({ error: z.string(), code: z.string() })]))
    .describe('In the order asked: as `/aggregator` answers, as `/quote` answers, or the error of that quote alone.'),
})
export type QuotesResponse = z.infer<typeof quotesResponse>

const errorData = z.looseObject({ error: z.string(), code: z.string() })
/** Schema of the data of stream events, by event name. */
export const streamEvents = z.object({
  quote: z
    .union([swapResponse, quoteResponse])
    .optional()
    .describe(
      'The first answer, and each that differs: as `/aggregator` answers where `from` is given, else as `/quote`.',
    ),
  block: z
    .object({ simulationBlock: z.int(), blockHash: z.string() })
    .optional()
    .describe('Looked at again at this block: the last `quote`, or `refused`, stands.'),
  refused: errorData.optional().describe('There is no answer at this block; the stream goes on.'),
  end: errorData.optional().describe('The last event, with its reason.'),
})

export const swapNoRoute = z.object({
  ...routeEcho,
  toAmount: z.literal('0'),
  gasEstimate: z.literal('0'),
  simulationBlock: z.int(),
  swaps: z.null(),
})
export type SwapNoRoute = z.infer<typeof swapNoRoute>

export const simulation = z.object({
  success: z.boolean().describe('False means that the call would revert; the status is still 200.'),
  amountOut: units.describe('Growth of the balance of `from` in base units of `tokenOut`.'),
  gasUsed: z.int().describe('Gas of the call to `to`, without intrinsic and calldata gas, before refunds.'),
  returnData: hexBytes.describe('Return data or revert payload, cut at 64 kB.'),
  revertReason: z.string().optional().describe('Only when `success` is false.'),
  block: z.string().describe('The `block` of the request.'),
})
/** Response body of `/simulate`. */
export type SimulationResponse = z.infer<typeof simulation>

const priceSource = z.object({
  pool: z.string(),
  protocol: z
    .string()
    .describe(
      'Family of the pool, such as `uniswap-v3`; `redemption` where `pool` is the token itself, by what it redeems for.',
    ),
  usd: z.number().positive().describe('What this pool alone says.'),
  weight: z.number().min(0).max(1).describe('Its share of the say of all pools.'),
})
const priceDetail = z
  .object({
    usd: z.number().positive().nullable(),
    block: z.int().describe('Block of the pools that the price comes from.'),
    timestamp: z.int().describe('Unix seconds of that block.'),
    depthUsd: z.number().nonnegative().nullable(),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'd / (d + 10,000) × max(0, 1 − s / 5 %): d are the dollars behind the price, s the mean distance of its pools from it.',
      ),
    sources: z.array(priceSource).max(3).describe('The pools with the most say.'),
    reason: z
      .enum(['unknown', 'no-decimals', 'below-floor', 'no-anchor', 'unsellable', 'pending'])
      .nullable()
      .describe(
        'Why there is no price: in no pool; decimals not known; less than 300 USD behind it; no way to a dollar; measured, and bought but not sold; pools are still being looked for.',
      ),
  })
  .describe('With `detail=1`.')
export type PriceDetailResponse = z.infer<typeof priceDetail>

export const prices = z
  .record(hexAddress, z.union([z.number().positive(), priceDetail]).nullable())
  .describe('USD by token address as sent; null where the token is not recognised.')

export const currentPrices = z
  .object({
    coins: z
      .record(
        z.string(),
        z.object({
          decimals: z.int(),
          symbol: z
            .string()
            .optional()
            .describe(
              "Of the chain's file, else what the contract says, at most 20 characters, harmless to show; absent if it says none.",
            ),
          price: z.number().positive().describe('USD of one whole token, as `/prices` has it.'),
          timestamp: z.int().describe('Unix seconds of the block that the price is of.'),
          confidence: z
            .number()
            .min(0)
            .max(1)
            .describe(
              'd / (d + 10,000) × max(0, 1 − s / 5 %), as `/prices` has it with `detail=1`: d are the dollars behind the price, s the mean distance of its pools from it.',
            ),
        }),
      )
      .describe('By coin as sent; a coin without a price is absent.'),
  })
  .meta({
    examples: [
      {
        coins: {
          'ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2': {
            ...{ decimals: 18, symbol: 'WETH', price: 2060.8, timestamp: 1773446411, confidence: 0.99 },
          },
        },
      },
    ],
  })
export type CurrentPricesResponse = z.infer<typeof currentPrices>

const depthByImpact = z.object({
  '0.5': z.number(),
  '1': z.number(),
  '2': z.number(),
  '5': z.number(),
  '10': z.number(),
})
export const liquidity = z
  .record(hexAddress, z.union([z.number().nonnegative(), depthByImpact]).nullable())
  .describe('Depth in USD by token address as sent; with `curve=1`, by percent of price impact.')

const pricePoint = z.object({ block: z.int(), timestamp: z.int(), usd: z.number().positive() })
export const priceHistory = z
  .record(hexAddress, z.array(pricePoint))
  .describe('Prices of past blocks by token address as sent, oldest first; empty for tokens without a price.')
export type PriceHistoryResponse = z.infer<typeof priceHistory>

const tax = (taxName: string) =>
  z.number().min(0).max(100).nullable().describe(`Percent ${taxName}; null where not known.`)
export const tokenReport = z.object({
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
  rebasing: z.boolean().nullable().describe('Whether balances are shares of something that changes.'),
  needsApprovalReset: z.boolean().nullable().describe('Whether an allowance can be changed by way of 0 only.'),
  transferTax: tax('that a transfer between people costs'),
  standing: z
    .enum(['named', 'earned', 'stranger'])
    .describe(
      "Whether routes between other tokens may pass through it by default: the chain's file names it, it has earned it, or neither.",
    ),
  reason: z.string().describe('Of the standing, for people.'),
  surcharge: z
    .number()
    .min(0)
    .nullable()
    .describe(
      'Percent that the sender of a transfer loses on top of what he sends; such a token is not routed. Null where not known.',
    ),
  asksForCode: z
    .boolean()
    .nullable()
    .describe(
      'Whether its code has instructions that ask for the code of accounts, or calls other contracts that may. Null where not known.',
    ),
  walletsDiffer: z
    .boolean()
    .describe(
      'True where a swap of it was seen to end otherwise for an account without code than for one with code. Its quotes are those of the account in `from` as it is.',
    ),
  pools: z
    .array(
      z.object({
        pool: z.string(),
        protocol: z.string(),
        dex: z.string(),
        buyTax: tax('of what the pool hands over that does not arrive'),
        sellTax: tax('of what is sent to the pool that does not arrive'),
        sellable: z.boolean().nullable().describe('False where what was bought cannot be sent back.'),
        sizeLimited: z.boolean().nullable().describe('Whether a thousandth of the pool is too much at once.'),
      }),
    )
    .describe('Measured in the pools that hold most of the token.'),
})
export type TokenReportResponse = z.infer<typeof tokenReport>
export const tokenReports = z
  .record(hexAddress, tokenReport.nullable())
  .describe('By token address as sent; null for what cannot be measured.')

const listTag = z.object({ name: z.string(), description: z.string() })
export const tokenList = z.object({
  name: z.string(),
  timestamp: z.string().describe('When the list was made.'),
  version: z
    .object({ major: z.int(), minor: z.int(), patch: z.int() })
    .describe('`patch` is the block that the list is of.'),
  tags: z.record(z.string(), listTag).describe('What the tags of tokens mean.'),
  tokens: z.array(
    z.object({
      chainId: z.int(),
      address: hexAddress.describe('With its EIP-55 checksum; NATIVE for the native token.'),
      name: z.string().describe('At most 60 characters, harmless to show.'),
      symbol: z.string().describe('At most 20 characters without spaces, harmless to show.'),
      decimals: z.int(),
      tags: z
        .array(z.enum(['native', 'registry', 'found', 'unlisted', 'copy']))
        .describe(
          'Where it comes from, and `copy` where its symbol is, or looks like, that of a token of the registry.',
        ),
      extensions: z.object({
        depthUsd: z.number().nullable().describe('Depth in all pools in USD, as `/liquidity` has it.'),
        copyOf: hexAddress.optional().describe('The token whose symbol a copy has.'),
      }),
    }),
  ),
})
/** Response body of `/tokenlist`. */
export type TokenListResponse = z.infer<typeof tokenList>

export const chainMap = z
  .record(
    z.string().regex(/^[1-9][0-9]*$/),
    z.object({
      ChainID: z.string(),
      ChainName: z.string(),
      RouterAddress: hexAddress,
      TrackerName: z.string(),
      CoinsPrefix: z.string().nullable(),
      Status: z.enum(['deployed', 'predicted']),
      L1FeeModel: z
        .enum(L1_FEE_MODELS)
        .describe(
          'How the chain charges for publishing a transaction on the chain below. `none`: it has none below it. `unknown`: `gasCost.l1Fee` is null, and the cost of gas is without it.',
        ),
    }),
  )
  .describe('Supported chains by chain id.')

export const errorBody = z.looseObject({
  error: z.string().describe('What is wrong, for people.'),
  code: z
    .string()
    .regex(/^[A-Z_]+$/)
    .describe('What is wrong, for programs.'),
  requestId: z.string(),
  cure: z.string().optional().describe('What to do about it.'),
  docs: z.string().optional().describe('Where this service says more, as a path of its own.'),
})
