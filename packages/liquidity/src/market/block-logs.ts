/**
 * Reads the logs of a block. A node can announce a block before it has indexed its logs; the block's bloom filter
 * reveals missing logs.
 */
import type { Hex } from '@sluice/chains'
import type { BlockHeader, Log, Rpc } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { MarketError } from '../errors.ts'
import { sleep } from './timing.ts'

/**
 * Pauses in milliseconds before the retries of an empty response. After the last retry the empty response is accepted,
 * since bloom filters have false positives.
 */
const PAUSES_MS = [10, 40, 160] as const

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
