/**
 * Follows a chain's state in Redis: reads the whole state once (joins), then applies the difference in each entry of
 * the stream. The current state is always the complete state of one entry.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fromText, type ScanStatus } from '@sluice/liquidity'
import type { Semaphore } from '@sluice/rpc'
import { fieldsOf, keepConnected, type OwnConnection, type RedisReply } from './connection.ts'
import type { FollowedState } from './head.ts'
import { applyEntry, join, type StreamEntry } from './join.ts'
import type { ChainKeys } from './keys.ts'

/** Milliseconds for which a read of the stream blocks, and after which the head is checked if no entry arrives. */
const IDLE_MS = 500
const ENTRIES_PER_READ = 100
/** Milliseconds between two checks for a chain that is not published yet. */
const ABSENT_MS = 100
/** Approximate number of facts per read. */
const FACTS_PER_READ = 1_000

export type FollowerOptions = {
  readonly url: string
  readonly keys: ChainKeys
  /** Limits concurrent joins of a process, because many at a time would exceed the reply timeout of Redis. */
  readonly joinLimit: Semaphore
  /**
   * Called with each state.
   *
   * @param ids - ids of the pools that differ from the previous state; null if all may differ
   */
  readonly onState: (newState: FollowedState, ids: readonly string[] | null) => void
  readonly onFact?: (key: string, value: string) => void
  /** Number of hash fields per read of a join. */
  readonly fieldsPerRead?: number
}

export class StateFollower {
  /** The newest complete state; null before the first. Kept while there is no connection to Redis. */
  currentState: FollowedState | null = null
  /**
   * Time at which the owner (the process that publishes the chain) last confirmed the state, in milliseconds of
   * `performance.now`; null before the first state.
   */
  confirmedMs: number | null = null
  /**
   * Unix milliseconds since which there is no connection to Redis; null while connected. Before the first connection,
   * the time at which this object was created.
   */
  awaySince: number | null = Date.now()
  /**
   * Progress of the owner's search of past logs; null if there is nothing to search or no progress is published yet.
   */
  scan: ScanStatus | null = null
  /**
   * Numbers of whole states read (`joins`), entries applied, entries that did not follow the current state (`gaps`),
   * and lost connections (`failures`).
   */
  readonly counts = { joins: 0, entries: 0, gaps: 0, failures: 0 }
  private readonly options: FollowerOptions
  private readonly stopController = new AbortController()
  private runPromise: Promise<void> | null = null
  private lastBeat: string | undefined
  private factChangesId = '0-0'

  constructor(options: FollowerOptions) {
    this.options = options
  }

  start(): void {
    const { url } = this.options
    const onFailure = () => {
      this.counts.failures++
      this.awaySince ??= Date.now()
    }
    this.runPromise ??= keepConnected(url, this.stopController.signal, (connection) => this.run(connection), onFailure)
  }

  async stop(): Promise<void> {
    this.stopController.abort()
    await this.runPromise
  }

  private async run(connection: OwnConnection): Promise<void> {
    await connection.call('PING')
    this.awaySince = null
    await this.readFacts(connection)
    // After a reconnect the state is still valid, so following continues from the entry of that state.
    if (!this.currentState) await this.join(connection)
    await this.follow(connection)
  }

  private async join(connection: OwnConnection): Promise<void> {
    const { keys, joinLimit, fieldsPerRead } = this.options
    const { signal } = this.stopController
    while (!signal.aborted) {
      const newState = await joinLimit.run(() =>
        join(connection, { keys, signal, ...(fieldsPerRead && { fieldsPerRead }) }),
      )
      if (newState) {
        this.counts.joins++
        // The owner may have confirmed the state long ago.
        const [beat] = await connection.call<(string | null)[]>('HMGET', keys.head, 'beat')
        await this.recordBeat(connection, beat)
        this.setState(newState, null)
        return
      }
      await sleep(ABSENT_MS, undefined, { signal })
    }
  }

  private async follow(connection: OwnConnection): Promise<void> {
    const { keys } = this.options
    const { signal } = this.stopController
    let headCheckedAtMs = performance.now()
    while (!signal.aborted) {
      const streams = ['STREAMS', keys.entries, keys.factChanges, this.currentState!.id, this.factChangesId]
      const answer = await connection.callForBytes<[Buffer, StreamEntry[]][] | null>(
        ...['XREAD', 'COUNT', ENTRIES_PER_READ, 'BLOCK', IDLE_MS, ...streams],
      )
      // Check by elapsed time, because reads are never empty while many facts change.
      if (performance.now() - headCheckedAtMs >= IDLE_MS) {
        headCheckedAtMs = performance.now()
        if (!(await this.isInSync(connection))) {
          await this.join(connection)
          continue
        }
      }
      for (const [key, entries] of answer ?? []) {
        if (String(key) === keys.factChanges) this.applyFactChanges(entries)
        else if (this.applyEntries(entries)) headCheckedAtMs = performance.now()
        else {
          this.counts.gaps++
          await this.join(connection)
        }
      }
    }
  }

  /** Applies entries. @returns false if an entry does not follow the current state */
  private applyEntries(entries: readonly StreamEntry[]): boolean {
    for (const entry of entries) {
      const nextState = applyEntry(this.currentState!, entry)
      if (!nextState) return false
      this.counts.entries++
      this.setState(nextState.state, nextState.ids)
    }
    return true
  }

  /**
   * Returns true if the head in Redis is the current state, or if an entry after the current state exists. After Redis
   * restarts with an earlier clock or without data, new entries can have lower ids than the current state, and a read
   * of later ids would never return them.
   */
  private async isInSync(connection: OwnConnection): Promise<boolean> {
    const { keys } = this.options
    const { id: currentId } = this.currentState!
    const [id, beat, scan] = await connection.call<(string | null)[]>('HMGET', keys.head, 'id', 'beat', 'scan')
    if (scan) this.scan = fromText<ScanStatus | null>(scan)
    if (id && id !== currentId) {
      const newerEntries = await connection.call<RedisReply[]>('XRANGE', keys.entries, `(${currentId}`, '+', 'COUNT', 1)
      return newerEntries.length > 0
    }
    if (id) await this.recordBeat(connection, beat)
    return true
  }

  /**
   * Records a confirmation of the owner.
   *
   * @param beat - time of the confirmation by the clock of Redis: seconds, a point, and microseconds without leading
   *   zeros
   */
  private async recordBeat(connection: OwnConnection, beat: string | null | undefined): Promise<void> {
    if (!beat || beat === this.lastBeat) return
    const [seconds, microseconds] = await connection.call<[string, string]>('TIME')
    const [beatSeconds, beatMicroseconds] = beat.split('.')
    const ageMs =
      1_000 * (Number(seconds) - Number(beatSeconds)) + (Number(microseconds) - Number(beatMicroseconds)) / 1_000
    this.lastBeat = beat
    // The age is negative if the clock of Redis was set back.
    this.confirmedMs = performance.now() - Math.max(0, ageMs)
  }

  private setState(newState: FollowedState, ids: readonly string[] | null): void {
    this.currentState = newState
    // An entry shows that the owner has just read the chain.
    if (ids) this.confirmedMs = performance.now()
    this.options.onState(newState, ids)
  }

  private async readFacts(connection: OwnConnection): Promise<void> {
    const { keys, onFact } = this.options
    if (!onFact) return
    const [lastChange] = await connection.call<[string, RedisReply[]][]>(
      'XREVRANGE',
      keys.factChanges,
      '+',
      '-',
      'COUNT',
      1,
    )
    let cursor = '0'
    do {
      const [nextCursor, flat] = await connection.call<[string, string[]]>(
        'HSCAN',
        keys.facts,
        cursor,
        'COUNT',
        FACTS_PER_READ,
      )
      for (let i = 0; i < flat.length; i += 2) onFact(flat[i]!, flat[i + 1]!)
      cursor = nextCursor
    } while (cursor !== '0')
    this.factChangesId = lastChange?.[0] ?? '0-0'
  }

  private applyFactChanges(entries: readonly StreamEntry[]): void {
    for (const [id, flat] of entries) {
      const { key, value } = fieldsOf(flat.map(String))
      this.factChangesId = String(id)
      this.options.onFact?.(key!, value!)
    }
  }
}
