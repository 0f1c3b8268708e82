/**
 * `npm run bench -- capacity bill [minutes]`: measures the requests, calls, bytes, and billing units that a self-hosted
 * service of one chain uses at its RPC provider. Phases: start of the chain, 30 s without blocks, an hour with one
 * quote per minute, and an hour with one quote per second. Shorter measurements are scaled to an hour. Computes the
 * cost of a scan of Ethereum's past logs from the chain's file. Results in `results/bill.json`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRegistry } from '@sluice/chains'
import { type Devnet, NodeProxy, request, startDevnet } from '@sluice/devnet'
import { devnetDir, type Service, serviceEnv, startProcess } from '@sluice/system-test/service'
import { get, swapUrl } from '@sluice/system-test/swap'
import { record, rounded } from '../record.ts'

const minutes = Number(process.argv[2] ?? '60')
if (!(minutes > 0)) throw new Error('usage: npm run bench -- capacity bill [minutes]')

/** Prices of an RPC provider, in its billing units. */
type PriceList = {
  readonly unit: string
  /** Units per call of a method that `methods` does not list. */
  readonly call: number
  /** Units of a batch, in addition to its calls. */
  readonly batch: number
  readonly methods: Readonly<Record<string, number>>
}

/**
 * Prices of providers.
 *
 * @see alchemy.com/docs/reference/compute-unit-costs, docs.metamask.io/services/get-started/pricing/credit-cost,
 *   quicknode.com/api-credits/eth, ankr.com/docs/rpc-service/pricing
 */
const prices: Readonly<Record<string, PriceList>> = {
  alchemy: {
    unit: 'compute units',
    call: 20,
    batch: 0,
    methods: {
      eth_chainId: 0,
      eth_blockNumber: 10,
      eth_feeHistory: 10,
      eth_maxPriorityFeePerGas: 10,
      eth_createAccessList: 10,
      eth_call: 26,
      eth_simulateV1: 40,
      eth_getLogs: 60,
    },
  },
  infura: { unit: 'credits', call: 80, batch: 80, methods: { eth_getLogs: 255 } },
  quicknode: { unit: 'credits', call: 20, batch: 0, methods: {} },
  ankr: { unit: 'credits', call: 200, batch: 0, methods: {} },
}
const priceOf = ({ call, methods }: PriceList, method: string) => methods[method] ?? call

/** Maximum blocks per `eth_getLogs` request, by plan of a provider. */
const MAX_LOG_BLOCKS = {
  'Alchemy, free': 10,
  'QuickNode, free': 5,
  'Chainstack, developer': 100,
  '10,000 blocks': 10_000,
}
/** Newest block that a scan of Ethereum's past logs covers. */
const ETHEREUM_HEAD = 24_000_000
/** Families whose pools the service finds only in logs. */
const LISTED_BY_LOGS = ['uniswap-v4', 'balancer-v2', 'balancer-v3', 'pancake-infinity', 'ekubo']

/** Long timeouts, because retries on a busy machine would add calls. */
const LONG_TIMEOUTS = { REQUEST_TIMEOUT_MS: '120000', RPC_TIMEOUT_MS: '60000' }
/** Wait after the first quote until the service has finished its background work. */
const WARM_UP_MS = 10_000
/** Measured time without blocks and quotes. */
const REST_MS = 30_000
const BLOCK_MS = 12_000

/** Counts the calls, requests, batches, and bytes that pass a proxy of the node. */
class Meter {
  private readonly node: NodeProxy
  private batches = 0
  private start = { methodCount: 0, requests: 0, bytes: 0, batches: 0 }

  constructor(node: NodeProxy) {
    this.node = node
    node.injectFault = (_, isBatch) => {
      if (isBatch) this.batches++
      return undefined
    }
  }

  /** Starts the counts at zero. */
  reset(): void {
    const { calledMethods: methods, requestCount: requests, byteCount: bytes } = this.node
    this.start = { methodCount: methods.length, requests, bytes, batches: this.batches }
  }

  /** Returns the counts since `reset`. @param scale - factor from the measured to the reported time */
  read(scale = 1) {
    const methods = this.node.calledMethods.slice(this.start.methodCount)
    const batches = this.batches - this.start.batches
    const costs = Object.entries(prices).map(([provider, list]) => {
      const cost = methods.reduce((sum, method) => sum + priceOf(list, method), batches * list.batch)
      return [provider, Math.round(cost * scale)]
    })
    const byMethod = Object.entries(Object.groupBy(methods, (method) => method))
    return {
      calls: Math.round(methods.length * scale),
      requests: Math.round((this.node.requestCount - this.start.requests) * scale),
      kB: rounded(((this.node.byteCount - this.start.bytes) * scale) / 1_000, 0),
      units: Object.fromEntries(costs),
      methods: Object.fromEntries(byMethod.map(([method, calls]) => [method, Math.round(calls!.length * scale)])),
    }
  }
}

type World = {
  readonly devnet: Devnet
  readonly service: Service
  readonly meter: Meter
  readonly quote: () => Promise<void>
}

async function start(): Promise<World> {
  const devnet = await startDevnet({ dir: devnetDir })
  const node = await NodeProxy.start(devnet.url)
  const chainId = devnet.chainId
  const env = { ...serviceEnv(devnet), [`RPC_URL_${chainId}`]: node.url, CHAINS: String(chainId), ...LONG_TIMEOUTS }
  const service = await startProcess(env)
  const { WETH, USDC } = devnet.info.tokens
  let amount = 10n ** 18n
  const quote = async () => {
    amount += 10n ** 15n
    const query = { src: WETH.address, dst: USDC.address, amount, from: devnet.info.accounts[0]!.address }
    const { status } = await get(swapUrl(service.url, chainId, query))
    if (status !== 200) throw new Error(`a quote was answered with ${status}`)
  }
  return { devnet, service, meter: new Meter(node), quote }
}

/** Activity during a measured hour. */
type Hour = {
  /** Milliseconds between quotes. */
  readonly everyMs: number
  readonly hasBlocks: boolean
}

async function measureHour({ devnet, meter, quote }: World, { everyMs, hasBlocks }: Hour) {
  await quote()
  await sleep(WARM_UP_MS)
  meter.reset()
  const startedAt = performance.now()
  const endMs = minutes * 60_000
  const until = (ms: number) => sleep(Math.max(0, startedAt + ms - performance.now()))
  const mineBlocks = async () => {
    for (let at = BLOCK_MS; hasBlocks && at <= endMs; at += BLOCK_MS) {
      await until(at)
      await request(devnet.url, 'evm_mine', [])
    }
  }
  const sendRequests = async () => {
    for (let at = everyMs; at <= endMs; at += everyMs) {
      await until(at)
      await quote()
    }
  }
  await Promise.all([mineBlocks(), sendRequests()])
  return meter.read(60 / minutes)
}

async function measureStartAndRest() {
  const { meter, quote } = await start()
  meter.reset()
  await quote()
  await sleep(WARM_UP_MS)
  const waking = meter.read()
  meter.reset()
  await sleep(REST_MS)
  return { waking, rest30s: meter.read() }
}

/** Returns the cost of a scan of Ethereum's past logs, by plan. The scan makes one call per range for all families. */
function scanCosts(): object {
  const starts = loadRegistry()
    .chain(1)!
    .dexes.filter(({ family, startBlock }) => LISTED_BY_LOGS.includes(family) && startBlock !== undefined)
    .map(({ startBlock }) => startBlock!)
  const blocks = ETHEREUM_HEAD - Math.min(...starts)
  const plans = Object.entries(MAX_LOG_BLOCKS).map(([plan, maxBlocks]) => {
    const calls = Math.ceil(blocks / maxBlocks)
    const units = Object.entries(prices).map(([provider, list]) => [provider, calls * priceOf(list, 'eth_getLogs')])
    return [plan, { calls, hoursAt10PerSecond: rounded(calls / 10 / 3_600), units: Object.fromEntries(units) }]
  })
  return { blocks, ...Object.fromEntries(plans) }
}

const startAndRest = await measureStartAndRest()
// Starts the three services one after the other, because a starting service uses a whole core.
const worlds = [await start(), await start(), await start()] as const
const [quiet, quietWithBlocks, busy] = await Promise.all([
  measureHour(worlds[0], { everyMs: 60_000, hasBlocks: false }),
  measureHour(worlds[1], { everyMs: 60_000, hasBlocks: true }),
  measureHour(worlds[2], { everyMs: 1_000, hasBlocks: true }),
])
record('bill', {
  minutes,
  ...startAndRest,
  quietHour: quiet,
  quietHourWithBlocks: quietWithBlocks,
  busyHour: busy,
  fullScan: scanCosts(),
})
process.exit()
