import { availableParallelism } from 'node:os'
import { z } from 'zod'

/** The process itself needs a core; more than a few threads would only repeat what each holds in memory. */
const ROUTE_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))

const integer = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .default(fallback)

const urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be http or https addresses, separated by commas' })).min(1))

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be SHA-256 hashes as 64 hex digits, separated by commas')

/** `true` and `false`, a number of proxies, or addresses and subnets, as Express takes them. */
const trustProxy = z
  .string()
  .transform((text) => (text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text))
  .default(false)

const environment = z.object({
  PORT: integer(3000, 0, 65_535).describe('Port to listen on; 0 takes a free one.'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
  CHAINS_DIR: z.string().min(1).optional().describe('Directory of chain files that overlay the registry.'),
  DEPLOYMENTS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Directory whose files replace or add to those of `deployments/`.'),
  DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Directory where known pools are kept between runs, one SQLite file a chain; nowhere when unset.'),
  DATA_SAVE_MS: integer(30_000, 1_000, 3_600_000).describe('How often they are saved: what a kill loses at most.'),
  ERROR_VERSION: z.enum(['A', 'B'], 'must be A or B').default('B').describe('Which error bodies are served.'),
  TRUST_PROXY: trustProxy.describe('Proxies whose `X-Forwarded-*` headers count: true, false, a number or subnets.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level of pino')
    .default('info')
    .describe('Least severe log line that is written.'),
  FEE_EXEMPT_KEY_HASHES: z
    .string()
    .transform((text) => text.split(',').map((hash) => hash.trim().toLowerCase()))
    .pipe(z.array(sha256))
    .default([])
    .describe('SHA-256 of the keys that `feeExemptKey` accepts, separated by commas.'),
  REQUEST_TIMEOUT_MS: integer(10_000, 100, 120_000).describe('Time for a whole request, then 504.'),
  RPC_TIMEOUT_MS: integer(4_000, 50, 60_000).describe(
    'Time for one attempt at a call to a node; a call is tried again, here and elsewhere, for twice that.',
  ),
  RPC_BACKGROUND_CALLS: integer(20, 1, 100_000).describe(
    'Calls a second that audits and scans of a chain may make; what others wait for is not limited by it.',
  ),
  RPC_BACKGROUND_BYTES: integer(2_000_000, 1_000, 1_000_000_000).describe('The same in bytes, sent and received.'),
  MAX_CONCURRENT: integer(24, 1, 10_000).describe(
    'Requests of one chain that run at once; fewer while the process itself is what is short.',
  ),
  MAX_QUEUED: integer(1_024, 0, 100_000).describe('Requests of one chain that may wait; more get 503.'),
  MAX_WAIT_MS: integer(2_000, 10, 60_000).describe('What would wait longer for its turn gets 503 at once.'),
  MAX_CONNECTIONS_PER_CALLER: integer(4_096, 1, 1_000_000).describe(
    'Connections that are open at once from one address, or one /64 of IPv6; trusted proxies may have any number.',
  ),
  IDLE_SLEEP_MS: integer(600_000, 1_000, 86_400_000).describe(
    'A chain not asked for this long stops following blocks.',
  ),
  EARN_BLOCKS: integer(0, 0, 100_000_000).describe(
    'Blocks in a row that a token has to be seen to behave before routes of others may pass through it; 0 for a day of them.',
  ),
  ROUTE_THREADS: integer(ROUTE_THREADS, 1, 64).describe(
    'Threads that may search routes of chains with many pools, each with its own copy of them.',
  ),
  ROUTE_TIMEOUT_MS: integer(2_000, 100, 60_000).describe(
    'Time for one search in a thread, then the thread is replaced and the caller gets 504.',
  ),
  ROUTE_THREAD_MEMORY_MB: integer(2_048, 64, 65_536).describe('Most memory of one such thread.'),
  ROUTE_INLINE_POOLS: integer(1_000, 0, 10_000_000).describe(
    'Most known pools of a chain whose routes are searched between two requests, where that is little work, instead of in a thread.',
  ),
  SIMULATE_GAS_CAP: integer(100_000_000, 100_000, 10_000_000_000).describe('Most gas that one simulation may use.'),
  SHUTDOWN_GRACE_MS: integer(10_000, 0, 120_000).describe('Time that running requests get when the service stops.'),
})

const rpcUrlName = /^RPC_URL_([1-9]\d*)$/

export type Config = {
  readonly port: number
  readonly host: string
  readonly chainsDir: string | undefined
  readonly deploymentsDir: string | undefined
  readonly dataDir: string | undefined
  readonly dataSaveMs: number
  readonly errorVersion: 'A' | 'B'
  readonly trustProxy: boolean | number | string
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  /** Lower-case hex. */
  readonly feeExemptKeyHashes: ReadonlySet<string>
  readonly requestTimeoutMs: number
  readonly rpcTimeoutMs: number
  readonly rpcBackgroundCalls: number
  readonly rpcBackgroundBytes: number
  readonly maxConcurrent: number
  readonly maxQueued: number
  readonly maxWaitMs: number
  readonly maxConnectionsPerCaller: number
  readonly idleSleepMs: number
  /** Undefined for a day of them. */
  readonly earnBlocks: number | undefined
  readonly routeThreads: number
  readonly routeTimeoutMs: number
  readonly routeThreadMemoryMb: number
  readonly routeInlinePools: number
  readonly simulateGasCap: bigint
  readonly shutdownGraceMs: number
  /** By chain id; chains not named use the registry's public endpoints. */
  readonly rpcUrls: ReadonlyMap<number, readonly string[]>
}

/** The environment is wrong. The message has one line per variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the whole configuration, once. Empty variables count as absent, as compose files write them.
 *
 * @throws ConfigError naming every variable that is wrong
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const mistakes: string[] = []
  const rpcUrls = new Map<number, readonly string[]>()
  for (const [name, value] of Object.entries(given)) {
    const chainId = rpcUrlName.exec(name)?.[1]
    if (!chainId) {
      if (name.startsWith('RPC_URL_')) mistakes.push(`${name}: must end in a chain id, such as RPC_URL_1`)
      continue
    }
    const parsed = urls.safeParse(value)
    if (parsed.success) rpcUrls.set(Number(chainId), parsed.data)
    else mistakes.push(`${name}: ${parsed.error.issues[0]?.message}`)
  }
  const parsed = environment.safeParse(given)
  if (!parsed.success)
    mistakes.push(...parsed.error.issues.map(({ path, message }) => `${path[0]?.toString()}: ${message}`))
  if (!parsed.success || mistakes.length > 0)
    throw new ConfigError(`The environment is wrong:\n  ${mistakes.join('\n  ')}`)
  const { data } = parsed
  return {
    port: data.PORT,
    host: data.HOST,
    chainsDir: data.CHAINS_DIR,
    deploymentsDir: data.DEPLOYMENTS_DIR,
    dataDir: data.DATA_DIR,
    dataSaveMs: data.DATA_SAVE_MS,
    errorVersion: data.ERROR_VERSION,
    trustProxy: data.TRUST_PROXY,
    logLevel: data.LOG_LEVEL,
    feeExemptKeyHashes: new Set(data.FEE_EXEMPT_KEY_HASHES),
    requestTimeoutMs: data.REQUEST_TIMEOUT_MS,
    rpcTimeoutMs: data.RPC_TIMEOUT_MS,
    rpcBackgroundCalls: data.RPC_BACKGROUND_CALLS,
    rpcBackgroundBytes: data.RPC_BACKGROUND_BYTES,
    maxConcurrent: data.MAX_CONCURRENT,
    maxQueued: data.MAX_QUEUED,
    maxWaitMs: data.MAX_WAIT_MS,
    maxConnectionsPerCaller: data.MAX_CONNECTIONS_PER_CALLER,
    idleSleepMs: data.IDLE_SLEEP_MS,
    earnBlocks: data.EARN_BLOCKS || undefined,
    routeThreads: data.ROUTE_THREADS,
    routeTimeoutMs: data.ROUTE_TIMEOUT_MS,
    routeThreadMemoryMb: data.ROUTE_THREAD_MEMORY_MB,
    routeInlinePools: data.ROUTE_INLINE_POOLS,
    simulateGasCap: BigInt(data.SIMULATE_GAS_CAP),
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
    rpcUrls,
  }
}
