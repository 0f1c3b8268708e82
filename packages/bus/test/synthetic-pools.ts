/** Synthetic pools of several families, with numbers as long as real ones, and synthetic blocks. */
import { type Hex, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'

const M64 = (1n << 64n) - 1n

/** Returns a number with the given bits, which depends only on its seed. */
function numberOf(seed: number, bits: number): bigint {
  let x = (BigInt(seed) * 0x9e3779b97f4a7c15n + 0x1234567n) & M64
  let result = 0n
  for (let i = 0; i < bits; i += 64) {
    x ^= x >> 30n
    x = (x * 0xbf58476d1ce4e5b9n) & M64
    x ^= x >> 27n
    x = (x * 0x94d049bb133111ebn) & M64
    x ^= x >> 31n
    result = (result << 64n) | x
  }
  return (result & ((1n << BigInt(bits)) - 1n)) | (1n << BigInt(bits - 1))
}

const addressOf = (n: number) =>
  toAddress(
    `0x${numberOf(n + 1, 160)
      .toString(16)
      .padStart(40, '0')}`,
  )

/** Families of pools: of twenty, one is Solidly, one Curve, four Uniswap V3, and the rest V2. */
const FAMILIES = ['solidly', 'curve-stable', 'uniswap-v3', 'uniswap-v3', 'uniswap-v3', 'uniswap-v3']
const UNIT = 10n ** 18n
const TICKS = 40

export const familyOf = (n: number) => FAMILIES[n % 20] ?? 'uniswap-v2'

/**
 * Creates a pool in a given version.
 *
 * @param ticksOf - version in which its ticks changed last
 * @param before - previous version, whose ticks are reused if they are the same
 */
export function syntheticPool(
  n: number,
  version: number,
  ticksOf = version,
  before?: Pool & { ticksOf?: number },
): Pool {
  const id = addressOf(n)
  const family = familyOf(n)
  const seed = n * 100_003 + version * 7
  const tokens = [addressOf(1_000_000_000 + (n % 7)), addressOf(2_000_000_000 + n)]
  return {
    ...{ id, family, dex: `Brand of ${family}`, address: id, tokens },
    ...(family === 'curve-stable' && { fixed: { coins: 2 } }),
    state: stateOf(family, seed, () => ticks(n, ticksOf, before)),
  }
}

function stateOf(family: string, seed: number, ticks: () => unknown): unknown {
  switch (family) {
    case 'solidly':
      return { ...reserves(seed), unit0: UNIT, unit1: UNIT, stable: true, feePpm: 400 }
    case 'curve-stable':
      return {
        balances: [numberOf(seed, 84), numberOf(seed + 1, 84)],
        rates: [UNIT, UNIT],
        amplification: { a: 20_000n, precision: 100n },
        feeE10: 4_000_000n,
        rounding: 'each',
      }
    case 'uniswap-v3':
      return {
        sqrtPriceX96: numberOf(seed, 92),
        tick: (seed % 4_000) - 2_000,
        liquidity: numberOf(seed + 1, 72),
        feePpm: 3_000,
        tickSpacing: 60,
        ticks: ticks(),
      }
    default:
      return { ...reserves(seed), feePpm: 3_000 }
  }
}

const reserves = (seed: number) => ({ reserve0: numberOf(seed, 84), reserve1: numberOf(seed + 1, 84) })

/** Creates ticks. Their number varies; few ticks are stored in the state itself instead of in fields of their own. */
function ticks(n: number, ticksOf: number, before: (Pool & { ticksOf?: number }) | undefined): unknown {
  if (before && before.ticksOf === ticksOf) return (before.state as { ticks: unknown }).ticks
  const count = ticksOf % 5 === 4 ? 4 : TICKS
  return Array.from({ length: count }, (_, k) => {
    const liquidity = numberOf(n * 4_001 + ticksOf * TICKS + k, 56 + ((k * 7) % 24))
    return [60 * ((k - 20) * 7 + (n % 5)), k < 20 ? liquidity : -liquidity, liquidity]
  })
}

export const hashOf = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`

export function blockOf(number: number, timestamp = 1_700_000_000 + number): BlockHeader {
  return {
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp,
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n,
    miner: addressOf(7),
  }
}
