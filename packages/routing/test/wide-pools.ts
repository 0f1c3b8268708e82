/** Pools of three tokens, of each kind of trading function. */
import { type CurveStableState, familyOf, type Pool } from '@sluice/liquidity'
import { address, E18, token } from './graphs.ts'

const E10 = 10n ** 10n

function poolOf(family: string, tokens: readonly number[], state: unknown): Pool {
  const id = address(1)
  return { id, address: id, family, dex: 'test', tokens: tokens.map(token), state }
}

export function stable(tokens: readonly number[], balances: readonly bigint[]): Pool {
  const state: CurveStableState = {
    balances,
    rates: tokens.map(() => E18),
    amplification: { a: 200n * BigInt(tokens.length), precision: 1n },
    feeE10: 4_000_000n,
    adminFeeE10: E10 / 2n,
    offpegMultiplierE10: 0n,
    rounding: 'each',
    feeOrder: 'base',
    margin: 1n,
  }
  return poolOf('curve-stable', tokens, state)
}

function weighted(tokens: readonly number[], balances: readonly bigint[]): Pool {
  const weights = [E18 / 2n, E18 / 4n, E18 / 4n]
  const scaling = tokens.map(() => E18)
  const swapFee = (E18 * 3n) / 1000n
  return poolOf('balancer-v2', tokens, { kind: 'weighted', balances, scaling, swapFee, weights, exactPowers: true })
}

/** A pool with a balance-dependent fee, out of balance because of a swap. */
function crypto(tokens: readonly number[], [before, , swapped]: readonly bigint[]): Pool {
  const balances = [before!, before!, before!]
  const pool = poolOf('curve-crypto', tokens, {
    kind: 'tri-ng',
    balances,
    precisions: tokens.map(() => 1n),
    priceScale: [E18, E18],
    a: 2_700_000n,
    gamma: 10n ** 15n,
    rangeByGamma: false,
    invariant: 3n * before!,
    ramping: false,
    midFeeE10: 3_000_000n,
    outFeeE10: 30_000_000n,
    feeGamma: 5n * 10n ** 14n,
    virtualPrice: 1n,
    totalSupply: E18,
    profit: 1n,
    allowedExtraProfit: 10n ** 60n,
    settled: true,
  })
  return quote(pool, tokens[0]!, tokens[1]!, swapped! / 20n)[1]
}

export const kinds = { stable, weighted, crypto } as const

export function quote(pool: Pool, from: number, to: number, amount: bigint): readonly [bigint, Pool] {
  if (amount === 0n) return [0n, pool]
  const { amountOut, state } = familyOf(pool.family)!.quoteExactInput(pool, token(from), token(to), amount)
  return [amountOut, { ...pool, state }]
}
