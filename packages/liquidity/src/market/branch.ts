import type { Hex } from '@sluice/chains'
import type { BlockHeader, RequestOptions, Rpc } from '@sluice/rpc'
import { type Entry, HISTORY_BLOCKS, type History } from './history.ts'

/** The way from a block that is known to the node's head. */
export type Branch = { readonly from: Entry; readonly blocks: readonly BlockHeader[] }

/**
 * The block at which the node's chain leaves the history, and the headers from there up to `head`, oldest first. Null when
 * they part below the history, or when the head is too far above it to follow block by block; `broken` when the node lacks a
 * block between them, as it does when the head itself is gone by now.
 *
 * @throws RpcError
 */
export async function findBranch(
  rpc: Rpc,
  history: History,
  head: BlockHeader,
  options: RequestOptions,
): Promise<Branch | 'broken' | null> {
  const gap = head.number - history.top.block.number
  if (gap > HISTORY_BLOCKS) return null
  // The usual way: a few blocks on top of ours, asked for at once.
  const numbers = Array.from({ length: Math.max(0, gap - 1) }, (_, i) => history.top.block.number + 1 + i)
  const ahead = await Promise.all(numbers.map((number) => rpc.getBlock(number, options)))
  const known = new Map<Hex, BlockHeader>()
  for (const header of ahead) if (header) known.set(header.hash, header)

  const blocks: BlockHeader[] = []
  for (let header: BlockHeader | null = head; header; ) {
    const from = history.find(header.hash)
    if (from) return { from, blocks: blocks.reverse() }
    if (header.number <= history.oldest.block.number) return null
    blocks.push(header)
    const parent: Hex = header.parentHash
    header = history.find(parent)?.block ?? known.get(parent) ?? (await rpc.getBlock({ blockHash: parent }, options))
  }
  return 'broken'
}
