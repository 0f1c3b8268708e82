/** Parses a response of `/referee`. Drops fields that do not have the expected form. */
import type { SwapLeg } from '@sluice/client'
import { isAddress } from '../format/hex.ts'
import { legible } from '../format/legible.ts'
import type { State } from './params.ts'

export type Outcome = 'unknown' | 'pending' | 'reverted' | 'nothing' | 'transfer' | 'wrap' | 'several' | 'swap'

export type Comparison = {
  readonly state: State
  /** Output of the best route in simulation, in base units. */
  readonly bestAmountOut: bigint
  /** Upper bound on the output of all routes over the known pools; null if unknown. */
  readonly boundAmountOut: bigint | null
  readonly leftBps: number | null
  readonly maxLeftBps: number | null
  readonly leftNetBps: number | null
  readonly legs: readonly SwapLeg[]
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
  readonly netAmountOut: bigint | null
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
  readonly gain: bigint
}

/** A fact that the service could not read. */
export type Gap = { readonly code: string; readonly message: string }

/** A parsed response of `/referee`. */
export type RefereeReport = {
  readonly outcome: Outcome
  readonly reason: string
  readonly block: number | null
  readonly index: number | null
  readonly trades: readonly Trade[]
  readonly sandwich: Sandwich | null
  readonly gaps: readonly Gap[]
}

const OUTCOMES: readonly string[] = [
  ...['unknown', 'pending', 'reverted', 'nothing', 'transfer', 'wrap', 'several', 'swap'],
]
/** Maximum rows of a list. The service sends no more. */
const MAX_ROWS = 100
/** Basis points above which a number is no meaningful comparison. */
const MAX_BPS = 1e9

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Parses a response.
 *
 * @throws Error if the outcome is unknown to this page
 */
export function parseReport(answer: JsonObject): RefereeReport {
  const { outcome } = answer
  if (!OUTCOMES.includes(String(outcome))) throw new Error('the service answered with an unknown outcome')
  return {
    outcome: outcome as Outcome,
    reason: text(answer.reason),
    block: count(answer.block),
    index: count(answer.index),
    trades: list(answer.trades).flatMap(tradeOf),
    sandwich: isJsonObject(answer.sandwich) ? sandwichOf(answer.sandwich) : null,
    gaps: list(answer.gaps).flatMap((gap): readonly Gap[] => {
      const [code, message] = [text(gap.code), text(gap.message)]
      return message ? [{ code, message }] : []
    }),
  }
}

function tradeOf(trade: JsonObject): readonly Trade[] {
  const [amountIn, amountOut] = [units(trade.fromAmount), units(trade.toAmount)]
  const [trader, recipient, src, dst] = [trade.trader, trade.recipient, trade.src, trade.dst].map(address)
  if (amountIn === null || amountOut === null || !trader || !recipient || !src || !dst) return []
  return [
    {
      ...{ trader, recipient, src, dst, amountIn, amountOut },
      netAmountOut: units(trade.netToAmount),
      amountOutAtParent: units(trade.toAmountAtParent),
      fees: list(trade.fees).flatMap((fee): readonly Fee[] => {
        const [account, token, amount] = [address(fee.account), address(fee.token), units(fee.amount)]
        return account && token && amount !== null ? [{ account, token, amount }] : []
      }),
      comparisons: list(trade.comparisons).flatMap(comparisonOf),
    },
  ]
}

function comparisonOf(comparison: JsonObject): readonly Comparison[] {
  const [best = null, bound = null] = [comparison.toAmount, comparison.bound].map(units)
  if (best === null || (comparison.state !== 'position' && comparison.state !== 'parent')) return []
  return [
    {
      ...{
        state: comparison.state,
        bestAmountOut: best,
        boundAmountOut: bound !== null && bound >= best ? bound : null,
      },
      leftBps: bps(comparison.leftBps),
      maxLeftBps: bps(comparison.leftAtMostBps),
      leftNetBps: bps(comparison.leftNetBps),
      legs: list(comparison.swaps).flatMap(legOf),
      isPending: comparison.poolsPending === true,
    },
  ]
}

function legOf(leg: JsonObject): readonly SwapLeg[] {
  const [tokenIn, tokenOut] = [address(leg.tokenIn), address(leg.tokenOut)]
  const [amountIn, amountOut, gas] = [leg.amountIn, leg.amountOut, leg.gas].map(units)
  const share = typeof leg.share === 'number' && leg.share >= 0 && leg.share <= 100 ? leg.share : undefined
  if (!tokenIn || !tokenOut || amountIn === null || amountOut === null || gas === null || share === undefined) return []
  return [
    {
      ...{ pool: text(leg.pool), protocol: text(leg.protocol), dex: text(leg.dex), tokenIn, tokenOut, share },
      ...{ amountIn: String(amountIn), amountOut: String(amountOut), gas: String(gas) },
    },
  ]
}

function sandwichOf({ pool, front, back, by, token, gain }: JsonObject): Sandwich | null {
  const [inPool, sandwicher, tokenAddress, gainAmount] = [address(pool), address(by), address(token), units(gain)]
  const [frontHash, backHash] = [front, back].map((transaction) =>
    isJsonObject(transaction) ? text(transaction.hash) : '',
  )
  if (!inPool || !sandwicher || !tokenAddress || gainAmount === null || !frontHash || !backHash) return null
  return {
    pool: inPool,
    frontHash,
    backHash,
    attacker: sandwicher,
    token: tokenAddress,
    gain: gainAmount,
  }
}

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null
const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject).slice(0, MAX_ROWS) : []
const text = (value: unknown): string => (typeof value === 'string' ? legible(value) : '')
const address = (value: unknown): string | null => (isAddress(value) ? value : null)
const units = (value: unknown): bigint | null =>
  typeof value === 'string' && /^-?\d{1,78}$/.test(value) ? BigInt(value) : null
const bps = (value: unknown): number | null => (typeof value === 'number' && Math.abs(value) < MAX_BPS ? value : null)
const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null
