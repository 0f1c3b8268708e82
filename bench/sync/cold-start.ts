/**
 * `npm run bench -- sync cold-start [latency in ms] [runs]`: measures the time from a new process to the first quote of a
 * major pair, and to all pools of the pair's hubs, over a node with this latency. Uses the local chain and the recorded
 * Ethereum state. Results in `results/cold-start.json`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, NodeProxy, startDevnet } from '@sluice/devnet'
import { devnetDir, serviceEnv, startProcess } from '@sluice/system-test/service'
import { get, swapUrl } from '@sluice/system-test/swap'
import { startEthereum } from '../lib/ethereum.ts'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

const [latency = '100', runsText = '5'] = process.argv.slice(2)
const delayMs = Number(latency)
const runs = Number(runsText)
const MAX_WAIT_MS = 120_000

type World = {
  readonly chainId: number
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly query: { readonly src: string; readonly dst: string; readonly amount: bigint; readonly from: string }
}
type Ready = { readonly pools?: number; readonly scan?: { readonly state: string } }

const devnet = await startDevnet({ dir: devnetDir })
const { WETH, USDC } = devnet.info.tokens
const local: World = {
  chainId: devnet.chainId,
  url: devnet.url,
  env: serviceEnv(devnet),
  query: { src: WETH.address, dst: USDC.address, amount: 10n ** 18n, from: devnet.info.accounts[0]!.address },
}
const mainnet = await startEthereum()
const ethereum: World = {
  chainId: 1,
  url: mainnet.url,
  env: { DEPLOYMENTS_DIR: mainnet.env.DEPLOYMENTS_DIR },
  query: {
    src: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    dst: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    amount: 10n ** 18n,
    from: accounts()[0]!.address,
  },
}
const results: Record<string, object> = {}
for (const [name, world] of Object.entries({ localChain: local, ethereum })) {
  const all: Awaited<ReturnType<typeof measureOnce>>[] = []
  for (let run = 0; run < runs; run++) all.push(await measureOnce(world))
  const middle = (key: 'firstQuoteMs' | 'allPoolsMs' | 'calls' | 'requests') => median(all.map((one) => one[key]))
  results[name] = {
    firstQuoteMs: rounded(middle('firstQuoteMs'), 0),
    slowestFirstQuoteMs: rounded(Math.max(...all.map(({ firstQuoteMs }) => firstQuoteMs)), 0),
    poolsAtFirstQuote: all[0]!.poolsAtFirstQuote,
    allPoolsMs: rounded(middle('allPoolsMs'), 0),
    pools: all[0]!.pools,
    calls: middle('calls'),
    requests: middle('requests'),
  }
}
record('cold-start', { latencyMs: delayMs, runs, ...results })
await devnet.stop()
await mainnet.stop()
process.exit()

async function measureOnce({ chainId, url, env, query }: World) {
  const node = await NodeProxy.start(url)
  node.delayMs = delayMs
  const service = await startProcess({
    ...env,
    [`RPC_URL_${chainId}`]: node.url,
    CHAINS: String(chainId),
    DATA_DIR: '',
  })
  const ready = async () => (await get<Ready>(`${service.url}/ready/${chainId}`)).body
  try {
    const start = performance.now()
    const { status, body } = await get(swapUrl(service.url, chainId, query))
    const firstQuoteMs = performance.now() - start
    if (status !== 200) throw new Error(`the first quote was answered with ${status}: ${JSON.stringify(body)}`)
    const poolsAtFirstQuote = (await ready()).pools ?? 0
    // All pools are known once the scan of past logs has ended and their number is constant.
    let pools = 0
    let startedAt = performance.now()
    let state: string | undefined
    while (performance.now() - start < MAX_WAIT_MS) {
      const now = await ready()
      state = now.scan?.state
      if ((now.pools ?? 0) !== pools) {
        pools = now.pools ?? 0
        startedAt = performance.now()
      }
      if ((state === undefined || state === 'done' || state === 'failing') && performance.now() - startedAt > 3_000)
        break
      await sleep(50)
    }
    const allPoolsMs = startedAt - start
    return {
      firstQuoteMs,
      poolsAtFirstQuote,
      allPoolsMs,
      pools,
      state,
      calls: node.methods.length,
      requests: node.requests,
    }
  } finally {
    await service.stop()
    await node.stop()
  }
}
