/** Reasons why no quote uses a pool that swapped. */
import { type Chain, type DexRow, toAddress } from '@sluice/chains'
import { families, familyOf, type Pool, rowsOf, runReads, servedRows } from '@sluice/liquidity'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { EXCLUDED, REASONS } from '../lib/dex-reasons.ts'
import { readFactory } from './reads.ts'
import type { Swap } from './swaps.ts'

export type Reason = {
  /**
   * In these texts, a row is an entry of the chain's file: one deployment of a DEX. `family`: no family serves the
   * pool's row. `rule`: the row is served, but this kind of pool is excluded. `not found`: the row is served, but its
   * factory does not return the pool. `unread`: the row is served, but the recorded state lacks a part of the pool's
   * storage. `not in file`: the chain's file lacks the pool's factory. `unknown`: the pool has no `factory()`.
   */
  readonly code: 'family' | 'rule' | 'not found' | 'unread' | 'not in file' | 'unknown'
  readonly text: string
}

/** Kinds of DEXes that no family serves and whose pools have no `factory()`, with the reasons. */
const KINDS_WITHOUT_FAMILY: Readonly<Record<string, string>> = {
  Velocore: 'its vault swaps by a call that the Executor does not make, and was drained in June 2024',
  Saddle: 'the file of the chain has no row of the pool, and no factory lists such pools',
}

type Context = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly block: BlockHeader
  /** The pool, if it is in memory. */
  readonly pool: Pool | undefined
  /** Row of the chain's file to which the pool was assigned, if there is one. */
  readonly row: DexRow | undefined
}

/** Returns the reason for a pool that no quote uses. @throws RpcError if the node fails */
export async function reasonOf(swap: Swap, { chain, rpc, block, pool, row }: Context): Promise<Reason> {
  if (pool) return { code: 'rule', text: `${pool.family} (${pool.dex}): it refuses every amount` }
  if (row) return exclusionReason(row)
  const isContractOf = ({ address, contracts }: DexRow) =>
    [address, ...Object.values(contracts ?? {})].some((rowAddress) => toAddress(rowAddress) === swap.contract)
  const factory = await readFactory(rpc, swap.contract)
  const rows = chain.dexes.filter((dex) => isContractOf(dex) || toAddress(dex.address) === factory)
  const servedDexRows = servedRows({ ...chain, dexes: rows }, new Map(families.map((family) => [family.id, family])))
  const [firstRow] = rows
  const missingFamilyReason = KINDS_WITHOUT_FAMILY[swap.kind]
  if (!firstRow && !factory && missingFamilyReason)
    return { code: 'family', text: `${swap.kind}: ${missingFamilyReason}` }
  if (!firstRow && !factory) return { code: 'unknown', text: `${swap.kind}: names no factory` }
  if (!firstRow) return { code: 'not in file', text: `${swap.kind}: factory ${factory} is not in the chain's file` }
  if (!rows.some((row) => families.some((family) => rowsOf(family, row).length > 0)))
    return {
      code: 'family',
      text: `${firstRow.family} (${firstRow.brand}): ${REASONS[firstRow.family] ?? 'not written yet'}`,
    }
  const { tokens } = swap
  const searches = tokens
    ? servedDexRows.flatMap((servedRow) => familyOf(servedRow.family)!.findPools?.(servedRow, [tokens]) ?? [])
    : []
  const namedPools = (await runReads(rpc, { blockHash: block.hash }, searches)).flat()
  if (namedPools.some((namedPool) => namedPool.id === swap.pool || namedPool.address === swap.pool))
    return exclusionReason(firstRow)
  return { code: 'not found', text: `${firstRow.family} (${firstRow.brand}): ${firstRow.address} does not name it` }
}

/** Returns the reason for a pool whose DEX is served, if the recorded state lacks a part of the pool. */
export function unreadReason({ family, brand }: DexRow): Reason {
  return { code: 'unread', text: `${family} (${brand}): the recorded state lacks a part of the pool` }
}

function exclusionReason({ family, brand }: DexRow): Reason {
  return { code: 'rule', text: `${family} (${brand}): ${EXCLUDED[family]?.pools ?? 'its state cannot be read'}` }
}
