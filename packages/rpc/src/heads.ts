/** The heads that endpoints tell: which are believed, and what they say of one another. */
import type { Hex } from '@sluice/chains'
import { LRUCache } from 'lru-cache'
import type { Send } from './calls.ts'
import { decodeBlock, type RawBlock } from './encode.ts'
import { RpcError } from './errors.ts'
import { BlockHabit } from './habit.ts'
import type { BlockHeader } from './types.ts'
import type { Upstream } from './upstream.ts'

/** Blocks that an endpoint may be behind another one before it is passed over, and that a head may leap without proof. */
const MAX_LAG = 5
const MAX_KNOWN = 512

export class Heads {
  readonly habit = new BlockHabit()
  newest: BlockHeader | undefined
  private readonly upstreams: readonly Upstream[]
  private readonly numbers = new LRUCache<Hex, number>({ max: MAX_KNOWN })

  constructor(upstreams: readonly Upstream[]) {
    this.upstreams = upstreams
  }

  /** Number of a block whose header was read lately. */
  numberOf(hash: Hex): number | undefined {
    return this.numbers.get(hash)
  }

  know(header: BlockHeader): BlockHeader {
    this.numbers.set(header.hash, header.number)
    return header
  }

  /**
   * Head that an endpoint names.
   *
   * @throws RpcError `LAGGING` when another endpoint is further, `BAD_ANSWER` for a head that cannot be
   */
  async accept(upstream: Upstream, raw: RawBlock, send: Send): Promise<BlockHeader> {
    const header = this.read(raw)
    const best = Math.max(
      -1,
      ...this.upstreams.filter((other) => other !== upstream && !other.ejected).map(({ head }) => head),
    )
    if (best - header.number > MAX_LAG) {
      upstream.sawHead(header.number)
      upstream.eject()
      throw new RpcError('LAGGING', `an RPC endpoint is at block ${header.number}, another one at ${best}`)
    }
    if (header !== this.newest && this.needsProof(header)) await this.prove(upstream, header, send)
    upstream.sawHead(header.number)
    if (header !== this.newest) this.know(header)
    this.newest = header
    this.habit.see(header)
    return header
  }

  /** Most heads are told again and again until the next one comes. */
  private read(raw: RawBlock): BlockHeader {
    const { newest } = this
    return newest && raw.hash?.toLowerCase() === newest.hash && Number(raw.number) === newest.number
      ? newest
      : readBlock(raw)
  }

  /** A head that leaps, or that does not follow from the one before. */
  private needsProof({ number, hash, parentHash }: BlockHeader): boolean {
    const { newest } = this
    if (!newest || this.numbers.has(hash)) return false
    return number > newest.number + MAX_LAG || (number <= newest.number + 1 && !this.numbers.has(parentHash))
  }

  /** Whoever has a block has its parent. */
  private async prove(upstream: Upstream, { number, parentHash }: BlockHeader, send: Send): Promise<void> {
    if (number === 0) return
    const parent = await upstream.endpoint.request<RawBlock | null>('eth_getBlockByHash', [parentHash, false], send)
    if (!parent || Number(parent.number) !== number - 1)
      throw new RpcError('BAD_ANSWER', `the node tells a head at block ${number} without a parent`)
  }
}

/** @throws RpcError `BAD_ANSWER` when it is no block */
export function readBlock(raw: RawBlock): BlockHeader {
  const header = readable(() => decodeBlock(raw))
  if (
    !Number.isSafeInteger(header.number) ||
    !Number.isSafeInteger(header.timestamp) ||
    !/^0x[0-9a-f]{64}$/i.test(header.hash)
  )
    throw new RpcError('BAD_ANSWER', 'the node answered with something that is no block')
  return header
}

/** @throws RpcError when a node answers with something else than the method's result */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new RpcError('BAD_ANSWER', 'the node answered with something that cannot be read', '0x', { cause })
  }
}
