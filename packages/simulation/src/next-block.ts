/** Computes number and timestamp of the block in which a transaction would be mined. */
import type { BlockHeader } from '@sluice/rpc'

/** Block number and timestamp that a simulated transaction sees. They differ from the block whose state it uses. */
export type BlockEnvironment = {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
}

/**
 * Returns the first block that could include a transaction sent now. Its timestamp is at least one second later, even
 * if the chain has several blocks per second.
 */
export function nextBlock({ number, timestamp }: BlockHeader, intervalMs: number): BlockEnvironment {
  return { number: number + 1, timestamp: timestamp + Math.max(1, Math.round(intervalMs / 1_000)) }
}

/**
 * Returns the block expected at a timestamp in Unix seconds, at the chain's block interval; at the earliest the next
 * block.
 */
export function blockAt(header: BlockHeader, timestamp: number, intervalMs: number): BlockEnvironment {
  const next = nextBlock(header, intervalMs)
  const elapsedBlocks = Math.floor(((timestamp - header.timestamp) * 1_000) / intervalMs)
  return timestamp <= next.timestamp ? next : { number: header.number + Math.max(1, elapsedBlocks), timestamp }
}
