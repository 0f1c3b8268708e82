/** Checks in the code of the bus against faults (guards), for `npm run bench -- bus guards`. */
import { join } from 'node:path'
import { root } from '../../scripts/lib/run.ts'

/** Replacement of the text `from` by `to` in a source file. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string }
/** A check against faults, with the edits that remove the check from the code. */
export type Guard = {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Faults that the guard prevents. */
  readonly faults: readonly string[]
}

const edit = (file: string, from: string, to = ''): Edit => ({ file: join(root, 'packages/bus/src', file), from, to })

// Checks in the Redis scripts. The writer must hold the lease. Its previous write must be the last one, by its tag. The
// numbers of fields and of pairs must be right.
const LEASE_CHECK = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'LOST'} end"
const TAG_CHECK = "if head[1] ~= ARGV[3] then return {'CHANGED'} end"
const FIELD_COUNT_CHECK = "if redis.call('HLEN', KEYS[3]) ~= tonumber(head[3]) then return {'DAMAGED'} end"
const PAIR_COUNT_CHECK = "if redis.call('SCARD', KEYS[5]) ~= tonumber(head[4]) then return {'DAMAGED'} end"

export const guards: readonly Guard[] = [
  {
    name: 'entries written during a scan are applied before the state is used',
    edits: [edit('join.ts', 'if (!(await replay(connection, keys, head.id, endHead.id, fields, pairs))) return null')],
    faults: ['a worker is killed', 'pools are evicted'],
  },
  {
    name: 'the number of fields is counted',
    edits: [
      edit('join.ts', 'if (fields.count !== endHead.fieldCount) return null'),
      edit('join.ts', ' || state.fieldCount + nextPools.fieldCountChange !== blockFields.fieldCount'),
      edit('scripts.ts', FIELD_COUNT_CHECK),
    ],
    faults: ['pools are evicted', 'a worker is killed'],
  },
  {
    name: 'the number of pairs is counted',
    edits: [edit('scripts.ts', PAIR_COUNT_CHECK)],
    faults: ['Redis runs out of memory and evicts keys', 'the owner leaves'],
  },
  {
    name: 'a write holds the lease and follows the last write',
    edits: [edit('scripts.ts', LEASE_CHECK), edit('scripts.ts', TAG_CHECK)],
    faults: ['the owner is held with a write in its hands'],
  },
  {
    name: 'a write holds the lease',
    edits: [edit('scripts.ts', LEASE_CHECK)],
    faults: ['the owner is held with a write in its hands'],
  },
  {
    name: 'a write follows the last write',
    edits: [edit('scripts.ts', TAG_CHECK)],
    faults: ['the owner is held with a write in its hands'],
  },
  {
    name: 'an entry follows the one that was applied before',
    edits: [
      edit('join.ts', 'if (texts.prev !== state.id) return null'),
      edit('join.ts', 'if (prev !== lastId) return false'),
    ],
    faults: ['a worker stands still', 'all entries are trimmed', "a worker's network is cut"],
  },
  {
    name: 'the head is read when no entry arrives',
    edits: [edit('follower.ts', 'if (!(await this.isInSync(connection)))', 'if (false)')],
    faults: ['the clock goes back a minute'],
  },
  {
    name: 'a write is remembered before it is sent',
    edits: [
      edit('publisher.ts', 'this.remember(tag, state.pools)\n    for', 'this.tag = tag\n    for'),
      edit(
        'publisher.ts',
        'this.throwIfRefused(status, tag)',
        'this.throwIfRefused(status, tag)\n      this.writtenPools.set(tag, state.pools)',
      ),
    ],
    faults: ['Redis is killed and loses a second'],
  },
  {
    name: 'all state is written again if the stored state is incomplete',
    edits: [edit('indexer.ts', 'attempts: MAX_JOIN_ATTEMPTS, ')],
    faults: ['pools are evicted', 'both indexers are killed'],
  },
  {
    name: 'pairs are not remembered without their pools',
    edits: [edit('owner-store.ts', ' && storedPoolCount >= Number(savedFields.known)')],
    faults: ['the memory of owners is evicted', 'the owner leaves'],
  },
  {
    name: 'a chain without news is not quoted',
    edits: [edit('followed-market.ts', "if (reason) throw new MarketError('BEHIND', reason)")],
    faults: ['both indexers are killed'],
  },
]
