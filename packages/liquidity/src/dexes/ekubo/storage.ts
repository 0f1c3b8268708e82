/** Reads storage slots of the core through its `sload()` function, and decodes the state word of a pool. */
import type { Address, Hex } from '@sluice/chains'
import type { Read } from '../../family.ts'
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

/** Splits the result of `sload` into words. */
export const wordsOf = (answer: Hex): readonly bigint[] =>
  Array.from({ length: Math.floor((answer.length - 2) / 64) }, (_, i) =>
    BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`),
  )

/**
 * Decodes the state word of a pool: 96 bits of the packed ratio, 32 bits of the tick, and 128 bits of liquidity.
 *
 * @returns null if the pool does not exist
 */
export function decodeStateWord(word: bigint): Omit<EkuboState, 'ticks'> | null {
  if (word === 0n) return null
  return {
    sqrtRatio: unpackRatio(word >> 160n),
    tick: Number(BigInt.asIntN(32, word >> 128n)),
    liquidity: BigInt.asUintN(128, word),
  }
}
