/** Response schema of `/referee` and `npm run referee`: the verdict on a mined swap. */
import type { Chain } from '@sluice/chains'
import { GAP_CODES, type JudgedTrade, REASON_CODES, type SwapVerdict, type TradeComparison } from '@sluice/quoting'
import { z } from 'zod'
import { hexAddress, swapLeg, units } from './responses.ts'
import { swapsOf } from './swap/response.ts'

const signedUnits = z.string().regex(/^-?[0-9]+$/)
const bps = z.number().nullable()

const comparison = z.object({
  state: z
    .enum(['position', 'parent'])
    .describe('`position`: behind the transactions before it in its block. `parent`: at the end of the block before.'),
  toAmount: units.describe('Output that the simulation of the best route paid at that state.'),
  netToAmount: signedUnits.nullable().describe('The same less its gas, at the gas price of the transaction.'),
  quoteId: z.string(),
  pools: z.array(z.string()).describe('Pools of that route.'),
  swaps: z.array(swapLeg).describe('Legs of that route, as in an answer of `/quote`.'),
  bound: units
    .nullable()
    .describe('No route of the pools that the service knows pays more; null if no bound is known.'),
  leftBps: bps.describe('Basis points of `toAmount` by which the output was below it; negative if it was above.'),
  leftAtMostBps: bps.describe('The same of `bound`.'),
  leftNetBps: bps.describe('The same of `netToAmount` and the output less the gas that was paid.'),
  poolsPending: z
    .literal(true)
    .optional()
    .describe('Pools are still being searched for: a better route may be found later.'),
})

const trade = z.object({
  trader: hexAddress,
  recipient: hexAddress.describe('Account that the output went to.'),
  src: hexAddress,
  dst: hexAddress,
  fromAmount: units.describe('Total that left the trader, including fees of others.'),
  toAmount: units.describe('Total that reached the recipient.'),
  netToAmount: signedUnits
    .nullable()
    .describe('`toAmount` less the gas; null if that is not known, or somebody else paid it.'),
  toAmountAtParent: units
    .nullable()
    .describe(
      'Output of the same transaction at the end of the block before; null if it fails there or cannot be run.',
    ),
  fees: z
    .array(z.object({ account: hexAddress, token: hexAddress, amount: units }))
    .describe('Accounts that received some of either token and gave nothing.'),
  comparisons: z.array(comparison).max(2).describe('The state in its position first, if it is known.'),
})

const transactionPosition = z.object({ hash: z.string(), index: z.int() })

export const refereeResponse = z.object({
  hash: z.string(),
  outcome: z
    .enum(['unknown', 'pending', 'reverted', 'nothing', 'transfer', 'wrap', 'several', 'swap'])
    .describe(
      '`swap`: it is judged. `several`: more than one token went in or came out. `wrap`, `transfer`, `nothing`: no swap. `unknown`: the node does not know the transaction.',
    ),
  reason: z.string().nullable().describe('Why there is nothing to judge, in plain words.'),
  reasonCode: z.enum(REASON_CODES).nullable().describe('The same for programs.'),
  block: z.int().nullable(),
  blockHash: z.string().nullable(),
  index: z.int().nullable().describe('Place in its block, from 0.'),
  from: hexAddress.nullable(),
  to: hexAddress.nullable(),
  gasUsed: units.nullable(),
  gasPrice: units.nullable().describe('Wei per gas that was paid.'),
  gasCost: units.nullable().describe('Wei, including the fee for data on the layer 1 if the receipt reports it.'),
  trades: z.array(trade),
  sandwich: z
    .object({
      pool: hexAddress,
      front: transactionPosition,
      back: transactionPosition,
      by: hexAddress.describe('Sender of both, or contract that both call.'),
      token: hexAddress,
      gain: signedUnits.describe(
        'Base units of `token` that the pool gave `back` more than it took of `front`, for the part that was both bought and sold.',
      ),
    })
    .nullable()
    .describe('Transactions around it that trade in the same pool, in the same direction before it and back after it.'),
  gaps: z
    .array(z.object({ code: z.enum(GAP_CODES), message: z.string() }))
    .describe('Facts that could not be read: a code for programs, and plain words.'),
  unknown: z.array(z.string()).describe('The words of `gaps`.'),
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
