/** Names of all that the bus keeps in Redis. */
import { STATE_FORMAT } from '@sluice/liquidity'

/** Goes up whenever keys, entries or scripts of the bus change, or the pairs that an owner finds for a want. */
const BUS_FORMAT = 4

/** In every key: a process of another version neither reads nor writes these. */
export const SCHEMA = `v${STATE_FORMAT}.${BUS_FORMAT}`

/** Which versions are in use, with the milliseconds of Unix time when a process last said so. The one key of all versions. */
export const SCHEMAS = 'sluice:schemas'

/** Chains, with the milliseconds of Unix time when a worker last asked for them. */
export const ASKED = `sluice:${SCHEMA}:asked`

export type ChainKeys = {
  /** Random token of the process that may write. */
  readonly lease: string
  /** State that stands now, as `Head` of `head.ts`, and `beat`: when the owner last saw that it is the chain's. */
  readonly head: string
  /** Stream of entries, each linked to the one before. */
  readonly entries: string
  /** Pairs whose pools are in. */
  readonly pairs: string
  /** Stream of what workers want to be found. */
  readonly wants: string
  /** Facts that any worker has measured, and a stream of its news. */
  readonly facts: string
  readonly news: string
  /** Memory that an owner leaves to the next one: where each pool was found, and the rest of a market's memory. */
  readonly known: string
  readonly memory: string
  /** Fields of all pools, of one generation. */
  readonly pools: (generation: string) => string
}

/** All keys of a chain share a hash tag, so that they lie in one slot of a cluster. @param schema - of another version, in tests */
export function keysOf(chainId: number, schema: string = SCHEMA): ChainKeys {
  const key = (name: string) => `sluice:${schema}:{${chainId}}:${name}`
  return {
    lease: key('lease'),
    head: key('head'),
    entries: key('entries'),
    pairs: key('pairs'),
    wants: key('wants'),
    facts: key('facts'),
    news: key('news'),
    known: key('known'),
    memory: key('memory'),
    pools: (generation) => key(`pools:${generation}`),
  }
}
