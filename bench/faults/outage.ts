/**
 * `npm run bench -- faults outage [minutes] [mode…]`: measures a service during an outage, in which only the node of
 * one healthy chain responds. Requests for all chains of the registry make the service try to follow them. Measures
 * memory, CPU time, and sockets of the service, and the healthy chain's quotes before and during the outage. Results in
 * `results/outage.json`. Modes:
 * - `missing`: hosts without an address
 * - `silent`: hosts that accept connections and never respond
 * - `refused`: ports without a listener
 * - `dns`: a name server that never responds, in a network namespace; needs `unshare`
 */
import { execFileSync, type StdioOptions, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRegistry } from '@sluice/chains'
import { startDevnet } from '@sluice/devnet'
import { devnetDir, type ServiceProcess, serviceEnv, startProcess } from '@sluice/system-test/service'
import { get, swapUrl } from '@sluice/system-test/swap'
import { cpuMs, memoryMB } from '../lib/processor.ts'
import { median, quantile } from '../lib/statistics.ts'
import { lastRecord, record, rounded } from '../record.ts'

const MODES = ['missing', 'silent', 'refused', 'dns'] as const
type Mode = (typeof MODES)[number]

const ENDPOINTS = 3
/** Milliseconds between quotes of the healthy chain. */
const QUOTE_INTERVAL_MS = 100
/** Milliseconds between requests for chains without a responding node. */
const DEAD_CHAIN_REQUEST_MS = 250
/** Time from the first requests for all chains until the measurement of memory begins. */
const SETTLE_MS = 60_000

const [minutesText = '30', ...modeArguments] = process.argv.slice(2)
const minutes = Number(minutesText)
const modes = modeArguments.length > 0 ? (modeArguments as Mode[]) : MODES
if (!(minutes > 0) || modes.some((mode) => !MODES.includes(mode)))
  throw new Error(`usage: npm run bench -- faults outage [minutes] [${MODES.join('|')}…]`)

if (process.env.OUTAGE_CHILD) console.log(JSON.stringify(await measure(process.env.OUTAGE_CHILD as Mode)))
else
  for (const mode of modes) {
    const measurement = { minutes, ...measureInProcess(mode) }
    record('outage', { ...recordedModes(), [mode]: measurement })
  }
process.exit()

/** Returns the earlier results by mode. A mode takes half an hour, so modes can be measured separately. */
function recordedModes(): object {
  const results = lastRecord<Record<string, object>>('outage') ?? {}
  return Object.fromEntries(MODES.flatMap((mode) => (results[mode] ? [[mode, results[mode]]] : [])))
}

/** Measures a mode in its own process. The process of `dns` has only a name server that never responds. */
function measureInProcess(mode: Mode): object {
  const command = [process.execPath, 'scripts/bench.ts', 'faults', 'outage', minutesText]
  const env = { ...process.env, OUTAGE_CHILD: mode }
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit']
  const options = { env, encoding: 'utf8' as const, stdio }
  if (mode !== 'dns') return lastLine(execFileSync(command[0]!, command.slice(1), options))
  const dir = mkdtempSync(join(tmpdir(), 'sluice-outage-'))
  const resolv = join(dir, 'resolv.conf')
  writeFileSync(resolv, 'nameserver 127.0.0.1\n')
  const script = `ip link set lo up && mount --bind ${resolv} /etc/resolv.conf && exec "$@"`
  const { stdout, status } = spawnSync('unshare', ['-rnm', 'sh', '-c', script, 'sh', ...command], options)
  rmSync(dir, { recursive: true })
  return status === 0 ? lastLine(stdout) : { skipped: 'no network namespace can be created here' }
}

function lastLine(text: string): object {
  return JSON.parse(text.trim().split('\n').at(-1)!) as object
}

async function measure(mode: Mode): Promise<object> {
  const endpointsOf = await deadEndpoints(mode)
  const devnet = await startDevnet({ dir: devnetDir })
  const deadChainIds = loadRegistry().supportedIds()
  const urls = Object.fromEntries(deadChainIds.map((id, chainIndex) => [`RPC_URL_${id}`, endpointsOf(chainIndex)]))
  const service = await startProcess({
    ...urls,
    ...serviceEnv(devnet),
    IDLE_SLEEP_MS: '86400000',
    MAX_CONCURRENT: '32',
  })
  const { WETH, USDC } = devnet.info.tokens
  const query = { src: WETH.address, dst: USDC.address, from: devnet.info.accounts[0]!.address }
  const urlOf = (amount: bigint) => swapUrl(service.url, devnet.chainId, { ...query, amount })
  try {
    await measureQuotes(urlOf, 5_000)
    const before = await measureQuotes(urlOf, 15_000)
    const stateAtStart = processState(service)
    const statuses: number[] = []
    const responseTimesMs: number[] = []
    const sendRequest = async (id: number) => {
      const start = performance.now()
      const { status } = await get(`${service.url}/prices/${id}?token=${WETH.address}`)
      statuses.push(status)
      responseTimesMs.push(performance.now() - start)
    }
    const firstRequests = Promise.all(deadChainIds.map(sendRequest))
    let requestIndex = 0
    const requestTimer = setInterval(
      () => void sendRequest(deadChainIds[requestIndex++ % deadChainIds.length]!).catch(() => {}),
      DEAD_CHAIN_REQUEST_MS,
    )
    let settledMemoryMB: number | undefined
    let maxMemoryMB = 0
    let minMemoryMB = Number.POSITIVE_INFINITY
    let maxSockets = 0
    const settleMs = Math.min(SETTLE_MS, minutes * 20_000)
    const meanwhile = await measureQuotes(urlOf, minutes * 60_000, (elapsedMs) => {
      const state = processState(service)
      maxSockets = Math.max(maxSockets, state.sockets)
      if (elapsedMs < settleMs) return
      settledMemoryMB ??= state.memoryMB
      maxMemoryMB = Math.max(maxMemoryMB, state.memoryMB)
      minMemoryMB = Math.min(minMemoryMB, state.memoryMB)
    })
    clearInterval(requestTimer)
    await firstRequests
    const stateAtEnd = processState(service)
    const lastTimesMs = responseTimesMs.slice(-Math.min(200, responseTimesMs.length >> 1))
    return {
      chains: deadChainIds.length,
      memoryMB: {
        beforeWaking: stateAtStart.memoryMB,
        settled: settledMemoryMB,
        lowest: minMemoryMB,
        highest: maxMemoryMB,
        atEnd: stateAtEnd.memoryMB,
      },
      growthMB: rounded(maxMemoryMB - settledMemoryMB!),
      maxSockets,
      cpuPercent: rounded((100 * (stateAtEnd.cpuSeconds - stateAtStart.cpuSeconds)) / (minutes * 60)),
      deadChains: {
        requests: statuses.length,
        statuses: countByStatus(statuses),
        lateMedianMs: rounded(median(lastTimesMs)),
      },
      healthy: { before, meanwhile, p50Ratio: rounded(meanwhile.p50Ms / before.p50Ms, 2) },
    }
  } finally {
    await service.stop()
    await devnet.stop()
  }
}

/** Requests quotes of the healthy chain for `durationMs`, each with another amount. */
async function measureQuotes(
  urlOf: (amount: bigint) => string,
  durationMs: number,
  onQuote: (elapsedMs: number) => void = () => {},
) {
  const times: number[] = []
  const start = performance.now()
  for (let requestIndex = 0; performance.now() - start < durationMs; requestIndex++) {
    const startTime = performance.now()
    const { status } = await get(urlOf(10n ** 18n + BigInt(requestIndex)))
    if (status === 200) times.push(performance.now() - startTime)
    onQuote(performance.now() - start)
    await sleep(Math.max(0, QUOTE_INTERVAL_MS - (performance.now() - startTime)))
  }
  return { count: times.length, p50Ms: rounded(median(times), 2), p95Ms: rounded(quantile(times, 0.95), 2) }
}

function countByStatus(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Creates endpoints that do not respond. Returns a function from a chain's index to its endpoints, as for RPC_URL. */
async function deadEndpoints(mode: Mode): Promise<(chainIndex: number) => string> {
  const list = (urlAt: (index: number) => string) => Array.from({ length: ENDPOINTS }, (_, i) => urlAt(i)).join(',')
  if (mode === 'missing' || mode === 'dns') {
    if (mode === 'dns') await new Promise<void>((resolve) => createSocket('udp4').bind(53, '127.0.0.1', resolve))
    return (chainIndex) => list((i) => `https://node-${chainIndex}-${i}.sluice.invalid`)
  }
  // Reads requests and drops them. A socket that is not read would not notice that the client has closed it.
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  if (mode === 'refused') await new Promise((resolve) => server.close(resolve))
  // Each endpoint has its own address. All addresses of 127.0.0.0/8 are this machine.
  return (chainIndex) => list((i) => `http://127.${100 + i}.${chainIndex >> 8}.${(chainIndex & 255) + 1}:${port}`)
}

function processState({ process: child }: ServiceProcess) {
  const pid = child.pid!
  return { memoryMB: memoryMB(pid), cpuSeconds: cpuMs(pid) / 1_000, sockets: readdirSync(`/proc/${pid}/fd`).length }
}
