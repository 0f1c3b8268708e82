/** Finds the blocks between the newest block in memory and the node's head, across reorgs. */
import type { Hex } from '@sluice/chains'
import { type BlockHeader, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { HISTORY_BLOCKS, type History, type HistoryEntry } from './history.ts'

/** Path from a known block to the node's head. */
export type Branch = { readonly from: HistoryEntry; readonly blocks: readonly BlockHeader[] }

/**
 * Finds the last common block of the history and the node's chain, and the headers from there up to `head`, oldest
 * first. Returns null if the fork is below the history, or if the head is too far above the history to follow block by
 * block. Returns `'broken'` if the node lacks a block in between, for example because the head was reorged away.
 *
 * @throws RpcError; code `BAD_ANSWER` if the node answers with another block than the requested one
 */
export async function findBranch(
  rpc: Rpc,
  history: History,
  head: BlockHeader,
  options: RequestOptions,
): Promise<Branch | 'broken' | null> {
  const gap = head.number - history.top.block.number
  if (gap > HISTORY_BLOCKS) return null
  // Usually the head is a few blocks above the history: request the blocks in between concurrently.
  const numbers = Array.from({ length: Math.max(0, gap - 1) }, (_, i) => history.top.block.number + 1 + i)
  const newBlocks = await Promise.all(numbers.map((number) => rpc.getBlock(number, options)))
  const headers = new Map<Hex, BlockHeader>()
  for (const header of newBlocks) if (header) headers.set(header.hash, header)

  const blocks: BlockHeader[] = []
  for (let header: BlockHeader | null = head; header; ) {
    const from = history.find(header.hash)
    if (from) return { from, blocks: blocks.reverse() }
    if (header.number <= history.oldest.block.number) return null
    blocks.push(header)
    const parentHash: Hex = header.parentHash
    const number: number = header.number
    const knownParent: BlockHeader | undefined = history.find(parentHash)?.block ?? headers.get(parentHash)
    header = knownParent ?? (await rpc.getBlock({ blockHash: parentHash }, options))
    // If the node returned blocks that are not parents, this loop might not end.
    if (header && (header.hash !== parentHash || header.number !== number - 1))
      throw new RpcError('BAD_ANSWER', `the node answered with another block than the parent of block ${number}`)
  }
  return 'broken'
}
