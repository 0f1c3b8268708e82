/**
 * The logs of a block. A node may tell of a block before it has filed its logs: the block's own bloom filter shows it.
 */
import type { Hex } from '@sluice/chains'
import type { BlockHeader, Log, Rpc } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { MarketError } from '../errors.ts'
import { sleep } from './timing.ts'

/** Pauses before an empty answer is asked for again; after the last one it is believed for now, since filters may be wrong. */
const PAUSES_MS = [10, 40, 160] as const

/**
 * The block's logs with one of the topics at the head.
 *
 * @param onDoubt - called where there are none although the filter says that there may be
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
    if (logs.length > 0 || !logsBloom || !topics.some((topic) => mayHold(logsBloom, topic))) return logs
    const pause = PAUSES_MS[attempt]
    if (pause === undefined) {
      onDoubt()
      return logs
    }
    // Some nodes answer alike for a block that is gone.
    if ((await rpc.getBlock({ blockHash: hash }, { signal })) === null)
      throw new MarketError('REORGED', `block ${hash} is gone`)
    await sleep(pause)
  }
}

/** Places of a topic in the filter: as many topics as all families have. */
const bitsOf = new Map<Hex, readonly number[]>()

/** True where a bloom filter of 2,048 bits has the three of a topic. @see Ethereum yellow paper, 4.4.3 */
export function mayHold(bloom: Hex, topic: Hex): boolean {
  let bits = bitsOf.get(topic)
  if (!bits) {
    const hash = Buffer.from(keccak256(topic).slice(2), 'hex')
    bits = [0, 2, 4].map((at) => hash.readUInt16BE(at) % 2048)
    bitsOf.set(topic, bits)
  }
  // The lowest bit stands at the end; a hexadecimal digit holds four.
  return bits.every((bit) => (Number.parseInt(bloom[bloom.length - 1 - (bit >> 2)]!, 16) >> (bit & 3)) & 1)
}
