/** Converts the referee's verdicts on mined transactions to rows of a table. */
import { createMetrics, loadConfig, type RefereeResponse, Services, silentLog, verdictResponse } from '@sluice/api'
import { CodedError, type Hex, loadRegistry } from '@sluice/chains'

/** Names of public routers, by chain id and address. The addresses are from the documentation of their projects. */
const ROUTERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: {
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
  },
  59144: {
    '0x80e38291e06339d10aab483c65695d004dbd5c69': 'SyncSwap',
    '0xc2a1947d2336b2af74d5813dc9ca6e0c3b3e8a1e': 'SyncSwap 2',
    '0x272e156df8da513c69cb41cc7a99185d53f926bb': 'HorizonDEX',
    '0x169c06b4cfb09bfd73a81e6f2bb1eb514d75bb19': 'LeetSwap',
    '0x678aa4bf4e210cf2166753e054d5b7c31cc7fa86': 'PancakeSwap SmartRouter',
    '0xfe6508f0015c778bdcc1fb5465ba5ebe224c9912': 'PancakeSwap UniversalRouter',
    '0x3921e8cb45b17fc029a0a6de958330ca4e583390': 'Lynex',
    '0xde1e598b81620773454588b85d6b5d4eec32573e': 'LI.FI',
    '0x2d8879046f1559e53eb052e949e9544bcb72f414': 'Odos',
    '0x6131b5fae19ea4f9d964eac0408e4408b66337b5': 'KyberSwap',
    '0xce16f69375520ab01377ce7b88f5ba8c48f8d666': 'Squid',
    '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789': 'ERC-4337 entry point',
  },
}

/** A trade of a verdict, with data of its transaction. */
export type Row = RefereeResponse['trades'][number] &
  Pick<RefereeResponse, 'hash' | 'block' | 'index' | 'to' | 'sandwich' | 'unknown'>

/** Creates the API's services for a chain, with one endpoint and a long timeout of its requests. */
export function createServices(chainId: number, url: string): Services {
  const config = loadConfig({ LOG_LEVEL: 'silent', [`RPC_URL_${chainId}`]: url, RPC_TIMEOUT_MS: '60000' })
  return new Services(loadRegistry(), config, createMetrics(), silentLog())
}

/** Maximum attempts to judge a transaction. On a busy machine, a search for a better route may exceed its time limit. */
const MAX_ATTEMPTS = 5

/** Judges a mined transaction. */
export async function judge(services: Services, chainId: number, hash: Hex): Promise<RefereeResponse> {
  const { chain, liveChain } = services.chain(chainId)
  for (let attempt = 1; ; attempt++) {
    const requestContext = {
      signal: AbortSignal.timeout(600_000),
      time: async <T>(_stage: string, run: () => T | Promise<T>) => run(),
      log: silentLog(),
    }
    try {
      return verdictResponse(await liveChain.judge(hash, requestContext), chain)
    } catch (error) {
      const isOverrun = error instanceof CodedError && error.code === 'SEARCH_OVERRAN'
      if (!isOverrun || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** Returns the trades of a verdict. */
export const rowsOf = ({ trades, hash, block, index, to, sandwich, unknown }: RefereeResponse): readonly Row[] =>
  trades.map((trade) => ({ ...trade, hash, block, index, to, sandwich, unknown }))

/** Returns a row of the table in the committed results. */
export function tableRow(chainId: number, { hash, block, index, to, src, dst, comparisons, sandwich, ...trade }: Row) {
  const [firstComparison] = comparisons
  const router = to === null ? 'a creation' : (ROUTERS[chainId]?.[to] ?? 'another contract')
  return {
    ...{ block, index, hash, router, to, src, dst },
    ...{ fromAmount: trade.fromAmount, toAmount: trade.toAmount, fees: trade.fees.length },
    best: firstComparison?.toAmount ?? null,
    bound: firstComparison?.bound ?? null,
    leftBps: firstComparison?.leftBps ?? null,
    leftAtMostBps: firstComparison?.leftAtMostBps ?? null,
    leftNetBps: firstComparison?.leftNetBps ?? null,
    state: firstComparison?.state ?? null,
    pools: firstComparison?.pools.length ?? 0,
    sandwiched: sandwich !== null,
    unknown: trade.unknown,
  }
}
export type TableRow = ReturnType<typeof tableRow>

/** Counts the rows of a table. */
export function countsOf(table: readonly TableRow[]) {
  const compared = table.filter((row) => row.leftBps !== null)
  const groups = [...Map.groupBy(compared, ({ router }) => router)]
  return {
    trades: table.length,
    compared: compared.length,
    inPosition: compared.filter(({ state }) => state === 'position').length,
    withBound: compared.filter((row) => row.leftAtMostBps !== null).length,
    sandwiched: table.filter(({ sandwiched }) => sandwiched).length,
    paidMoreThanTheBest: compared.filter(({ leftBps }) => leftBps! < 0).length,
    paidTheBest: compared.filter(({ leftBps }) => leftBps === 0).length,
    paidLess: compared.filter(({ leftBps }) => leftBps! > 0).length,
    byRouter: Object.fromEntries(groups.map(([router, group]) => [router, group.length])),
    medianLeftBpsByRouter: Object.fromEntries(groups.map(([router, group]) => [router, medianOf(group)])),
  }
}

function medianOf(rows: readonly TableRow[]): number {
  const sorted = rows.map(({ leftBps }) => leftBps!).sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}
