/** What each endpoint answers. Fields beyond the interface are additive. */
import { z } from 'zod'

const hexAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const hexBytes = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
const units = z.string().regex(/^[0-9]+$/)
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
export type SwapLeg = z.infer<typeof swapLeg>

export const transaction = z.object({
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
  gasEstimate: units.describe('Gas of the whole transaction before refunds. Set the gas limit 20 % higher.'),
  simulationBlock: z.int().describe('Block at which `tx` was simulated.'),
  blockHash: z.string().describe('Hash of that block.'),
  priceImpact: z.number().nullable().describe('Percent against the mid price of the same route.'),
  gasCost: z.object({
    native: units.describe('Wei, `l1Fee` included.'),
    usd: z.number().nullable(),
    l1Fee: units.nullable().describe('Wei for publishing on the chain below; null where it is not known.'),
  }),
  netToAmount: signedUnits.nullable().describe('`toAmount` less the gas, in base units of the output.'),
  optimalityGap: z.number().nullable().describe('Basis points between this route and the upper bound.'),
  warnings: z.array(z.string()),
  swaps: z
    .array(swapLeg)
    .min(1)
    .describe(
      'Pools used, in execution order. What is wrapped or unwrapped at an end that is NATIVE is no leg, unless it is all there is to do.',
    ),
  tx: transaction,
})
export type SwapResponse = z.infer<typeof swapResponse>

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
export type SimulationResponse = z.infer<typeof simulation>

export const prices = z
  .record(hexAddress, z.number().positive().nullable())
  .describe('USD by token address as sent; null where the token is not recognised.')

const impacts = z.object({ '0.5': z.number(), '1': z.number(), '2': z.number(), '5': z.number(), '10': z.number() })
export const liquidity = z
  .record(hexAddress, z.union([z.number().nonnegative(), impacts]).nullable())
  .describe('Depth in USD by token address as sent; with `curve=1`, by percent of price impact.')

const tax = (what: string) => z.number().min(0).max(100).nullable().describe(`Percent ${what}; null where not known.`)
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
})
