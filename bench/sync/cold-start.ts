/**
 * `npm run bench -- sync cold-start [latency in ms] [runs]`: measures the time from a new process to the first quote of
 * a major pair, and until the service knows all pools, over a node with the given latency. Uses the local chain and the
 * recorded Ethereum state. Results in `results/cold-start.json`.
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
  const measurements: Awaited<ReturnType<typeof measureOnce>>[] = []
  for (let run = 0; run < runs; run++) measurements.push(await measureOnce(world))
  const medianOf = (key: 'firstQuoteMs' | 'allPoolsMs' | 'calls' | 'requests') =>
    median(measurements.map((measurement) => measurement[key]))
  results[name] = {
    firstQuoteMs: rounded(medianOf('firstQuoteMs'), 0),
    slowestFirstQuoteMs: rounded(Math.max(...measurements.map(({ firstQuoteMs }) => firstQuoteMs)), 0),
    poolsAtFirstQuote: measurements[0]!.poolsAtFirstQuote,
    allPoolsMs: rounded(medianOf('allPoolsMs'), 0),
    pools: measurements[0]!.pools,
    calls: medianOf('calls'),
    requests: medianOf('requests'),
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
  const getReadiness = async () => (await get<Ready>(`${service.url}/ready/${chainId}`)).body
  try {
    const start = performance.now()
    const { status, body } = await get(swapUrl(service.url, chainId, query))
    const firstQuoteMs = performance.now() - start
    if (status !== 200) throw new Error(`the first quote was answered with ${status}: ${JSON.stringify(body)}`)
    const poolsAtFirstQuote = (await getReadiness()).pools ?? 0
    // All pools are known when the scan of past logs has ended and the number of pools no longer changes.
    let pools = 0
    let constantSince = performance.now()
    let state: string | undefined
    while (performance.now() - start < MAX_WAIT_MS) {
      const readiness = await getReadiness()
      state = readiness.scan?.state
      if ((readiness.pools ?? 0) !== pools) {
        pools = readiness.pools ?? 0
        constantSince = performance.now()
      }
      if ((state === undefined || state === 'done' || state === 'failing') && performance.now() - constantSince > 3_000)
        break
      await sleep(50)
    }
    const allPoolsMs = constantSince - start
    return {
      firstQuoteMs,
      poolsAtFirstQuote,
      allPoolsMs,
      pools,
      state,
      calls: node.calledMethods.length,
      requests: node.requestCount,
    }
  } finally {
    await service.stop()
    await node.stop()
  }
}
