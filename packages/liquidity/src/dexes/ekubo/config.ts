/** Decodes the config word of Ekubo pools of both versions, and computes pool ids. */
import { keccak256 } from '@sluice/bindings/keccak'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '../../family.ts'
import { MAX_TICK, MIN_TICK } from './ratio.ts'
import type { EkuboKey } from './types.ts'

/** Decoded config of a pool. */
export type EkuboConfig = {
  /** Contract that the core calls during actions of the pool, like a Uniswap V4 hook; the zero address for none. */
  readonly extension: Address
  /** Fee in units of 2⁻⁶⁴. */
  readonly fee: bigint
  readonly kind: EkuboKind
}

/**
 * Kind of a pool. `concentrated`: each position has its own ticks. `range`: all positions share one range of ticks,
 * from `lower` to `upper`.
 */
type EkuboKind =
  | { readonly name: 'concentrated'; readonly tickSpacing: number }
  | { readonly name: 'range'; readonly lower: number; readonly upper: number }

/** Bit of the pool type of concentrated pools. The other bits are then the tick spacing. */
const CONCENTRATED_FLAG = 0x8000_0000
/** Unit of the center of a range, in ticks. */
const CENTER_STEP = 16

/** Returns the key of a pool. */
export const keyOf = (pool: Pool<unknown>) => pool.fixed as EkuboKey

/** Major version of the core: the contract that holds all pools. */
export type EkuboVersion = 2 | 3

/** Id of the family of version 2. */
export const V2_ID = 'ekubo-v2'
/** Returns the core version of a family's pools. */
export const versionOf = (family: string): EkuboVersion => (family === V2_ID ? 2 : 3)

/** Largest tick spacing of version 2. */
const MAX_TICK_SPACING = 698_605

/** Decodes the config of a pool. */
export const configOfPool = (pool: Pool<unknown>): EkuboConfig =>
  decodeConfig(keyOf(pool).config, versionOf(pool.family))!

/** Decodes a config word. Returns null if its pool type is invalid. */
export function decodeConfig(config: Hex, version: EkuboVersion = 3): EkuboConfig | null {
  const word = BigInt(config)
  const type = Number(word & 0xffff_ffffn)
  const kind = version === 2 ? kindOfV2(type) : kindOfV3(type)
  if (!kind) return null
  const extension = toAddress(`0x${(word >> 96n).toString(16).padStart(40, '0')}`)
  return { extension, fee: (word >> 32n) & 0xffff_ffff_ffff_ffffn, kind }
}

/**
 * Decodes a pool type of version 2: the tick spacing, or 0 for one range of all ticks. Returns null if it is invalid.
 */
function kindOfV2(tickSpacing: number): EkuboKind | null {
  if (tickSpacing === 0) return { name: 'range', lower: MIN_TICK, upper: MAX_TICK }
  return tickSpacing <= MAX_TICK_SPACING ? { name: 'concentrated', tickSpacing } : null
}

/** Decodes a pool type of version 3. Returns null if it is invalid. */
function kindOfV3(type: number): EkuboKind | null {
  if (type >= CONCENTRATED_FLAG) {
    const tickSpacing = type - CONCENTRATED_FLAG
    return tickSpacing > 0 ? { name: 'concentrated', tickSpacing } : null
  }
  // The type contains 7 bits of amplification and 24 bits for the center of the range. Each unit of amplification
  // halves the range. If both are zero, the range contains all ticks.
  const halfWidth = Math.floor(MAX_TICK / 2 ** (type >>> 24))
  const center = ((type << 8) >> 8) * CENTER_STEP
  const lower = Math.max(MIN_TICK, center - halfWidth)
  const upper = Math.min(MAX_TICK, center + halfWidth)
  return lower < upper ? { name: 'range', lower, upper } : null
}

/** Encodes the config of a pool without an extension. @param fee - in units of 2⁻⁶⁴ @param type - pool type */
export const configOf = (fee: bigint, type: number): Hex =>
  `0x${((fee << 32n) | BigInt(type)).toString(16).padStart(64, '0')}`

/** Returns the pool type of a concentrated pool. */
export const concentratedType = (tickSpacing: number, version: EkuboVersion = 3): number =>
  version === 2 ? tickSpacing : CONCENTRATED_FLAG + tickSpacing

/** True if the pool has an extension. */
export const isExtended = ({ extension }: EkuboConfig): boolean => extension !== ZERO_ADDRESS

/** Returns the pool id: the hash of both tokens and the config. */
export function poolId([token0, token1]: readonly [Address, Address], { config }: EkuboKey): Hex {
  const words = [token0, token1, config].map((word) => word.slice(2).padStart(64, '0'))
  return keccak256(`0x${words.join('')}`)
}
