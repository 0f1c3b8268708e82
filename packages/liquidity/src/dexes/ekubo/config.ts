import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { keccak256 } from 'ethers'
import type { Pool } from '../../family.ts'
import { MAX_TICK, MIN_TICK } from './ratio.ts'
import type { EkuboKey } from './types.ts'

/** The parts of a pool's config. */
export type EkuboConfig = {
  readonly extension: Address
  /** In parts of 2⁶⁴. */
  readonly fee: bigint
  readonly kind: EkuboKind
}

/** Positions of their own between ticks, or one range for all of them. */
type EkuboKind =
  | { readonly name: 'concentrated'; readonly tickSpacing: number }
  | { readonly name: 'range'; readonly lower: number; readonly upper: number }

const CONCENTRATED = 0x8000_0000
/** Centres are told in so many ticks. */
const CENTRE_STEP = 16

export const keyOf = (pool: Pool<unknown>) => pool.fixed as EkuboKey

/** @returns null for a type that no pool can have */
export function decodeConfig(config: Hex): EkuboConfig | null {
  const word = BigInt(config)
  const kind = kindOf(Number(word & 0xffff_ffffn))
  if (!kind) return null
  const extension = toAddress(`0x${(word >> 96n).toString(16).padStart(40, '0')}`)
  return { extension, fee: (word >> 32n) & 0xffff_ffff_ffff_ffffn, kind }
}

function kindOf(type: number): EkuboKind | null {
  if (type >= CONCENTRATED) {
    const tickSpacing = type - CONCENTRATED
    return tickSpacing > 0 ? { name: 'concentrated', tickSpacing } : null
  }
  // Amplification 7 bits, centre 24: all zero for the full range.
  const reach = Math.floor(MAX_TICK / 2 ** (type >>> 24))
  const centre = ((type << 8) >> 8) * CENTRE_STEP
  const lower = Math.max(MIN_TICK, centre - reach)
  const upper = Math.min(MAX_TICK, centre + reach)
  return lower < upper ? { name: 'range', lower, upper } : null
}

/** Config of a pool without an extension. @param type - as in the key, four bytes */
export const configOf = (fee: bigint, type: number): Hex =>
  `0x${((fee << 32n) | BigInt(type)).toString(16).padStart(64, '0')}`

/** Type of a pool with positions of their own. */
export const concentratedType = (tickSpacing: number): number => CONCENTRATED + tickSpacing

/** True where code beside the core's takes part in whatever the pool does. */
export const isExtended = ({ extension }: EkuboConfig): boolean => extension !== ZERO_ADDRESS

/** Hash of the key's three words. */
export function poolId([token0, token1]: readonly [Address, Address], { config }: EkuboKey): Hex {
  const words = [token0, token1, config].map((word) => word.slice(2).padStart(64, '0'))
  return keccak256(Buffer.from(words.join(''), 'hex')) as Hex
}
