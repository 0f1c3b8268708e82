/**
 * `npm run bench -- sync awake-chains`: measures a service with a hundred awake chains. A chain is awake while the
 * service gets requests for it. After some time without requests, it sleeps, and frees its memory. The chains are those
 * of the registry with the local chain's contracts. One node on the same machine serves all of them through a proxy.
 * Ten chains are requested at a time.
 */
import { inWaves, startManyChains } from '@sluice/system-test/many-chains'
import { get, quote } from '@sluice/system-test/swap'
import { cpuMs, memoryMB } from '../lib/processor.ts'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

const CHAINS = 100
const CONCURRENT_QUOTES = 10
const HUB_TOKENS = 7
const IDLE_MS = 30_000
const REST_MS = 10_000

const manyChains = await startManyChains(CHAINS, HUB_TOKENS, { IDLE_SLEEP_MS: String(IDLE_MS) })
try {
  const { WETH, USDC } = manyChains.devnet.info.tokens
  const query = {
    src: WETH.address,
    dst: USDC.address,
    amount: 10n ** 18n,
    from: manyChains.devnet.info.accounts[0]!.address,
  }
  const quoteAll = async () => {
    const start = performance.now()
    const ms = await inWaves(manyChains.chainIds, CONCURRENT_QUOTES, async (chainId) => {
      const before = performance.now()
      await quote(manyChains.service.url, chainId, query)
      return performance.now() - before
    })
    return {
      totalMs: Math.round(performance.now() - start),
      medianMs: rounded(median(ms)),
      slowestMs: rounded(Math.max(...ms)),
    }
  }
  const usageAtStart = usageNow()
  const firstQuotes = await quoteAll()
  const laterQuotes = await quoteAll()
  const usageAwake = usageNow()
  const pools = Object.values((await getReadiness()).chains).reduce((sum, chain) => sum + (chain.pools ?? 0), 0)
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const usageAtRest = usageNow()
  while (!Object.values((await getReadiness()).chains).every(({ state }) => state === 'asleep'))
    await new Promise((resolve) => setTimeout(resolve, 500))
  const usageAsleep = usageNow()
  record('awake-chains', {
    chains: CHAINS,
    quotesAtOnce: CONCURRENT_QUOTES,
    poolsPerChain: Math.round(pools / CHAINS),
    firstQuote: firstQuotes,
    quoteOnceAwake: laterQuotes,
    memoryMB: { atStart: usageAtStart.memoryMB, awake: usageAwake.memoryMB, asleep: usageAsleep.memoryMB },
    memoryPerChainMB: rounded((usageAwake.memoryMB - usageAtStart.memoryMB) / CHAINS, 2),
    cpuPercentWhileNobodyAsks: rounded(((usageAtRest.cpuSeconds - usageAwake.cpuSeconds) / (REST_MS / 1000)) * 100),
  })
} finally {
  await manyChains.stop()
}

async function getReadiness() {
  type Ready = { readonly chains: Readonly<Record<string, { readonly state: string; readonly pools?: number }>> }
  return (await get<Ready>(`${manyChains.service.url}/ready`)).body
}

/** Returns the memory of the service's process, and its total processor time, as counted by Linux. */
function usageNow(): { readonly memoryMB: number; readonly cpuSeconds: number } {
  const pid = manyChains.service.process.pid!
  return { memoryMB: memoryMB(pid), cpuSeconds: cpuMs(pid) / 1_000 }
}
