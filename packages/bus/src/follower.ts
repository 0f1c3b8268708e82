/** Follows the state of a chain on Redis: what it shows is always the whole state of one entry. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fromText, type ScanStatus } from '@sluice/liquidity'
import type { Semaphore } from '@sluice/rpc'
import { fieldsOf, keepConnected, type OwnConnection, type Reply } from './connection.ts'
import type { Shown } from './head.ts'
import { applied, join, type StreamEntry } from './join.ts'
import type { ChainKeys } from './keys.ts'

/** Milliseconds that Redis waits for an entry, and without one after which the head is looked at. */
const IDLE_MS = 500
/** Entries read at once. */
const ENTRIES = 100
/** Milliseconds between two looks for a chain that nobody has published. */
const ABSENT_MS = 100
/** Facts asked for at once. */
const PAGE = 1_000

export type FollowerOptions = {
  readonly url: string
  readonly keys: ChainKeys
  /** Limits joins of a process: many at once would overrun the time that Redis has for an answer. */
  readonly joins: Semaphore
  /** @param ids - of the pools that differ from the state before; null when all may */
  readonly onShown: (shown: Shown, ids: readonly string[] | null) => void
  readonly onFact?: (key: string, value: string) => void
  /** Fields of pools asked for at once. */
  readonly page?: number
}

export class Follower {
  /** The newest whole state, replaced in one step; null before the first. It stays while Redis is away. */
  shown: Shown | null = null
  /** Milliseconds of this process's clock when the state was last said to be the chain's; null before. */
  confirmedMs: number | null = null
  /** Since when there has been no connection, in milliseconds; null while there is one. */
  awaySince: number | null = Date.now()
  /** Owner's search of past logs; null where there is nothing to search, or it has not told. */
  scan: ScanStatus | null = null
  readonly counts = { joins: 0, entries: 0, gaps: 0, failures: 0 }
  private readonly options: FollowerOptions
  private readonly stopped = new AbortController()
  private running: Promise<void> | null = null
  private beat: string | undefined
  private newsId = '0-0'

  constructor(options: FollowerOptions) {
    this.options = options
  }

  start(): void {
    const { url } = this.options
    const onFailure = () => {
      this.counts.failures++
      this.awaySince ??= Date.now()
    }
    this.running ??= keepConnected(url, this.stopped.signal, (connection) => this.run(connection), onFailure)
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.running
  }

  private async run(connection: OwnConnection): Promise<void> {
    await connection.call('PING')
    this.awaySince = null
    await this.readFacts(connection)
    // A connection that was lost says nothing of the state: it goes on from its entry.
    if (!this.shown) await this.join(connection)
    await this.follow(connection)
  }

  private async join(connection: OwnConnection): Promise<void> {
    const { keys, joins, page } = this.options
    const { signal } = this.stopped
    while (!signal.aborted) {
      const shown = await joins.run(() => join(connection, { keys, signal, ...(page && { page }) }))
      if (shown) {
        this.counts.joins++
        this.show(shown, null)
        return
      }
      await sleep(ABSENT_MS, undefined, { signal })
    }
  }

  private async follow(connection: OwnConnection): Promise<void> {
    const { keys } = this.options
    const { signal } = this.stopped
    let lookedMs = Date.now()
    while (!signal.aborted) {
      const streams = ['STREAMS', keys.entries, keys.news, this.shown!.id, this.newsId]
      const answer = await connection.callForBytes<[Buffer, StreamEntry[]][] | null>(
        ...['XREAD', 'COUNT', ENTRIES, 'BLOCK', IDLE_MS, ...streams],
      )
      // A busy stream of facts must not keep it from looking, so it goes by the time and not by what was answered.
      if (Date.now() - lookedMs >= IDLE_MS) {
        lookedMs = Date.now()
        if (!(await this.isInStep(connection))) {
          await this.join(connection)
          continue
        }
      }
      for (const [key, entries] of answer ?? []) {
        if (String(key) === keys.news) this.takeNews(entries)
        else if (this.apply(entries)) lookedMs = Date.now()
        else {
          this.counts.gaps++
          await this.join(connection)
        }
      }
    }
  }

  /** @returns false where an entry does not follow upon what is shown */
  private apply(entries: readonly StreamEntry[]): boolean {
    for (const entry of entries) {
      const next = applied(this.shown!, entry)
      if (!next) return false
      this.counts.entries++
      this.show(next.shown, next.ids)
    }
    return true
  }

  /**
   * True where the head is what is shown, or comes with an entry after it. Entries of a Redis that came back with an earlier clock, or
   * with none of its data, may have lower ids than ours: they would be waited for in vain.
   */
  private async isInStep(connection: OwnConnection): Promise<boolean> {
    const { keys } = this.options
    const { id: ours } = this.shown!
    const [id, beat, scan] = await connection.call<(string | null)[]>('HMGET', keys.head, 'id', 'beat', 'scan')
    if (scan) this.scan = fromText<ScanStatus | null>(scan)
    if (id && id !== ours) {
      const newer = await connection.call<Reply[]>('XRANGE', keys.entries, `(${ours}`, '+', 'COUNT', 1)
      return newer.length > 0
    }
    if (id && beat && beat !== this.beat) {
      this.beat = beat
      this.confirmedMs = Date.now()
    }
    return true
  }

  private show(shown: Shown, ids: readonly string[] | null): void {
    this.shown = shown
    // What is joined may be old; whoever writes an entry has just seen that it is so.
    if (ids) this.confirmedMs = Date.now()
    else this.confirmedMs ??= Date.now()
    this.options.onShown(shown, ids)
  }

  private async readFacts(connection: OwnConnection): Promise<void> {
    const { keys, onFact } = this.options
    if (!onFact) return
    const [last] = await connection.call<[string, Reply[]][]>('XREVRANGE', keys.news, '+', '-', 'COUNT', 1)
    let cursor = '0'
    do {
      const [next, flat] = await connection.call<[string, string[]]>('HSCAN', keys.facts, cursor, 'COUNT', PAGE)
      for (let i = 0; i < flat.length; i += 2) onFact(flat[i]!, flat[i + 1]!)
      cursor = next
    } while (cursor !== '0')
    this.newsId = last?.[0] ?? '0-0'
  }

  private takeNews(entries: readonly StreamEntry[]): void {
    for (const [id, flat] of entries) {
      const { key, value } = fieldsOf(flat.map(String))
      this.newsId = String(id)
      this.options.onFact?.(key!, value!)
    }
  }
}
