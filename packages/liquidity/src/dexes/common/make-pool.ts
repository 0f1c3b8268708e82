/** Builds pools of a row, without their states. */
import type { Address, DexRow } from '@sluice/chains'
import type { Pool } from '../../family.ts'

/** Returns a pool with a contract of its own. @param fixed - immutable facts; absent: none */
export function contractPool(row: DexRow, address: Address, tokens: readonly Address[], fixed?: object): Pool<null> {
  return { id: address, family: row.family, dex: row.brand, address, tokens, ...(fixed && { fixed }), state: null }
}

/** Returns a pool that the row's contract holds. @param fixed - immutable facts; absent: none */
export function singletonPool(row: DexRow, id: string, tokens: readonly Address[], fixed?: object): Pool<null> {
  return { ...contractPool(row, row.address, tokens, fixed), id }
}
