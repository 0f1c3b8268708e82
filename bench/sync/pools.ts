/**
 * Generates synthetic pools in the mix of a large chain: 70 % V2 pairs, 20 % V3 pools of 40 ticks, 5 % stable pairs,
 * and 5 % Curve pools.
 */
import { toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { toBeHex } from 'ethers'

/** Returns a synthetic address, different for each number. */
export const addressOf = (n: number) => toAddress(toBeHex((BigInt(n) * 0x9e3779b97f4a7c15n) % (1n << 160n), 20))

const TICKS = 40
const ONE_TOKEN = 10n ** 18n

export function syntheticPools(count: number): Pool[] {
  return Array.from({ length: count }, (_, n) => {
    const { family, state } = familyAndStateOf(n)
    const address = addressOf(n + 1)
    const tokens = [addressOf(count + (n % 7)), addressOf(2 * count + n)]
    return { id: address, family, dex: `Made up ${family}`, address, tokens, state }
  })
}

function familyAndStateOf(n: number): Pick<Pool, 'family' | 'state'> {
  const [reserve0, reserve1] = [100n * ONE_TOKEN + BigInt(n), 90n * ONE_TOKEN - BigInt(n)]
  switch (n % 20) {
    case 0:
      return {
        family: 'solidly',
        state: { reserve0, reserve1, unit0: ONE_TOKEN, unit1: ONE_TOKEN, stable: true, feePpm: 400 },
      }
    case 1:
      return {
        family: 'curve-stable',
        state: {
          balances: [reserve0, reserve1],
          rates: [ONE_TOKEN, ONE_TOKEN],
          amplification: { a: 20_000n, precision: 100n },
          ...{ feeE10: 4_000_000n, adminFeeE10: 5_000_000_000n, offpegMultiplierE10: 0n, margin: 1n },
          ...{ rounding: 'each', feeOrder: 'scaled' },
        },
      }
    case 2:
    case 3:
    case 4:
    case 5:
      return {
        family: 'uniswap-v3',
        state: {
          ...{ sqrtPriceX96: (1n << 96n) + BigInt(n), tick: 0, liquidity: reserve0, feePpm: 3000, tickSpacing: 60 },
          ticks: Array.from({ length: TICKS }, (_, k) => [
            60 * (k - TICKS / 2),
            k < TICKS / 2 ? 5n * ONE_TOKEN + BigInt(n) : -5n * ONE_TOKEN - BigInt(n),
            5n * ONE_TOKEN + BigInt(n),
          ]),
        },
      }
    default:
      return { family: 'uniswap-v2', state: { reserve0, reserve1, feePpm: 3000 } }
  }
}
