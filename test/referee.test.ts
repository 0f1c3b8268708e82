/**
 * Compares the referee's reading of users' swaps on Ethereum with the balances of their senders, and its comparisons
 * with the committed table.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import { Transaction } from 'ethers'
import { expect, test } from 'vitest'
import { mineAs, readRecordedSwaps, sendRecorded, setUpRecordedFactories, startBefore } from './src/recorded.ts'
import { startService } from './src/service.ts'
import { get } from './src/swap.ts'
import { Node } from './src/wallet.ts'

/** The first comparison of a transaction takes some seconds, as it reads all factories of the chain's file. */
const TIMEOUTS = { REQUEST_TIMEOUT_MS: '120000', RPC_TIMEOUT_MS: '60000' }
/** Maximum difference in basis points: another search may find a slightly better route. */
const TOLERANCE_BPS = 0.1

type Answer = {
  readonly outcome: string
  readonly trades: readonly (Readonly<Record<'fromAmount' | 'toAmount' | 'toAmountAtParent', string>> & {
    readonly comparisons: readonly { readonly leftBps: number; readonly leftAtMostBps: number }[]
  })[]
}

type Results = {
  readonly recordedRouterTransactions: {
    readonly compared: number
    readonly table: readonly { readonly hash: string; readonly leftBps: number | null }[]
  }
}
const file = join(import.meta.dirname, '../bench/results/referee.json')
const { recordedRouterTransactions } = JSON.parse(readFileSync(file, 'utf8')) as Results

const latestOf = (router: string) => readRecordedSwaps().findLast((record) => record.router.startsWith(router))!

async function expectSameReading(recorded: ReturnType<typeof latestOf>): Promise<void> {
  const anvil = await startBefore(recorded)
  const service = await startService({ RPC_URL_1: anvil.url, ...TIMEOUTS })
  try {
    await setUpRecordedFactories(anvil.url, recorded)
    const node = new Node(anvil.url)
    const { received } = await sendRecorded(node, recorded)
    const hash = await node.request<Hex>('eth_sendRawTransaction', [recorded.raw])
    await mineAs(node, recorded)
    const { status, body } = await get<Answer>(`${service.url}/referee/1/${hash}`)
    expect(status).toBe(200)
    expect(body, JSON.stringify(body)).toMatchObject({ outcome: 'swap', block: recorded.block.number, index: 0 })
    const trader = Transaction.from(recorded.raw).from!.toLowerCase()
    const [src, dst] = [recorded.tokenIn.toLowerCase(), recorded.tokenOut.toLowerCase()]
    const [trade] = body.trades
    expect(trade).toMatchObject({ trader, recipient: trader, src, dst })
    expect(BigInt(trade!.toAmount)).toBe(received)
    expect(BigInt(trade!.fromAmount)).toBeLessThanOrEqual(BigInt(recorded.amountIn))
    expect(BigInt(trade!.fromAmount)).toBeGreaterThan(0n)
    expect(trade!.toAmountAtParent).toBe(trade!.toAmount)
    const row = recordedRouterTransactions.table.find((row) => row.hash === hash)!
    const [comparison] = trade!.comparisons
    expect(comparison === undefined).toBe(row.leftBps === null)
    if (!comparison) return
    expect(Math.abs(comparison.leftBps - row.leftBps!)).toBeLessThan(TOLERANCE_BPS)
    expect(comparison.leftAtMostBps).toBeGreaterThanOrEqual(comparison.leftBps)
  } finally {
    await service.stop()
    await anvil.stop()
  }
}

const isRead = 'a swap through $router is read with the amounts of balance changes'
// One transaction per router. `npm run bench -- referee` runs all fifty.
test.each(['UniversalRouter', '1inch'].map(latestOf))(isRead, expectSameReading, 180_000)
test.each(['0x', 'ParaSwap', 'KyberSwap', 'MetaMask'].map(latestOf))(
  isRead,
  { tags: 'long', timeout: 180_000 },
  expectSameReading,
)

test('most recorded user transactions can be compared', () => {
  expect(recordedRouterTransactions.compared).toBeGreaterThanOrEqual(45)
})
