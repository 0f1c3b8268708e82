/**
 * Entries of pools' oracles that the chain surely has and a recorded state does not. A pool with a cardinality has
 * written something into each entry below it, the time 1 at least (`Oracle.grow` of Uniswap/v3-core d8b1c635); what nobody read when
 * the state was recorded is empty here, and the next trade would pay for a new slot, which no trade on the chain does.
 */
import type { Address, Hex } from '@sluice/chains'
import type { World } from '@sluice/liquidity/testing'

const SLOT0 = '0x3850c7bd'
const OBSERVATIONS = '0x252c09d7'
/** Storage slots among which the entries begin: 8 in Uniswap's own pools, a few more in forks. */
const MOST_BEFORE = 24
const TIME_MASK = 0xffff_ffffn
const WORD_DIGITS = 64
const GROWN: Hex = `0x${'1'.padStart(WORD_DIGITS, '0')}`

/** Fills the entry that the next trade of each pool writes, where it is empty. Returns how many were. */
export async function fillObservations(world: World): Promise<number> {
  let filled = 0
  for (const pool of new Set(world.pools().map(({ address }) => address))) {
    const head = await asked(world, pool, SLOT0)
    const [index, cardinality] = [head[2], head[3]]
    if (index === undefined || !cardinality || cardinality > 65_535n) continue
    const [time] = await asked(world, pool, `${OBSERVATIONS}${hex(index)}`)
    if (!time) continue
    const start = await startOf(world, pool, { index, time })
    const next = start === null ? null : start + ((index + 1n) % cardinality)
    if (next === null || (await stored(world, pool, next)) !== 0n) continue
    await world.request('anvil_setStorageAt', [pool, `0x${hex(next)}`, GROWN])
    filled++
  }
  return filled
}

/** Slot of the first entry: that from which the current one stands at its index. */
async function startOf(
  world: World,
  pool: Address,
  { index, time }: { readonly index: bigint; readonly time: bigint },
) {
  for (let start = 0n; start < MOST_BEFORE; start++) {
    const word = await stored(world, pool, start + index)
    if ((word & TIME_MASK) === time && word >> 248n === 1n) return start
  }
  return null
}

/** The words of an answer; none where the call reverts. */
async function asked(world: World, to: Address, data: string): Promise<readonly bigint[]> {
  try {
    const answer = await world.request<Hex>('eth_call', [{ to, data }, 'latest'])
    const words = answer.slice(2).match(new RegExp(`.{${WORD_DIGITS}}`, 'g')) ?? []
    return words.map((word) => BigInt(`0x${word}`))
  } catch {
    return []
  }
}

async function stored(world: World, pool: Address, slot: bigint): Promise<bigint> {
  return BigInt(await world.request<Hex>('eth_getStorageAt', [pool, `0x${hex(slot)}`, 'latest']))
}

const hex = (value: bigint) => value.toString(16).padStart(WORD_DIGITS, '0')
