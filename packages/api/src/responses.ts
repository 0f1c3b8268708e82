/** Response schemas of the endpoints. New fields may be added without a version change. */
import { L1_FEE_MODELS } from '@sluice/chains'
import { z } from 'zod'
import { certificate } from './swap/certificate-response.ts'

export const hexAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
export const hexBytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
/** Non-negative amount in base units of a token, as decimal text. */
export const units = z.string().regex(/^[0-9]+$/)
export const signedUnits = z.string().regex(/^-?[0-9]+$/)

export const swapLeg = z.object({
  pool: z.string().describe('Address of the pool, or its id if one contract holds many pools.'),
  protocol: z.string().describe('DEX family of the pool, such as `uniswap-v3`.'),
  dex: z.string().describe('DEX of the pool.'),
  tokenIn: hexAddress,
  tokenOut: hexAddress,
  amountIn: units.describe('Base units of `tokenIn`.'),
  amountOut: units.describe('Base units of `tokenOut`.'),
  share: z
    .number()
    .min(0)
    .max(100)
    .describe('Part of the total `tokenIn` of the route that this leg sells, in percent.'),
  gas: units.describe('Gas of the leg.'),
})
/** A swap in one pool of a route. */
export type LegResponse = z.infer<typeof swapLeg>

const transaction = z.object({
  from: hexAddress.describe('Sender, as in the request.'),
  to: hexAddress.describe('Guard Contract of the chain.'),
  data: hexBytes.describe('Calldata; submit it unmodified.'),
  value: units.describe('Wei; `0` for ERC-20 input.'),
})

/** Fields that repeat the request. */
const routeEcho = {
  src: hexAddress.describe('Input token, as in the request.'),
  dst: hexAddress.describe('Output token, as in the request.'),
  fromAmount: units.describe('Input amount in base units.'),
}

export const swapResponse = z.object({
  ...routeEcho,
  toAmount: units.describe(
    'Output that the simulation of `tx` measured at `simulationBlock`, in base units, after fee and taxes. Pools whose fee or rate depends on time (algebra-v1, liquidity-book, vaults) may pay a few millionths more or less in a later block.',
  ),
  minToAmount: units.describe('Minimum output; `tx` reverts if the output is lower.'),
  slippage: z
    .object({ percent: z.number().min(0.05).max(3), reason: z.string() })
    .optional()
    .describe(
      'With `slippage=auto`: percent by which `minToAmount` is below `toAmount`, and the reason for this value.',
    ),
  gasEstimate: units.describe('Gas of the whole transaction before refunds. Set the gas limit 20 % higher.'),
  simulationBlock: z.int().describe('Block at which `tx` was simulated.'),
  blockHash: z.string().describe('Hash of that block.'),
  expiresAtBlock: z
    .int()
    .describe("Block from which the quote is outdated: request a new quote once the chain's head has reached it."),
  quoteId: z
    .string()
    .describe(
      'Chain, block, and a digest of the route with its amounts. If the service keeps a quote log, its operator can find and compute the quote again by this id.',
    ),
  priceImpact: z
    .number()
    .nullable()
    .describe(
      'Loss against the mid price of the same route, in percent. Leaves out dust pools: pools that pay less than half of their mid price, and together take at most 1 % of the input and pay at most 5 % of the output.',
    ),
  gasCharged: units.describe(
    'Gas that the sender is charged, after refunds, as in the receipt. On Monad, which charges the gas limit: `gasEstimate` plus 20 %. `gasCost` and `netToAmount` are based on it.',
  ),
  gasChargedAtDeadline: units.describe(
    'Like `gasCharged`, if `tx` is mined at its deadline instead of in the next block. Higher if a pool or token has work that is due before the deadline, such as an oracle observation or an update of a rate.',
  ),
  gasCost: z.object({
    native: units.describe('Cost in wei, including `l1Fee`.'),
    usd: z.number().nullable(),
    l1Fee: units.nullable().describe('Wei for publishing the transaction on the parent chain (L1); null if unknown.'),
  }),
  netToAmount: signedUnits.nullable().describe('`toAmount` less the cost of gas, in base units of the output.'),
  optimalityGap: z
    .number()
    .nullable()
    .describe(
      'Before gas: basis points by which the output of this route is below an upper bound on the output of every route that the request allows. The bound includes all pools that the service knows at `simulationBlock`, with all their liquidity, on paths of up to `maxHops` pools, split in any way. For example, 2 means that no such route pays more than `toAmount` / (1 − 0.0002), before fees and taxes. The bound may be higher than the output of any real route, above all with `maxSplits`. Null if no bound is known: with `maxSplits=1`, if pool prices differ so much that the bound includes an arbitrage, and for some pools of several tokens.',
    ),
  optimalityGapNet: z
    .number()
    .nullable()
    .describe(
      'Like `optimalityGap`, after gas: compares output less expected gas with an upper bound on output less gas. Also null if the service had no time to compute it.',
    ),
  poolsPending: z
    .literal(true)
    .optional()
    .describe(
      'Present while pools of some families are still being searched for, or cannot be found at this node (`/ready/{chain_id}` names the families): a better route may be found later.',
    ),
  warnings: z.array(z.string()),
  swaps: z
    .array(swapLeg)
    .min(1)
    .describe(
      'Legs of the route, in execution order. Wrapping a NATIVE input and unwrapping to a NATIVE output are not listed, unless the swap consists only of this.',
    ),
  tx: transaction,
  calls: z
    .array(z.object({ to: hexAddress, data: hexBytes, value: units }))
    .min(1)
    .optional()
    .describe(
      'With `calls=1`: if the allowance does not suffice at `simulationBlock`, an approval of exactly `fromAmount`, with a reset of the allowance before it if the token requires one; then `tx`. Execute all of them, in this order, as one batch: they were simulated as one.',
    ),
})
/** Response body of `/aggregator`. */
export type SwapResponse = z.infer<typeof swapResponse>

export const quoteResponse = swapResponse.omit({ tx: true, calls: true }).extend({
  expiresAtBlock: swapResponse.shape.expiresAtBlock
    .optional()
    .describe(
      "Block from which the quote is outdated: request a new quote once the chain's head has reached it. Absent with `block`, because a past block does not change.",
    ),
  proof: certificate
    .nullable()
    .optional()
    .describe(
      'With `proof=1`: a certificate of an upper bound on the output of every route; null if no bound was found.',
    ),
})
/** Response body of `/quote`. */
export type QuoteResponse = z.infer<typeof quoteResponse>

export const quotesResponse = z.object({
  simulationBlock: z.int().describe('Block of all quotes.'),
  blockHash: z.string().describe('Hash of that block.'),
  quotes: z
    .array(z.union([swapResponse, quoteResponse, z.looseObject({ error: z.string(), code: z.string() })]))
    .describe(
      'Results in the order of the request: each in the format of `/aggregator` or `/quote`, or the error of that quote.',
    ),
})
export type QuotesResponse = z.infer<typeof quotesResponse>

const errorData = z.looseObject({ error: z.string(), code: z.string() })
/** Schema of the data of stream events, by event name. */
export const streamEvents = z.object({
  quote: z
    .union([swapResponse, quoteResponse])
    .optional()
    .describe(
      'The first quote, and each quote that differs from the previous one: in the format of `/aggregator` if `from` is given, otherwise of `/quote`.',
    ),
  block: z
    .object({ simulationBlock: z.int(), blockHash: z.string() })
    .optional()
    .describe('Block at which the last `quote` or `refused` event still holds.'),
  refused: errorData.optional().describe('Reason why there is no quote at this block; the stream continues.'),
  end: errorData.optional().describe('Reason why the stream ends; the last event.'),
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
  success: z.boolean().describe('False if the call would revert; the status is still 200.'),
  amountOut: units.describe('Increase of the balance of `from`, in base units of `tokenOut`.'),
  gasUsed: z.int().describe('Gas of the call to `to`, without intrinsic and calldata gas, before refunds.'),
  returnData: hexBytes.describe('Return data or revert data, cut off at 64 kB.'),
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
      'DEX family of the pool, such as `uniswap-v3`. `redemption` if `pool` is the token itself, which is priced by the assets that it redeems for.',
    ),
  usd: z.number().positive().describe('Price by this pool alone.'),
  weight: z.number().min(0).max(1).describe('Weight of this pool, as a share of the weights of all pools.'),
})
const priceDetail = z
  .object({
    usd: z.number().positive().nullable(),
    block: z.int().describe('Block of the pools from which the price is computed.'),
    timestamp: z.int().describe('Unix time of that block in seconds.'),
    depthUsd: z.number().nonnegative().nullable(),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'd / (d + 10,000) × max(0, 1 − s / 5 %): d is the USD liquidity behind the price, s is the weighted mean of the relative distances between the prices of its pools and the price.',
      ),
    sources: z.array(priceSource).max(3).describe('The pools with the largest weights.'),
    reason: z
      .enum(['unknown', 'no-decimals', 'below-floor', 'no-anchor', 'unsellable', 'pending'])
      .nullable()
      .describe(
        'Reason why there is no price. `unknown`: no pool has the token. `no-decimals`: the decimals are unknown. `below-floor`: less than 300 USD of liquidity. `no-anchor`: no path of pools to a dollar token. `unsellable`: a test sale failed. `pending`: pools are still being searched for.',
      ),
  })
  .describe('Price with its sources, with `detail=1`.')
export type PriceDetailResponse = z.infer<typeof priceDetail>

export const prices = z
  .record(hexAddress, z.union([z.number().positive(), priceDetail]).nullable())
  .describe('USD by token address, as spelled in the request; null for tokens without a known price.')

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
              "Symbol from the chain's file or from the contract, sanitized, at most 20 characters; absent if neither has one.",
            ),
          price: z.number().positive().describe('USD of one whole token, as in `/prices`.'),
          timestamp: z.int().describe('Unix time of the block of the price, in seconds.'),
          confidence: z
            .number()
            .min(0)
            .max(1)
            .describe(
              'd / (d + 10,000) × max(0, 1 − s / 5 %), as in `/prices` with `detail=1`: d is the USD liquidity behind the price, s is the weighted mean of the relative distances between the prices of its pools and the price.',
            ),
        }),
      )
      .describe('Prices by coin, as spelled in the request; a coin without a price is absent.'),
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
  .describe(
    'Depth in USD by token address, as spelled in the request; with `curve=1`, also by percent of price impact.',
  )

const pricePoint = z.object({ block: z.int(), timestamp: z.int(), usd: z.number().positive() })
export const priceHistory = z
  .record(hexAddress, z.array(pricePoint))
  .describe(
    'Prices at past blocks by token address, as spelled in the request, oldest first; empty for tokens without a price.',
  )
export type PriceHistoryResponse = z.infer<typeof priceHistory>

const tax = (taxName: string) => z.number().min(0).max(100).nullable().describe(`Percent ${taxName}; null if unknown.`)
export const tokenReport = z.object({
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
  rebasing: z.boolean().nullable().describe('True if balances are shares of an amount that changes.'),
  needsApprovalReset: z.boolean().nullable().describe('True if an allowance must be reset to 0 before it is changed.'),
  transferTax: tax('that a transfer between accounts other than pools costs'),
  standing: z
    .enum(['named', 'earned', 'stranger'])
    .describe(
      "Trust level: `named` if the chain's file lists the token, `earned` if it has a long record of good behavior, `stranger` otherwise. By default, routes between other tokens do not pass through tokens at level `stranger`.",
    ),
  reason: z.string().describe('Reason of the trust level, as text.'),
  surcharge: z
    .number()
    .min(0)
    .nullable()
    .describe(
      'Percent of the sent amount that the sender of a transfer loses in addition to it. Such a token is not routed. Null if unknown.',
    ),
  asksForCode: z
    .boolean()
    .nullable()
    .describe(
      'True if the code of the token has instructions that read the code of accounts, or calls other contracts that may. Null if unknown.',
    ),
  walletsDiffer: z
    .boolean()
    .describe(
      'True if a swap of the token had different results for accounts with and without code. Its quotes are simulated with the real code of `from`.',
    ),
  pools: z
    .array(
      z.object({
        pool: z.string(),
        protocol: z.string(),
        dex: z.string(),
        buyTax: tax('of the amount that the pool pays out and the buyer does not receive'),
        sellTax: tax('of the amount that the seller sends and the pool does not receive'),
        sellable: z
          .boolean()
          .nullable()
          .describe(
            'False if tokens cannot be sent back to the pool in the transaction that buys them, as those of a honeypot, or of a token with a waiting time.',
          ),
        sizeLimited: z
          .boolean()
          .nullable()
          .describe("True if a thousandth of the pool's reserve is too much for one transfer."),
      }),
    )
    .describe('Measurements in the pools with the largest reserves of the token.'),
})
export type TokenReportResponse = z.infer<typeof tokenReport>
export const tokenReports = z
  .record(hexAddress, tokenReport.nullable())
  .describe('Reports by token address, as spelled in the request; null for tokens that cannot be measured.')

const listTag = z.object({ name: z.string(), description: z.string() })
export const tokenList = z.object({
  name: z.string(),
  timestamp: z.string().describe('Time at which the list was built.'),
  version: z.object({ major: z.int(), minor: z.int(), patch: z.int() }).describe('`patch` is the block of the list.'),
  tags: z.record(z.string(), listTag).describe('Meaning of the tags of tokens.'),
  tokens: z.array(
    z.object({
      chainId: z.int(),
      address: hexAddress.describe('Address with EIP-55 checksum; NATIVE for the native token.'),
      name: z.string().describe('Sanitized name, at most 60 characters.'),
      symbol: z.string().describe('Sanitized symbol, at most 20 characters, without spaces.'),
      decimals: z.int(),
      tags: z
        .array(z.enum(['native', 'registry', 'found', 'unlisted', 'copy']))
        .describe(
          'Source of the token, and `copy` if its symbol equals, or looks like, the symbol of a token of the registry.',
        ),
      extensions: z.object({
        depthUsd: z.number().nullable().describe('USD liquidity in all pools, as in `/liquidity`.'),
        copyOf: hexAddress.optional().describe('For a copy: the token of the registry with that symbol.'),
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
          'How the chain charges for publishing a transaction on its parent chain. `none`: it has no parent chain. `unknown`: `gasCost.l1Fee` is null, and `gasCost` does not include this fee.',
        ),
    }),
  )
  .describe('Supported chains by chain id.')

export const errorBody = z.looseObject({
  error: z.string().describe('Message for people.'),
  code: z
    .string()
    .regex(/^[A-Z_]+$/)
    .describe('Error code for programs.'),
  requestId: z.string(),
  cure: z.string().optional().describe('What to do about the error.'),
  docs: z.string().optional().describe("Path of this service's documentation of the error."),
})
