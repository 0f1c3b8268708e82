/**
 * Reads the logs of a block. A node can announce a block before it has indexed its logs; the block's bloom filter
 * reveals missing logs.
 */
import { keccak256 } from '@sluice/bindings/keccak'
import type { Hex } from '@sluice/chains'
import { type BlockHeader, type Log, type Rpc, RpcError } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import { sleep } from './timing.ts'

/**
 * Pauses in milliseconds before the retries of an empty response. After the last retry the empty response is accepted,
 * since bloom filters have false positives.
 */
const PAUSES_MS = [10, 40, 160] as const

/**
 * Minimum blocks between two reads of all pools that replace refused logs. Otherwise a node that refuses the logs of
 * every block would cause a read of all pools at every block.
 */
const MIN_BLOCKS_BETWEEN_REFUSALS = 16
/** Number of blocks after which the logs of a block that the node "does not have yet" count as refused. */
const MAX_BLOCKS_WITHOUT_LOGS = 4

export type BlockLogsRequest = {
  /** Consecutive blocks, oldest first. */
  readonly blocks: readonly BlockHeader[]
  /** Values of topic0. */
  readonly topics: readonly Hex[]
  readonly signal: AbortSignal
  /** True if the node has reported the last block twice, so that it was probably not reorged away. */
  readonly isConfirmedHead: boolean
  /** Called with each block without logs whose bloom filter matches. */
  readonly onDoubt: (block: BlockHeader) => void
}

/** Reads the logs of blocks. Some nodes lose the logs of a block for good, for example in a crash, but have its state. */
export class BlockLogs {
  /** Number of the newest block at which all pools were read because of a refusal. */
  private lastRereadBlock = Number.NEGATIVE_INFINITY

  /**
   * Returns the logs of each block.
   *
   * @returns 'refused' if the node will not return the logs, so that all pools should be read instead
   * @throws RpcError; MarketError `REORGED`
   */
  async read(
    rpc: Rpc,
    { blocks, topics, signal, isConfirmedHead, onDoubt }: BlockLogsRequest,
  ): Promise<readonly (readonly Log[])[] | 'refused'> {
    try {
      return await Promise.all(blocks.map((block) => logsOf(rpc, block, topics, signal, () => onDoubt(block))))
    } catch (error) {
      if (!(error instanceof RpcError) || (error.mayDependOnBlock && !isConfirmedHead)) throw error
      const isOverdue = error.code === 'LAGGING' && blocks.length > MAX_BLOCKS_WITHOUT_LOGS
      const head = blocks.at(-1)!.number
      if (!(error.isRefusal || error.code === 'PRUNED' || isOverdue)) throw error
      if (head - this.lastRereadBlock < MIN_BLOCKS_BETWEEN_REFUSALS) throw error
      return 'refused'
    }
  }

  /** Records that all pools were read at a block because of a refusal. */
  recordReread(head: number): void {
    this.lastRereadBlock = head
  }
}

/**
 * Returns the logs of a block with one of the topics as topic0.
 *
 * @param onDoubt - called if the node returns no logs although the bloom filter matches
 * @throws RpcError; MarketError `REORGED`
 */
export async function logsOf(
  rpc: Rpc,
  { hash, logsBloom }: BlockHeader,
  topics: readonly Hex[],
  signal: AbortSignal,
  onDoubt: () => void = () => {},
): Promise<readonly Log[]> {
  for (let attempt = 0; ; attempt++) {
    const logs = await rpc.getLogs({ blockHash: hash, topics: [topics] }, { signal })
    if (logs.length > 0 || !logsBloom || !topics.some((topic) => mayContain(logsBloom, topic))) return logs
    const pause = PAUSES_MS[attempt]
    if (pause === undefined) {
      onDoubt()
      return logs
    }
    // Some nodes also return no logs for a block that was reorged away.
    if ((await rpc.getBlock({ blockHash: hash }, { signal })) === null)
      throw new MarketError('REORGED', `block ${hash} is gone`)
    await sleep(pause)
  }
}

/** Cached bloom bits by topic. The size is bounded by the number of topics of all families. */
const bitsByTopic = new Map<Hex, readonly number[]>()

/** True if a 2,048-bit bloom filter contains the three bits of a topic. @see Ethereum yellow paper, 4.4.3 */
export function mayContain(bloom: Hex, topic: Hex): boolean {
  let bits = bitsByTopic.get(topic)
  if (!bits) {
    const hash = Buffer.from(keccak256(topic).slice(2), 'hex')
    bits = [0, 2, 4].map((offset) => hash.readUInt16BE(offset) % 2048)
    bitsByTopic.set(topic, bits)
  }
  // Bit 0 is the lowest bit of the last hex digit; each digit holds four bits.
  return bits.every((bit) => (Number.parseInt(bloom[bloom.length - 1 - (bit >> 2)]!, 16) >> (bit & 3)) & 1)
}
