/** Response schema of `/referee` and `npm run referee`: the verdict on a mined swap. */
import type { Chain } from '@sluice/chains'
import { GAP_CODES, type JudgedTrade, REASON_CODES, type SwapVerdict, type TradeComparison } from '@sluice/quoting'
import { z } from 'zod'
import { hexAddress, signedUnits, swapLeg, units } from './responses.ts'
import { swapsOf } from './swap/response.ts'

const bps = z.number().nullable()

const comparison = z.object({
  state: z
    .enum(['position', 'parent'])
    .describe(
      'State of the comparison. `position`: after the earlier transactions of the same block. `parent`: at the end of the previous block.',
    ),
  toAmount: units.describe('Output of the best route in a simulation at that state.'),
  netToAmount: signedUnits
    .nullable()
    .describe('`toAmount` less the cost of gas, at the gas price of the mined transaction.'),
  quoteId: z.string(),
  pools: z.array(z.string()).describe('Pools of that route.'),
  swaps: z.array(swapLeg).describe('Legs of that route, as in a response of `/quote`.'),
  bound: units
    .nullable()
    .describe('Upper bound on the output of all routes through pools that the service knows; null if unknown.'),
  leftBps: bps.describe(
    'Basis points of `toAmount` by which the output of the mined trade is below it; negative if it is above.',
  ),
  leftAtMostBps: bps.describe('Like `leftBps`, compared with `bound` instead of `toAmount`.'),
  leftNetBps: bps.describe('Like `leftBps`, after gas: compares `netToAmount` of the route and of the trade.'),
  poolsPending: z
    .literal(true)
    .optional()
    .describe('Pools are still being searched for: a better route may be found later.'),
})

const trade = z.object({
  trader: hexAddress,
  recipient: hexAddress.describe('Account that received the output.'),
  src: hexAddress,
  dst: hexAddress,
  fromAmount: units.describe('Total that left the trader, including fees that other accounts took.'),
  toAmount: units.describe('Total that reached the recipient.'),
  netToAmount: signedUnits
    .nullable()
    .describe('`toAmount` less the cost of gas; null if that is unknown, or if another account paid the gas.'),
  toAmountAtParent: units
    .nullable()
    .describe(
      'Output of the same transaction at the end of the previous block; null if it fails there or cannot be simulated.',
    ),
  fees: z
    .array(z.object({ account: hexAddress, token: hexAddress, amount: units }))
    .describe('Probable fees: amounts of the two tokens that were received by accounts that gave nothing.'),
  comparisons: z
    .array(comparison)
    .max(2)
    .describe('Comparisons with the best route; the one at the position in the block comes first, if it is known.'),
})

const transactionPosition = z.object({ hash: z.string(), index: z.int() })

export const refereeResponse = z.object({
  hash: z.string(),
  outcome: z
    .enum(['unknown', 'pending', 'reverted', 'nothing', 'transfer', 'wrap', 'several', 'swap'])
    .describe(
      '`swap`: the transaction is judged. `several`: it has more than one input or output token. `wrap`, `transfer`, `nothing`: it is not a swap. `unknown`: the node does not know it.',
    ),
  reason: z.string().nullable().describe('Reason why there is no swap to judge, as text.'),
  reasonCode: z.enum(REASON_CODES).nullable().describe('Reason why there is no swap to judge, for programs.'),
  block: z.int().nullable(),
  blockHash: z.string().nullable(),
  index: z.int().nullable().describe('Index of the transaction in its block, from 0.'),
  from: hexAddress.nullable(),
  to: hexAddress.nullable(),
  gasUsed: units.nullable(),
  gasPrice: units.nullable().describe('Wei per gas that was paid.'),
  gasCost: units.nullable().describe('Cost in wei, including the L1 data fee if the receipt reports it.'),
  trades: z.array(trade),
  sandwich: z
    .object({
      pool: hexAddress,
      front: transactionPosition,
      back: transactionPosition,
      by: hexAddress.describe('Common sender of both transactions, or contract that both call.'),
      token: hexAddress,
      gain: signedUnits.describe(
        'Profit in base units of `token`: what the pool paid to `back` less what it took from `front`, for the amount that was bought and sold again.',
      ),
    })
    .nullable()
    .describe(
      'Sandwich: a transaction before the swap that trades in its pool in the same direction, and one after it that trades back; null if none was seen.',
    ),
  gaps: z
    .array(z.object({ code: z.enum(GAP_CODES), message: z.string() }))
    .describe('Facts that could not be read: a code for programs and a message for people.'),
  unknown: z.array(z.string()).describe('The messages in `gaps`.'),
})
/** Response body of `/referee`. */
export type RefereeResponse = z.infer<typeof refereeResponse>

/** Converts a verdict to the response body. @param chain - chain of the transaction */
export function verdictResponse({ mined, trades, sandwich, ...verdict }: SwapVerdict, chain: Chain): RefereeResponse {
  return {
    hash: verdict.hash,
    outcome: verdict.outcome,
    reason: verdict.reason?.message ?? null,
    reasonCode: verdict.reason?.code ?? null,
    block: mined?.block ?? null,
    blockHash: mined?.blockHash ?? null,
    index: mined?.index ?? null,
    from: mined?.from ?? null,
    to: mined?.to ?? null,
    gasUsed: mined?.gasUsed.toString() ?? null,
    gasPrice: mined?.gasPriceWei.toString() ?? null,
    gasCost: mined?.costWei.toString() ?? null,
    trades: trades.map((trade) => tradeBody(trade, chain)),
    sandwich: sandwich && { ...sandwich, gain: sandwich.gain.toString() },
    gaps: verdict.gaps.map(({ code, message }) => ({ code, message })),
    unknown: verdict.gaps.map(({ message }) => message),
  }
}

function tradeBody(
  { trader, recipient, tokenIn, tokenOut, ...trade }: JudgedTrade,
  chain: Chain,
): RefereeResponse['trades'][number] {
  return {
    ...{ trader, recipient, src: tokenIn, dst: tokenOut },
    fromAmount: trade.amountIn.toString(),
    toAmount: trade.amountOut.toString(),
    netToAmount: trade.netAmountOut?.toString() ?? null,
    toAmountAtParent: trade.paidAtParent?.toString() ?? null,
    fees: trade.fees.map(({ amount, ...fee }) => ({ ...fee, amount: amount.toString() })),
    comparisons: trade.comparisons.map((comparison) => comparisonBody(comparison, chain)),
  }
}

function comparisonBody({ state, best, bound, leftBps, leftAtMostBps, leftNetBps }: TradeComparison, chain: Chain) {
  return {
    state,
    toAmount: best.amountOut.toString(),
    netToAmount: best.netAmountOut?.toString() ?? null,
    quoteId: best.id,
    pools: [...best.pools],
    swaps: swapsOf(best.route, chain),
    bound: bound?.toString() ?? null,
    ...{ leftBps, leftAtMostBps, leftNetBps },
    ...(best.poolsPending && { poolsPending: true as const }),
  }
}
