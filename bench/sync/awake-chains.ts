/**
 * `npm run bench -- sync awake-chains`: measures a hundred awake chains in one process. Each is a chain of the registry with
 * the local chain's contracts, over one node behind a proxy. Ten chains are requested at a time. The node shares the
 * machine.
 */
import { inWaves, startManyChains } from '@sluice/system-test/many-chains'
import { get, quote } from '@sluice/system-test/swap'
import { cpuMs, memoryMB } from '../lib/processor.ts'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

const CHAINS = 100
const AT_ONCE = 10
const HUBS = 7
const IDLE_MS = 30_000
const REST_MS = 10_000

const many = await startManyChains(CHAINS, HUBS, { IDLE_SLEEP_MS: String(IDLE_MS) })
try {
  const { WETH, USDC } = many.devnet.info.tokens
  const query = {
    src: WETH.address,
    dst: USDC.address,
    amount: 10n ** 18n,
    from: many.devnet.info.accounts[0]!.address,
  }
  const quoteAll = async () => {
    const start = performance.now()
    const ms = await inWaves(many.chainIds, AT_ONCE, async (chainId) => {
      const before = performance.now()
      await quote(many.service.url, chainId, query)
      return performance.now() - before
    })
    return {
      totalMs: Math.round(performance.now() - start),
      medianMs: rounded(median(ms)),
      slowestMs: rounded(Math.max(...ms)),
    }
  }
  const usageAtStart = processNow()
  const first = await quoteAll()
  const again = await quoteAll()
  const awake = processNow()
  const pools = Object.values((await readyNow()).chains).reduce((sum, chain) => sum + (chain.pools ?? 0), 0)
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const usageAtRest = processNow()
  while (!Object.values((await readyNow()).chains).every(({ state }) => state === 'asleep'))
    await new Promise((resolve) => setTimeout(resolve, 500))
  const asleep = processNow()
  record('awake-chains', {
    chains: CHAINS,
    quotesAtOnce: AT_ONCE,
    poolsPerChain: Math.round(pools / CHAINS),
    firstQuote: first,
    quoteOnceAwake: again,
    memoryMB: { atStart: usageAtStart.memoryMB, awake: awake.memoryMB, asleep: asleep.memoryMB },
    memoryPerChainMB: rounded((awake.memoryMB - usageAtStart.memoryMB) / CHAINS, 2),
    cpuPercentWhileNobodyAsks: rounded(((usageAtRest.cpuSeconds - awake.cpuSeconds) / (REST_MS / 1000)) * 100),
  })
} finally {
  await many.stop()
}

async function readyNow() {
  type Ready = { readonly chains: Readonly<Record<string, { readonly state: string; readonly pools?: number }>> }
  return (await get<Ready>(`${many.service.url}/ready`)).body
}

/** Returns memory and processor time of the service's process, as counted by Linux. */
function processNow(): { readonly memoryMB: number; readonly cpuSeconds: number } {
  const pid = many.service.process.pid!
  return { memoryMB: memoryMB(pid), cpuSeconds: cpuMs(pid) / 1_000 }
}
