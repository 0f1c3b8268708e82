/**
 * Fills oracle entries of pools that are missing in the recorded state. On the chain, no entry with an index below the
 * cardinality of the oracle is zero: an entry without a price has the timestamp 1 (`Oracle.grow` of Uniswap/v3-core d8b1c635). In the recorded state, entries that
 * were not read are empty. So a trade that writes such an entry would pay for a new slot, unlike on the chain.
 */
import type { Address, Hex } from '@sluice/chains'
import type { World } from '@sluice/liquidity/testing'

// Selectors of `slot0()` and `observations(uint256)`.
const SLOT0 = '0x3850c7bd'
const OBSERVATIONS = '0x252c09d7'
/** Maximum number of storage slots before the first entry. Uniswap's own pools have 8, forks a few more. */
const MAX_FIRST_SLOT = 24
const TIME_MASK = 0xffff_ffffn
const WORD_DIGITS = 64
const INITIALIZED_ENTRY: Hex = `0x${'1'.padStart(WORD_DIGITS, '0')}`

/**
 * Fills the entry that the next trade of each pool writes, if it is empty.
 *
 * @returns the number of filled entries
 */
export async function fillObservations(world: World): Promise<number> {
  let filledCount = 0
  for (const pool of new Set(world.pools().map(({ address }) => address))) {
    const slot0Words = await callResults(world, pool, SLOT0)
    const [index, cardinality] = [slot0Words[2], slot0Words[3]]
    if (index === undefined || !cardinality || cardinality > 65_535n) continue
    const [time] = await callResults(world, pool, `${OBSERVATIONS}${hex(index)}`)
    if (!time) continue
    const start = await firstSlotOf(world, pool, { index, time })
    const next = start === null ? null : start + ((index + 1n) % cardinality)
    if (next === null || (await storageAt(world, pool, next)) !== 0n) continue
    await world.request('anvil_setStorageAt', [pool, `0x${hex(next)}`, INITIALIZED_ENTRY])
    filledCount++
  }
  return filledCount
}

/**
 * Returns the storage slot of the first entry; null if it is not found. Searches for the slot of the current entry,
 * whose index and timestamp are known.
 */
async function firstSlotOf(
  world: World,
  pool: Address,
  { index, time }: { readonly index: bigint; readonly time: bigint },
) {
  for (let start = 0n; start < MAX_FIRST_SLOT; start++) {
    const word = await storageAt(world, pool, start + index)
    if ((word & TIME_MASK) === time && word >> 248n === 1n) return start
  }
  return null
}

/** Returns the words of a call's result; empty if the call reverts. */
async function callResults(world: World, to: Address, data: string): Promise<readonly bigint[]> {
  try {
    const answer = await world.request<Hex>('eth_call', [{ to, data }, 'latest'])
    const words = answer.slice(2).match(new RegExp(`.{${WORD_DIGITS}}`, 'g')) ?? []
    return words.map((word) => BigInt(`0x${word}`))
  } catch {
    return []
  }
}

async function storageAt(world: World, pool: Address, slot: bigint): Promise<bigint> {
  return BigInt(await world.request<Hex>('eth_getStorageAt', [pool, `0x${hex(slot)}`, 'latest']))
}

const hex = (value: bigint) => value.toString(16).padStart(WORD_DIGITS, '0')
