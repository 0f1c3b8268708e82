/** Mines recorded blocks of rollups again on the recorded state, and judges their transactions with the referee. */
import type { Hex } from '@sluice/chains'
import {
  type RecordedRollup,
  type Recording,
  readRecordings,
  replayBlock,
  request,
  startRecording,
} from '@sluice/devnet'
import { Transaction } from 'ethers'
import { countsOf, createServices, judge, rowsOf, type TableRow, tableRow } from './referee-rows.ts'

type JudgeOptions = {
  /** Returns false for a transaction that is not judged. */
  readonly includes?: (hash: Hex) => boolean
  readonly onVerdict?: (text: string) => void
}

/** Mines the blocks of a recording again, and judges their transactions. */
export async function judgeRecording(recording: Recording, { includes = () => true, onVerdict }: JudgeOptions = {}) {
  const { chainId, blocks } = recording
  const outcomes: Record<string, number> = {}
  const table: TableRow[] = []
  const node = await startRecording(recording)
  const services = createServices(chainId, node.url)
  try {
    for (const block of blocks) {
      await replayBlock(node.url, block)
      for (const [index, { raw }] of block.transactions.entries()) {
        const hash = Transaction.from(raw).hash as Hex
        if (!includes(hash)) continue
        const startedAt = performance.now()
        const verdict = await judge(services, chainId, hash)
        outcomes[verdict.outcome] = (outcomes[verdict.outcome] ?? 0) + 1
        table.push(...rowsOf(verdict).map((row) => tableRow(chainId, row)))
        const ms = Math.round(performance.now() - startedAt)
        onVerdict?.(`${chainId} ${block.number} ${index} ${verdict.outcome} ${ms} ms`)
      }
    }
    const { number } = blocks.at(-1)!
    const head = Number(await request<Hex>(node.url, 'eth_blockNumber', []))
    if (head !== number) throw new Error(`the node is at block ${head} and not ${number}`)
    return { outcomes, table }
  } finally {
    await services.close()
    await node.stop()
  }
}

/** Maximum recordings that are judged concurrently. A recording waits for its node more than half of the time. */
const MAX_CONCURRENT_RECORDINGS = 2

/**
 * Maps items with at most `MAX_CONCURRENT_RECORDINGS` concurrent calls. Returns the results in the order of the items.
 */
async function mapConcurrently<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await run(next[1])
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_RECORDINGS }, worker))
  return results
}

/** Judges all recorded blocks of a rollup. */
export async function judgeRollup(name: RecordedRollup, onVerdict: (text: string) => void) {
  const recordings = readRecordings(name)
  const outcomes: Record<string, number> = {}
  const results = await mapConcurrently(recordings, (recording) => judgeRecording(recording, { onVerdict }))
  for (const [outcome, count] of results.flatMap((result) => Object.entries(result.outcomes)))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count
  const table = results.flatMap((result) => result.table)
  const blocks = recordings.flatMap((recording) => recording.blocks)
  return {
    blocks: blocks.length,
    from: blocks[0]!.number,
    to: blocks.at(-1)!.number,
    transactions: blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
    outcomes,
    ...countsOf(table),
    table,
  }
}
