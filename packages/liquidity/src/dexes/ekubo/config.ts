/** Config words and ids of Ekubo pools. */
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { keccak256 } from 'ethers'
import type { Pool } from '../../family.ts'
import { MAX_TICK, MIN_TICK } from './ratio.ts'
import type { EkuboKey } from './types.ts'

/** Decoded config of a pool. */
export type EkuboConfig = {
  readonly extension: Address
  /** Fee in units of 2⁻⁶⁴. */
  readonly fee: bigint
  readonly kind: EkuboKind
}

/** Pool type: positions with their own ticks, or one range for all positions. */
type EkuboKind =
  | { readonly name: 'concentrated'; readonly tickSpacing: number }
  | { readonly name: 'range'; readonly lower: number; readonly upper: number }

/** Bit of a pool type that marks positions with their own ticks. The other bits are then the tick spacing. */
const CONCENTRATED_FLAG = 0x8000_0000
/** Range centers are multiples of this many ticks. */
const CENTER_STEP = 16

export const keyOf = (pool: Pool<unknown>) => pool.fixed as EkuboKey

/** Decodes a config; null for an invalid pool type. */
export function decodeConfig(config: Hex): EkuboConfig | null {
  const word = BigInt(config)
  const kind = kindOf(Number(word & 0xffff_ffffn))
  if (!kind) return null
  const extension = toAddress(`0x${(word >> 96n).toString(16).padStart(40, '0')}`)
  return { extension, fee: (word >> 32n) & 0xffff_ffff_ffff_ffffn, kind }
}

function kindOf(type: number): EkuboKind | null {
  if (type >= CONCENTRATED_FLAG) {
    const tickSpacing = type - CONCENTRATED_FLAG
    return tickSpacing > 0 ? { name: 'concentrated', tickSpacing } : null
  }
  // The type contains 7 bits of amplification and 24 bits of the center. Both are zero for the full range.
  const halfWidth = Math.floor(MAX_TICK / 2 ** (type >>> 24))
  const center = ((type << 8) >> 8) * CENTER_STEP
  const lower = Math.max(MIN_TICK, center - halfWidth)
  const upper = Math.min(MAX_TICK, center + halfWidth)
  return lower < upper ? { name: 'range', lower, upper } : null
}

/** Returns the config of a pool without an extension. @param type - four bytes of the key */
export const configOf = (fee: bigint, type: number): Hex =>
  `0x${((fee << 32n) | BigInt(type)).toString(16).padStart(64, '0')}`

/** Returns the type of a pool with individual positions. */
export const concentratedType = (tickSpacing: number): number => CONCENTRATED_FLAG + tickSpacing

/** True if an extension takes part in the pool's actions. */
export const isExtended = ({ extension }: EkuboConfig): boolean => extension !== ZERO_ADDRESS

/** Returns the pool id, which is the hash of the key's three words. */
export function poolId([token0, token1]: readonly [Address, Address], { config }: EkuboKey): Hex {
  const words = [token0, token1, config].map((word) => word.slice(2).padStart(64, '0'))
  return keccak256(Buffer.from(words.join(''), 'hex')) as Hex
}
