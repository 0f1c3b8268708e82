/** `npm run -s referee`: how good a mined swap of any router was, at the state that it met. */
import {
  createMetrics,
  loadConfig,
  type RefereeResponse,
  Services,
  silentLog,
  toApiError,
  verdictResponse,
} from '@sluice/api'
import { type Address, type Hex, loadRegistry, NATIVE } from '@sluice/chains'
import { formatUnits } from 'ethers'
import { commandLine, fail } from './lib/command-line.ts'
import { userPath } from './lib/run.ts'

const USAGE = `usage: npm run -s referee -- <tx hash> --rpc <url> [--chain <id>] [--json]
Reads what a swap of any router gave and received, quotes the same trade at the state before it, and says what was left on the table.
The node must have the state of the block before it. With eth_simulateV1 the state in its position in the block is used, too.
  --chain <id>   by default the chain of the node
  --json         the verdict as /referee answers it
The registry is overlaid by CHAINS_DIR and DEPLOYMENTS_DIR.`
/** Exit code for a command line that cannot be meant; 1 says that there was no swap to judge, or the node failed. */
const MISUSED = 2
const TIMEOUT_MS = 300_000
/** Longest wait for pools that are found in the background, in milliseconds. */
const SETTLE_MS = 60_000

const options = {
  rpc: { type: 'string' },
  chain: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const
const { values, positionals } = commandLine(USAGE, { allowPositionals: true, options }, MISUSED)
const [hash = ''] = positionals
if (positionals.length !== 1 || !/^0x[0-9a-fA-F]{64}$/.test(hash)) fail(USAGE, MISUSED)
if (values.rpc === undefined && values.chain === undefined) fail(USAGE, MISUSED)
process.exitCode = await run(values.chain === undefined ? await chainOf(values.rpc!) : Number(values.chain))

async function chainOf(url: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
    return Number(((await answer.json()) as { result: string }).result)
  } catch {
    return fail(`--rpc: ${new URL(url).host} does not answer eth_chainId`)
  }
}

async function run(chainId: number): Promise<number> {
  const { CHAINS_DIR, DEPLOYMENTS_DIR } = process.env
  const settings = loadConfig({
    ...process.env,
    ...(CHAINS_DIR && { CHAINS_DIR: userPath(CHAINS_DIR) }),
    ...(DEPLOYMENTS_DIR && { DEPLOYMENTS_DIR: userPath(DEPLOYMENTS_DIR) }),
    ...(values.rpc !== undefined && { [`RPC_URL_${chainId}`]: values.rpc }),
  })
  const registry = loadRegistry({ chainsDir: settings.chainsDir, deploymentsDir: settings.deploymentsDir })
  const services = new Services(registry, settings, createMetrics(), silentLog())
  const work = {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    time: async <T>(_stage: string, step: () => T | Promise<T>) => step(),
    log: silentLog(),
  }
  try {
    const { chain, live } = services.chain(chainId)
    let verdict = await live.judge(hash.toLowerCase() as Hex, work)
    if (verdict.trades.some(({ comparisons }) => comparisons.some(({ best }) => best.poolsPending))) {
      await live.settled(SETTLE_MS)
      verdict = await live.judge(hash.toLowerCase() as Hex, work)
    }
    const body = verdictResponse(verdict, chain)
    if (values.json) console.log(JSON.stringify(body, null, 2))
    else {
      const tokens = [...new Set(body.trades.flatMap(({ src, dst }) => [src, dst]))].filter((token) => token !== NATIVE)
      const symbols = await live.tokens.symbols(tokens as Address[], live.rpc)
      const named = (token: string) =>
        token === NATIVE ? chain.nativeCurrency.symbol : (symbols.get(token as Address) ?? token)
      const decimals = (token: string) =>
        token === NATIVE ? chain.nativeCurrency.decimals : (live.tokens.facts.decimals(token as Address) ?? 0)
      console.log(report(body, (amount, token) => `${formatUnits(amount, decimals(token))} ${named(token)}`))
    }
    return body.outcome === 'swap' ? 0 : 1
  } catch (thrown) {
    const { code, message } = toApiError(thrown)
    if (values.json) console.log(JSON.stringify({ error: message, code }, null, 2))
    else console.error(message)
    return 1
  } finally {
    await services.close()
  }
}

type Amount = (amount: string, token: string) => string

function report(verdict: RefereeResponse, amount: Amount): string {
  const { outcome, reason, block, index, trades, sandwich, unknown } = verdict
  if (outcome !== 'swap')
    return `No swap to judge: ${reason}${block === null ? '' : ` (block ${block}, position ${index})`}.`
  const lines = [`Transaction ${verdict.hash} in block ${block}, position ${index}`]
  for (const trade of trades) lines.push(...tradeLines(trade, amount))
  if (sandwich)
    lines.push(
      `Looks like a sandwich: ${sandwich.front.hash} (position ${sandwich.front.index}) and ${sandwich.back.hash} (position ${sandwich.back.index}) of ${sandwich.by} trade around it in ${sandwich.pool}, and take ${sandwich.gain} base units of ${sandwich.token} out of it.`,
    )
  else lines.push('No sandwich was seen around it.')
  for (const gap of unknown) lines.push(`Not known: ${gap}.`)
  return lines.join('\n')
}

function tradeLines(trade: RefereeResponse['trades'][number], amount: Amount): readonly string[] {
  const { src, dst, comparisons, fees } = trade
  const whose = trade.trader === trade.recipient ? trade.trader : `${trade.trader}, for ${trade.recipient}`
  const lines = [
    `Trade of ${whose}`,
    row('gave', amount(trade.fromAmount, src)),
    row('received', amount(trade.toAmount, dst)),
    ...fees.map((fee) => row('fee, it seems', `${amount(fee.amount, fee.token)} to ${fee.account}`)),
  ]
  if (trade.toAmountAtParent !== null) lines.push(row('at the block before', amount(trade.toAmountAtParent, dst)))
  for (const { state, ...compared } of comparisons) {
    lines.push(state === 'position' ? 'At the state in its position in the block' : 'At the end of the block before')
    lines.push(row('best simulated', `${amount(compared.toAmount, dst)} (${compared.pools.length} pools)`))
    lines.push(row('proven bound', compared.bound === null ? 'not known' : amount(compared.bound, dst)))
    lines.push(row('left on the table', `${bps(compared.leftBps)}, at most ${bps(compared.leftAtMostBps)}`))
    lines.push(row('net of gas', bps(compared.leftNetBps)))
    if (compared.poolsPending) lines.push(row('caveat', 'pools are still being searched for'))
  }
  return lines
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(20)} ${value}`
}

function bps(value: number | null): string {
  return value === null ? 'not known' : `${value} bps`
}
