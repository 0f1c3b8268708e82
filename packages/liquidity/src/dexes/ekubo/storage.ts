/** Reads storage slots of the core through its `sload()` function, and decodes the state word of a pool. */
import { keccak256 } from '@sluice/bindings/keccak'
import type { Address, Hex } from '@sluice/chains'
import type { Read } from '../../family.ts'
import type { EkuboVersion } from './config.ts'
import { unpackRatio } from './ratio.ts'
import type { EkuboState } from './types.ts'

/** Selector of `sload()`, whose calldata is a list of slots. */
const SLOAD_SELECTOR = '0x380eb4e0'
/** Estimated gas of a call without its slots. */
const CALL_GAS = 30_000
/** Estimated gas to read one slot. */
const WORD_GAS = 2_600

/** Returns the read of storage slots. @param slots - hex strings of 32 bytes */
export const sloadRead = (to: Address, slots: readonly string[]): Read => ({
  to,
  data: `${SLOAD_SELECTOR}${slots.map((slot) => slot.slice(2)).join('')}` as Hex,
  gas: CALL_GAS + WORD_GAS * slots.length,
})

/**
 * Maximum slots per read in version 2. In `sload()` of this version, the fifth and later words of the result overwrite
 * the function's own variables. Unless these words are zero, the call then runs out of gas.
 */
const V2_SLOTS_PER_READ = 4

/** Returns the maximum number of slots per read. @param max - maximum in version 3 */
export const slotsPerRead = (version: EkuboVersion, max: number): number => (version === 2 ? V2_SLOTS_PER_READ : max)

/** Splits the result of `sload` into words. */
export const wordsOf = (answer: Hex): readonly bigint[] =>
  Array.from({ length: Math.floor((answer.length - 2) / 64) }, (_, i) =>
    BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`),
  )

/** Slot of the mapping of pool states in version 2, as 64 hex digits. */
const V2_STATES = '2'.padStart(64, '0')

/** Returns the slot of a pool's state word: the pool's id in version 3, and an entry of a mapping in version 2. */
export const stateSlotOf = (poolId: string, version: EkuboVersion): string =>
  version === 2 ? keccak256(`0x${poolId.slice(2)}${V2_STATES}`) : poolId

/**
 * Decodes the state word of a pool. It has three fields: the packed ratio (96 bits), the tick (32 bits), and the
 * liquidity (128 bits). The first field is in the high bits in version 3, and in the low bits in version 2.
 *
 * @returns null if the pool does not exist
 */
export function decodeStateWord(word: bigint, version: EkuboVersion): Omit<EkuboState, 'ticks'> | null {
  if (word === 0n) return null
  return version === 2
    ? {
        sqrtRatio: unpackRatio(BigInt.asUintN(96, word)),
        tick: Number(BigInt.asIntN(32, word >> 96n)),
        liquidity: word >> 128n,
      }
    : {
        sqrtRatio: unpackRatio(word >> 160n),
        tick: Number(BigInt.asIntN(32, word >> 128n)),
        liquidity: BigInt.asUintN(128, word),
      }
}
