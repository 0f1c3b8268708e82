/** Builds pools without states from the row of their DEX in the chain's file. */
import type { Address, DexRow } from '@sluice/chains'
import type { Pool } from '../../family.ts'

/** Returns a pool that is a contract. @param fixed - immutable facts; absent: none */
export function contractPool(row: DexRow, address: Address, tokens: readonly Address[], fixed?: object): Pool<null> {
  return { id: address, family: row.family, dex: row.brand, address, tokens, ...(fixed && { fixed }), state: null }
}

/** Returns a pool inside the row's contract. @param fixed - immutable facts; absent: none */
export function singletonPool(row: DexRow, id: string, tokens: readonly Address[], fixed?: object): Pool<null> {
  return { ...contractPool(row, row.address, tokens, fixed), id }
}
