/** The owner's ear: takes up what workers want, and notes the pairs that it has looked for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type IndexedMarket, type PairScope, pairKeysOf } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { type Connection, fieldsOf, type Reply } from './connection.ts'
import { isAtOrAfter } from './head.ts'
import type { ChainKeys } from './keys.ts'
import { readWant } from './wants.ts'

/** Milliseconds that Redis waits for a want. */
const WAIT_MS = 500
/** Read at once, and taken up at once. */
const WANTS = 50
/** Milliseconds ago that a want was sent at most when one becomes owner: whoever still waits has asked again since. */
const RECENT_MS = 5_000

type Options = {
  readonly keys: ChainKeys
  readonly scope: PairScope
  /** Undefined while another process owns the chain. */
  readonly market: () => IndexedMarket | undefined
  readonly signal: AbortSignal
  readonly onAnswer: () => void
}

export class WantedPairs {
  private readonly options: Options
  private readonly turns = new Semaphore(WANTS)
  /** By the market that has them: the next one may not. */
  private readonly answered = new WeakMap<IndexedMarket, Set<string>>()

  constructor(options: Options) {
    this.options = options
  }

  /** Pairs that a market has looked for since the last call. */
  take(market: IndexedMarket): Iterable<string> {
    const pairs = this.answered.get(market) ?? []
    this.answered.delete(market)
    return pairs
  }

  async hear(connection: Connection): Promise<void> {
    const { keys, signal, market } = this.options
    let after: string | null = null
    while (!signal.aborted) {
      const ours = market()
      if (!ours) {
        after = null
        await sleep(WAIT_MS / 2, undefined, { signal })
        continue
      }
      after ??= await clock(connection, RECENT_MS)
      const answer: [string, [string, Reply[]][]][] | null = await connection.call(
        ...['XREAD', 'COUNT', WANTS, 'BLOCK', WAIT_MS, 'STREAMS', keys.wants, after],
      )
      for (const [id, flat] of answer?.[0]?.[1] ?? []) {
        after = id
        // What fails is asked for again by whoever still waits.
        void this.turns.run(() => this.answer(ours, fieldsOf(flat).want)).catch(() => {})
      }
      // Ids of a Redis whose clock went back are lower than ours, and would be waited for in vain.
      if (!answer) after = isAtOrAfter(after, await clock(connection)) ? null : after
    }
  }

  private async answer(market: IndexedMarket, text: string | undefined): Promise<void> {
    const want = readWant(text)
    if (!want) return
    const { scope, signal, onAnswer } = this.options
    const { groups = [], tokens = [], block } = want
    if (block !== undefined && block > (market.health().head?.number ?? 0)) await market.sync({ signal })
    if (groups.length > 0) await market.ensureGroups(groups, { signal })
    if (tokens.length > 0) await market.seek(tokens)
    const answered = this.answered.get(market) ?? new Set()
    for (const pair of pairKeysOf({ groups, tokens }, scope)) answered.add(pair)
    this.answered.set(market, answered)
    onAnswer()
  }
}

/** The id of an entry that Redis would have written now, or so many milliseconds ago. */
async function clock(connection: Connection, agoMs = 0): Promise<string> {
  const [seconds] = await connection.call<[string, string]>('TIME')
  return `${(Number(seconds) + 1) * 1_000 - agoMs}-0`
}
