/** Judges the transactions of two recorded Ethereum blocks, and recorded transactions of users through routers. */
import type { Hex } from '@sluice/chains'
import { mineUpTo, readBlocks, replayBlock, request, startMainnet } from '@sluice/devnet'
import {
  mineAs,
  type RecordedSwap,
  readRecordedSwaps,
  sendRecorded,
  setUpRecordedFactories,
  startBefore,
} from '@sluice/system-test/recorded'
import {
  countsOf,
  createServices,
  judge,
  type Row,
  rowsOf,
  type TableRow,
  tableRow,
} from '@sluice/system-test/referee-rows'
import { Node } from '@sluice/system-test/wallet'

type RouterVerdict = {
  readonly router: string
  /** Number of pools of the recorded state whose factories are in the chain's file. */
  readonly pools: number
  readonly isWrap: boolean
  /** True if the transaction was judged as one swap of its input token. */
  readonly isRead: boolean
  /** True if the verdict's output equals the amount that the sender received. */
  readonly isPaidExact: boolean
  /** True if a simulation of the swap at the parent block pays the same amount. */
  readonly isSimulatedExact: boolean
  readonly rows: readonly TableRow[]
}

/** Mines a user's transaction alone, in the state in which it was mined on Ethereum, and judges it. */
async function judgeRouter(recordedSwap: RecordedSwap): Promise<RouterVerdict> {
  const anvil = await startBefore(recordedSwap)
  const services = createServices(1, anvil.url)
  try {
    const pools = await setUpRecordedFactories(anvil.url, recordedSwap)
    const node = new Node(anvil.url)
    const { received } = await sendRecorded(node, recordedSwap)
    const hash = await node.request<Hex>('eth_sendRawTransaction', [recordedSwap.raw])
    await mineAs(node, recordedSwap)
    const verdict = await judge(services, 1, hash)
    const { outcome, trades } = verdict
    const [trade] = trades
    return {
      router: recordedSwap.router,
      pools,
      isWrap: outcome === 'wrap',
      isRead: outcome === 'swap' && trades.length === 1 && trade?.src === recordedSwap.tokenIn.toLowerCase(),
      isPaidExact: trade?.toAmount === `${received}`,
      isSimulatedExact: trade !== undefined && trade.toAmountAtParent === trade.toAmount,
      rows: rowsOf(verdict).map((row) => ({ ...tableRow(1, row), router: recordedSwap.router })),
    }
  } finally {
    await services.close()
    await anvil.stop()
  }
}

/** Judges the recorded transactions of users. Each has its own node. */
async function judgeRouters(report: (text: string) => void) {
  const verdicts: RouterVerdict[] = []
  for (const recordedSwap of readRecordedSwaps()) {
    const verdict = await judgeRouter(recordedSwap)
    verdicts.push(verdict)
    const [row] = verdict.rows
    report(
      `${recordedSwap.block.number} ${recordedSwap.router} ${row?.leftBps ?? row?.unknown.join('; ') ?? 'not a swap'}`,
    )
  }
  const countOf = (predicate: (verdict: RouterVerdict) => boolean) => verdicts.filter(predicate).length
  const table = verdicts.flatMap(({ rows }) => rows)
  const { trades, ...counts } = countsOf(table)
  return {
    transactions: verdicts.length,
    readAsOneSwapOfItsInput: countOf(({ isRead }) => isRead),
    readAsWrapping: countOf(({ isWrap }) => isWrap),
    outputAsBalancesSay: countOf(({ isPaidExact }) => isPaidExact),
    outputWhenSimulatedAgain: countOf(({ isSimulatedExact }) => isSimulatedExact),
    withPools: countOf(({ pools }) => pools > 0),
    ...counts,
    readByRouter: Object.fromEntries(
      [...Map.groupBy(verdicts, ({ router }) => router)].map(([router, group]) => [
        router,
        `${group.filter(({ isRead, isPaidExact }) => isRead && isPaidExact).length} of ${group.length}`,
      ]),
    ),
    table,
  }
}

/** Judges the transactions of users, and all transactions of the recorded blocks. */
export async function judgeEthereum(report: (text: string) => void) {
  const recordedRouterTransactions = await judgeRouters(report)
  const node = await startMainnet({ replay: true })
  const services = createServices(1, node.url)

  const outcomes: Record<string, number> = {}
  const rows: Row[] = []
  const transactions: number[] = []
  try {
    for (const block of readBlocks()) {
      await mineUpTo(node.url, block)
      await replayBlock(node.url, block)
      const { transactions: hashes } = await request<{ transactions: Hex[] }>(node.url, 'eth_getBlockByNumber', [
        'latest',
        false,
      ])
      transactions.push(hashes.length)
      for (const hash of hashes) {
        const startedAt = performance.now()
        const verdict = await judge(services, 1, hash)
        outcomes[verdict.outcome] = (outcomes[verdict.outcome] ?? 0) + 1
        rows.push(...rowsOf(verdict))
        report(`${verdict.block} ${verdict.index} ${verdict.outcome} ${Math.round(performance.now() - startedAt)} ms`)
      }
    }
  } finally {
    await services.close()
    await node.stop()
  }

  const table = rows.map((row) => tableRow(1, row))
  const blocks = readBlocks().map(({ number }) => number)
  return { recordedRouterTransactions, blocks, transactions, outcomes, ...countsOf(table), table }
}
