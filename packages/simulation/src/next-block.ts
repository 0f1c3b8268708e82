import type { BlockHeader } from '@sluice/rpc'

/** Environment that a simulated transaction runs in, in place of that of the block whose state it sees. */
export type BlockEnvironment = {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** The first block that a transaction sent now can be mined in. Its timestamp is later, also on chains with blocks below a second. */
export function nextBlock({ number, timestamp }: BlockHeader, intervalMs: number): BlockEnvironment {
  return { number: number + 1, timestamp: timestamp + Math.max(1, Math.round(intervalMs / 1_000)) }
}

/** The block that is mined at a time, at the chain's usual pace. */
export function blockAt(header: BlockHeader, timestamp: number, intervalMs: number): BlockEnvironment {
  const next = nextBlock(header, intervalMs)
  const blocks = Math.floor(((timestamp - header.timestamp) * 1_000) / intervalMs)
  return timestamp <= next.timestamp ? next : { number: header.number + Math.max(1, blocks), timestamp }
}
