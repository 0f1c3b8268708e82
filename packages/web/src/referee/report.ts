/** Parses a response of `/referee`: the verdict on a mined transaction. Drops fields that lack the expected form. */
import type { SwapLeg } from '@sluice/client'
import { isAddress } from '../format/hex.ts'
import { isJsonObject, type JsonObject, objectsOf, textOf } from '../format/untrusted-json.ts'
import type { ComparedState } from './params.ts'

/** Kinds of transactions that the service distinguishes. Only a `swap` is judged. */
const OUTCOMES = ['unknown', 'pending', 'reverted', 'nothing', 'transfer', 'wrap', 'several', 'swap'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Comparison of a mined trade with the best route at one state of the chain. */
export type Comparison = {
  readonly state: ComparedState
  /** Output of the best route in simulation, in base units. */
  readonly bestAmountOut: bigint
  /** Upper bound on the output of all routes over the known pools; null if unknown. */
  readonly boundAmountOut: bigint | null
  /** Basis points by which the trade paid less than the best route, before gas; negative if it paid more. */
  readonly leftBps: number | null
  /** Like `leftBps`, but compared with `boundAmountOut`. A better route cannot raise `leftBps` above this value. */
  readonly maxLeftBps: number | null
  /** Like `leftBps`, net of gas. */
  readonly leftNetBps: number | null
  readonly legs: readonly SwapLeg[]
  /** True while the service still searches for pools, so that the best route may improve. */
  readonly isPending: boolean
}

export type Fee = { readonly account: string; readonly token: string; readonly amount: bigint }

export type Trade = {
  readonly trader: string
  readonly recipient: string
  readonly src: string
  readonly dst: string
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** Output of the trade in a simulation at the end of the previous block; null if unknown. */
  readonly amountOutAtParent: bigint | null
  readonly fees: readonly Fee[]
  readonly comparisons: readonly Comparison[]
}

export type Sandwich = {
  readonly pool: string
  readonly frontHash: string
  readonly backHash: string
  readonly attacker: string
  readonly token: string
  /** Base units of `token` that the attacker gained. */
  readonly gain: bigint
}

/** A fact that the service could not find out, which limits the verdict. */
export type Gap = { readonly code: string; readonly message: string }

/** A parsed response of `/referee`. */
export type RefereeReport = {
  readonly outcome: Outcome
  readonly reason: string
  readonly block: number | null
  /** Index of the transaction in its block. */
  readonly index: number | null
  readonly trades: readonly Trade[]
  readonly sandwich: Sandwich | null
  readonly gaps: readonly Gap[]
}

/** Limit of the absolute value of basis points. Larger values are no meaningful comparison. */
const MAX_BPS = 1e9

/**
 * Parses a response.
 *
 * @throws Error if the outcome is unknown to this page
 */
export function parseReport(answer: JsonObject): RefereeReport {
  const outcome = OUTCOMES.find((candidate) => candidate === answer.outcome)
  if (!outcome) throw new Error('the service answered with an unknown outcome')
  return {
    outcome,
    reason: textOf(answer.reason),
    block: countOf(answer.block),
    index: countOf(answer.index),
    trades: objectsOf(answer.trades).flatMap(tradeOf),
    sandwich: isJsonObject(answer.sandwich) ? sandwichOf(answer.sandwich) : null,
    gaps: objectsOf(answer.gaps).flatMap((gap): readonly Gap[] => {
      const [code, message] = [textOf(gap.code), textOf(gap.message)]
      return message ? [{ code, message }] : []
    }),
  }
}

function tradeOf(trade: JsonObject): readonly Trade[] {
  const [amountIn, amountOut] = [amountOf(trade.fromAmount), amountOf(trade.toAmount)]
  const [trader, recipient, src, dst] = [trade.trader, trade.recipient, trade.src, trade.dst].map(addressOf)
  if (amountIn === null || amountOut === null || !trader || !recipient || !src || !dst) return []
  return [
    {
      ...{ trader, recipient, src, dst, amountIn, amountOut },
      amountOutAtParent: amountOf(trade.toAmountAtParent),
      fees: objectsOf(trade.fees).flatMap((fee): readonly Fee[] => {
        const [account, token, amount] = [addressOf(fee.account), addressOf(fee.token), amountOf(fee.amount)]
        return account && token && amount !== null ? [{ account, token, amount }] : []
      }),
      comparisons: objectsOf(trade.comparisons).flatMap(comparisonOf),
    },
  ]
}

function comparisonOf(comparison: JsonObject): readonly Comparison[] {
  const [best = null, bound = null] = [comparison.toAmount, comparison.bound].map(amountOf)
  if (best === null || (comparison.state !== 'position' && comparison.state !== 'parent')) return []
  return [
    {
      ...{
        state: comparison.state,
        bestAmountOut: best,
        boundAmountOut: bound !== null && bound >= best ? bound : null,
      },
      leftBps: bpsOf(comparison.leftBps),
      maxLeftBps: bpsOf(comparison.leftAtMostBps),
      leftNetBps: bpsOf(comparison.leftNetBps),
      legs: objectsOf(comparison.swaps).flatMap(legOf),
      isPending: comparison.poolsPending === true,
    },
  ]
}

function legOf(leg: JsonObject): readonly SwapLeg[] {
  const [tokenIn, tokenOut] = [addressOf(leg.tokenIn), addressOf(leg.tokenOut)]
  const [amountIn, amountOut, gas] = [leg.amountIn, leg.amountOut, leg.gas].map(amountOf)
  const share = typeof leg.share === 'number' && leg.share >= 0 && leg.share <= 100 ? leg.share : undefined
  if (!tokenIn || !tokenOut || amountIn === null || amountOut === null || gas === null || share === undefined) return []
  return [
    {
      ...{ pool: textOf(leg.pool), protocol: textOf(leg.protocol), dex: textOf(leg.dex), tokenIn, tokenOut, share },
      ...{ amountIn: String(amountIn), amountOut: String(amountOut), gas: String(gas) },
    },
  ]
}

function sandwichOf({ pool, front, back, by, token, gain }: JsonObject): Sandwich | null {
  const [poolAddress, attacker, tokenAddress, gainAmount] = [
    addressOf(pool),
    addressOf(by),
    addressOf(token),
    amountOf(gain),
  ]
  const [frontHash, backHash] = [front, back].map((transaction) =>
    isJsonObject(transaction) ? textOf(transaction.hash) : '',
  )
  if (!poolAddress || !attacker || !tokenAddress || gainAmount === null || !frontHash || !backHash) return null
  return {
    pool: poolAddress,
    frontHash,
    backHash,
    attacker,
    token: tokenAddress,
    gain: gainAmount,
  }
}

const addressOf = (value: unknown): string | null => (isAddress(value) ? value : null)
const amountOf = (value: unknown): bigint | null =>
  typeof value === 'string' && /^-?\d{1,78}$/.test(value) ? BigInt(value) : null
const bpsOf = (value: unknown): number | null => (typeof value === 'number' && Math.abs(value) < MAX_BPS ? value : null)
const countOf = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null
