/**
 * `npm run bench -- referee`: judges every transaction of two Ethereum blocks, mined again on their real state, and
 * fifty transactions that users sent through routers, each on the state that it met. Results in `results/referee.json`;
 * `docs/referee.md` explains their limits.
 */
import { createMetrics, loadConfig, type RefereeResponse, Services, silentLog, verdictResponse } from '@sluice/api'
import { type Hex, loadRegistry } from '@sluice/chains'
import { mineUpTo, readBlocks, replayBlock, request, startMainnet } from '@sluice/devnet'
import { mineAs, type Recorded, readRecorded, sendRecorded, startBefore } from '@sluice/system-test/recorded'
import { Node } from '@sluice/system-test/wallet'
import { record } from './record.ts'

const ROUTERS: Readonly<Record<string, string>> = {
  '0x66a9893cc07d91d95644aedd05d03f95e1dba8af': 'Uniswap UniversalRouter',
  '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad': 'Uniswap UniversalRouter',
  '0xe592427a0aece92de3edee1f18e0157c05861564': 'Uniswap V3 SwapRouter',
  '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45': 'Uniswap SwapRouter02',
  '0x7a250d5630b4cf539739df2c5dacb4c659f2488d': 'Uniswap V2 Router02',
  '0x111111125421ca6dc452d289314280a0f8842a65': '1inch',
  '0x1111111254eeb25477b68fb85ed929f73a960582': '1inch',
  '0x0000000000001ff3684f28c67538d4d072c22734': '0x AllowanceHolder',
  '0xdef1c0ded9bec7f1a1670819833240f027b25eff': '0x',
  '0x881d40237659c251811cec9c364ef91dc08d300c': 'MetaMask',
  '0x6131b5fae19ea4f9d964eac0408e4408b66337b5': 'KyberSwap',
  '0x6a000f20005980200259b80c5102003040001068': 'ParaSwap',
  '0x9008d19f58aabd9ed0f60971565aa8510560ab41': 'CoW Protocol',
  '0xcf5540fffcdc3d510b18bfca6d2b9987b0772559': 'Odos',
}

type Row = RefereeResponse['trades'][number] &
  Pick<RefereeResponse, 'hash' | 'block' | 'index' | 'to' | 'sandwich' | 'unknown'>

function serve(url: string): Services {
  const config = loadConfig({ LOG_LEVEL: 'silent', RPC_URL_1: url, RPC_TIMEOUT_MS: '60000' })
  return new Services(loadRegistry(), config, createMetrics(), silentLog())
}

async function judge(services: Services, hash: Hex): Promise<RefereeResponse> {
  const work = {
    signal: AbortSignal.timeout(600_000),
    time: async <T>(_stage: string, run: () => T | Promise<T>) => run(),
    log: silentLog(),
  }
  const { chain, live } = services.chain(1)
  return verdictResponse(await live.judge(hash, work), chain)
}

type Read = {
  readonly router: string
  readonly isWrap: boolean
  readonly isRead: boolean
  readonly isPaidExact: boolean
  readonly isSimulatedExact: boolean
  readonly leftBps: number | null
}

/** Mines a user's transaction alone, on the state that it met in its block, and judges it. */
async function readRouter(recorded: Recorded): Promise<Read> {
  const anvil = await startBefore(recorded)
  const services = serve(anvil.url)
  try {
    const node = new Node(anvil.url)
    const { received } = await sendRecorded(node, recorded)
    const hash = await node.request<Hex>('eth_sendRawTransaction', [recorded.raw])
    await mineAs(node, recorded)
    const { outcome, trades } = await judge(services, hash)
    const [trade] = trades
    return {
      router: recorded.router,
      isWrap: outcome === 'wrap',
      isRead: outcome === 'swap' && trades.length === 1 && trade?.src === recorded.tokenIn.toLowerCase(),
      isPaidExact: trade?.toAmount === `${received}`,
      isSimulatedExact: trade !== undefined && trade.toAmountAtParent === trade.toAmount,
      leftBps: trade?.comparisons[0]?.leftBps ?? null,
    }
  } finally {
    await services.close()
    await anvil.stop()
  }
}

const reads: Read[] = []
for (const recorded of readRecorded()) {
  reads.push(await readRouter(recorded))
  process.stderr.write(`${JSON.stringify(reads.at(-1))}\n`)
}

const node = await startMainnet({ replay: true })
const services = serve(node.url)

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
      const verdict = await judge(services, hash)
      outcomes[verdict.outcome] = (outcomes[verdict.outcome] ?? 0) + 1
      const { block: number, index, to, sandwich, unknown } = verdict
      for (const trade of verdict.trades) rows.push({ ...trade, hash, block: number, index, to, sandwich, unknown })
      process.stderr.write(`${number} ${index} ${verdict.outcome} ${Math.round(performance.now() - startedAt)} ms\n`)
    }
  }
} finally {
  await services.close()
  await node.stop()
}

const nameOf = (to: string | null) => (to === null ? 'a creation' : (ROUTERS[to] ?? 'another contract'))
const tableRow = ({ hash, block, index, to, src, dst, comparisons, sandwich, ...trade }: Row) => {
  const [first] = comparisons
  return {
    ...{ block, index, hash, router: nameOf(to), to, src, dst },
    ...{ fromAmount: trade.fromAmount, toAmount: trade.toAmount, fees: trade.fees.length },
    best: first?.toAmount ?? null,
    bound: first?.bound ?? null,
    leftBps: first?.leftBps ?? null,
    leftAtMostBps: first?.leftAtMostBps ?? null,
    leftNetBps: first?.leftNetBps ?? null,
    state: first?.state ?? null,
    pools: first?.pools.length ?? 0,
    sandwiched: sandwich !== null,
    unknown: trade.unknown,
  }
}
const table = rows.map(tableRow)
const compared = table.filter((row) => row.leftBps !== null)
const byRouter = Map.groupBy(compared, ({ router }) => router)

const countOf = (is: (read: Read) => boolean) => reads.filter(is).length
record('referee', {
  recordedRouterTransactions: {
    transactions: reads.length,
    readAsOneSwapOfItsInput: countOf(({ isRead }) => isRead),
    readAsWrapping: countOf(({ isWrap }) => isWrap),
    outputAsBalancesSay: countOf(({ isPaidExact }) => isPaidExact),
    outputWhenSimulatedAgain: countOf(({ isSimulatedExact }) => isSimulatedExact),
    compared: countOf(({ leftBps }) => leftBps !== null),
    byRouter: Object.fromEntries(
      [...Map.groupBy(reads, ({ router }) => router)].map(([router, group]) => [
        router,
        `${group.filter(({ isRead, isPaidExact }) => isRead && isPaidExact).length} of ${group.length}`,
      ]),
    ),
  },
  blocks: readBlocks().map(({ number }) => number),
  transactions,
  outcomes,
  trades: table.length,
  compared: compared.length,
  inPosition: compared.filter(({ state }) => state === 'position').length,
  withBound: compared.filter(({ leftAtMostBps }) => leftAtMostBps !== null).length,
  sandwiched: table.filter(({ sandwiched }) => sandwiched).length,
  paidMoreThanTheBest: compared.filter(({ leftBps }) => leftBps! < 0).length,
  paidLess: compared.filter(({ leftBps }) => leftBps! > 0).length,
  byRouter: Object.fromEntries([...byRouter].map(([router, group]) => [router, group.length])),
  table,
})
