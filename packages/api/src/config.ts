/** Reads the configuration from environment variables. */
import { isIP, isIPv4 } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Chain, toAddress } from '@sluice/chains'
import type { ChainSettings } from '@sluice/quoting'
import { z } from 'zod'

/**
 * Default number of search threads. Leaves a core for the main thread; at most 4, because each thread copies the pools.
 */
const DEFAULT_ROUTE_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))

/** Directory with the output of `vite build` of packages/web. */
const DEFAULT_WEB_DIR = join(import.meta.dirname, '../../web/dist')
/** Directory with the output of the build of packages/docs. */
const DEFAULT_DOCS_DIR = join(import.meta.dirname, '../../docs/dist')

const integer = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .meta({ range: [min, max] })
    .default(fallback)

const urls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be http or https addresses, separated by commas' })).min(1))

const chainIds = z
  .string()
  .regex(/^[1-9]\d{0,15}( *, *[1-9]\d{0,15})*$/, 'must be chain ids, separated by commas')
  .transform((text): readonly number[] => text.split(',').map(Number))
  .optional()

/** Path or URL of a pool list, and the SHA-256 in hex that the bytes of the list must have. */
export type PoolSource = { readonly location: string; readonly isUrl: boolean; readonly sha256?: string }

const poolSources = z
  .string()
  .transform((text, context): readonly PoolSource[] =>
    text.split(',').flatMap((item) => {
      const source = parsePoolSource(item.trim())
      if (typeof source !== 'string') return [source]
      context.addIssue(source)
      return []
    }),
  )
  .default([])

/** Parses one entry of `POOLS`. @returns the error message if the entry is invalid */
function parsePoolSource(text: string): PoolSource | string {
  const [, location = '', hash] = /^(.*?)(?:#(.*))?$/s.exec(text) ?? []
  if (location === '') return 'must be files or URLs, separated by commas'
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(location)
  if (isUrl && !/^https?:$/.test(URL.canParse(location) ? new URL(location).protocol : ''))
    return 'must be files, or http or https addresses'
  if (isUrl && (new URL(location).username !== '' || new URL(location).password !== ''))
    return 'a URL must not hold credentials: download the file and name that'
  const sha256 = /^sha256=([0-9a-f]{64})$/i.exec(hash ?? '')?.[1]?.toLowerCase()
  if (hash !== undefined && sha256 === undefined) return 'what follows # must be sha256= and 64 hex digits'
  if (isUrl && sha256 === undefined) return 'a URL must end in #sha256=<hash>, so that nobody can exchange the file'
  return { location, isUrl, ...(sha256 !== undefined && { sha256 }) }
}

const chainId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a chain id')
  .transform(Number)
  .optional()
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
  .transform(toAddress)

const redis = z
  .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address, whose password is percent-encoded' })
  .refine((url) => /^\/?\d*$/.test(URL.parse(url)?.pathname ?? ''), 'must have no path but the number of a database')
  .optional()

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be SHA-256 hashes as 64 hex digits, separated by commas')

const headers = z
  .string()
  .transform((text) => text.split(',').map((pair) => /^\s*([\w-]+)\s*=(.*)$/.exec(pair)?.slice(1) ?? null))
  .refine((pairs) => !pairs.includes(null), 'must be name=value, separated by commas')
  .transform((pairs, context): Readonly<Record<string, string>> => {
    try {
      return Object.fromEntries((pairs as string[][]).map(([name, value]) => [name, decodeURIComponent(value!.trim())]))
    } catch {
      context.addIssue('values must be percent-encoded')
      return z.NEVER
    }
  })
  .default({})

/** Value of Express's `trust proxy`: a boolean, a number of proxies, or addresses and subnets. */
const trustProxy = z
  .string()
  .refine(
    (text) => /^(true|false|\d+)$/.test(text) || text.split(',').every((subnet) => isSubnet(subnet.trim())),
    'must be true, false, a number of proxies, or addresses and subnets, separated by commas',
  )
  .transform((text) => (text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text))
  .default(false)

/**
 * Returns true for an address, for a subnet with a prefix length or an IPv4 mask, and for the names that Express
 * accepts.
 */
function isSubnet(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [, address = '', range] = /^([^/]*)(?:\/(.*))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0 || range === undefined) return version !== 0
  if (version === 4 && isIPv4(range)) return true
  return /^\d{1,3}$/.test(range) && Number(range) >= 1 && Number(range) <= (version === 4 ? 32 : 128)
}

/** Schema of the environment variables; the configuration reference is generated from it. */
export const environment = z.object({
  PORT: integer(3000, 0, 65_535).describe('Port to listen on; 0 takes a free port.'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
  METRICS_PORT: integer(0, 0, 65_535)
    .transform((port) => port || undefined)
    .describe(
      'Separate port for `/metrics`; `PORT` then answers 404 for that path. 0 serves `/metrics` on `PORT`. The container image sets 9464.',
    ),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on at `METRICS_PORT`.'),
  CHAINS: chainIds.describe('Ids of the served chains, separated by commas; if unset, all chains of the registry.'),
  CHAINS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Directory of chain files that are added to the registry or replace files of it.'),
  DEPLOYMENTS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Directory of deployment files that are added to `deployments/` or replace files of it.'),
  DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Directory that stores known pools between runs, in one SQLite file per chain. If unset, the operating system's directory for application data; if empty, or unset with `REDIS_URL`, pools are not stored.",
    ),
  POOLS: poolSources.describe(
    'Pool lists to load at the start, one per chain, as `<file or URL>#sha256=<hash>`, separated by commas (`npm run snapshot -- pools` creates them). A URL requires the hash. Each pool is verified on chain. Past logs that a list covers are not searched.',
  ),
  REDIS_URL: redis.describe(
    'Address of the Redis through which processes share the state of chains (packages/bus). If unset, the process reads the chains itself.',
  ),
  ROLE: z
    .enum(['all', 'worker', 'indexer', 'solver'], 'must be all, worker, indexer or solver')
    .default('all')
    .describe(
      'Role of the process. `worker` and `indexer` require `REDIS_URL`: an indexer reads chains for all processes and serves only the endpoints for operators; a worker serves quotes and reads no chain. A solver also answers drivers of CoW Protocol (docs/solver.md); with `REDIS_URL` it is a worker too.',
    ),
  SOLVER_CHAIN: chainId.describe(
    'With `ROLE=solver`: chain whose auctions `POST /solve` accepts. `/solver/{chain}/solve` accepts auctions of any chain.',
  ),
  SOLVER_SETTLEMENT: address
    .default(toAddress('0x9008d19f58aabd9ed0d60971565aa8510560ab41'))
    .describe("Address of CoW Protocol's settlement contract, the same on all of its networks."),
  UNISWAPX_FILLER: address
    .optional()
    .describe('Contract that fills orders of UniswapX. If set, a solver also serves `POST /uniswapx/quote`.'),
  UNISWAPX_TIMEOUT_MS: integer(400, 50, 60_000).describe(
    'Maximum milliseconds of `POST /uniswapx/quote`; after that it is answered with 204. UniswapX waits 500 ms for a quoter, so the default leaves 100 ms for the network.',
  ),
  WEB_DIR: z
    .string()
    .min(1)
    .default(DEFAULT_WEB_DIR)
    .describe('Directory of the built playground, which is served at `/` if the directory contains an `index.html`.'),
  DOCS_DIR: z
    .string()
    .min(1)
    .default(DEFAULT_DOCS_DIR)
    .describe('Directory of the built documentation, which is served at `/docs` if it contains an `index.html`.'),
  LOCAL_CHAIN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('JSON file of a local chain whose first account the playground may use; `npm start` sets this variable.'),
  DATA_SAVE_MS: integer(30_000, 1_000, 3_600_000).describe(
    'Milliseconds between two saves of known pools to `DATA_DIR`; a killed process loses at most the changes of this time.',
  ),
  QUOTE_LOG_MB: integer(256, 0, 100_000).describe(
    'Maximum megabytes of the quote log in `DATA_DIR`, one SQLite file per chain, from which `npm run replay` computes quotes again; 0 disables the log. If `DATA_DIR` is unset, the log is only written if this variable is set.',
  ),
  DRIFT_SAMPLE_PERCENT: integer(1, 0, 100).describe(
    "Percent of a node's calls that are spent on simulating quotes again, one and two blocks later, for `/stats` and `/metrics`; 0 disables this.",
  ),
  ERROR_VERSION: z
    .enum(['A', 'B'], 'must be A or B')
    .default('B')
    .describe('Format of error bodies: A is plain text, B is JSON.'),
  COMPATIBLE: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .transform((text) => text === '1')
    .describe('1 also serves the formats of other services, under `/compatible` (docs/compatible.md).'),
  TRUST_PROXY: trustProxy.describe(
    'Proxies whose `X-Forwarded-*` headers are used: true for all, false for none, a number of proxies, or subnets.',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level of pino')
    .default('info')
    .describe('Minimum severity of the log lines that are written.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('Collector to which traces are sent, by OTLP over HTTP. If unset, nothing is traced.'),
  OTEL_EXPORTER_OTLP_HEADERS: headers.describe(
    'Headers of the requests to the collector, as `name=value`, separated by commas.',
  ),
  OTEL_SERVICE_NAME: z.string().min(1).default('sluice').describe('Name of the service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0+)?)$/, 'must be from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Share of requests that are traced, from 0 to 1, unless the `traceparent` header of a request decides.'),
  FEE_EXEMPT_KEY_HASHES: z
    .string()
    .transform((text) => text.split(',').map((hash) => hash.trim().toLowerCase()))
    .pipe(z.array(sha256))
    .default([])
    .transform((hashes): ReadonlySet<string> => new Set(hashes))
    .describe('SHA-256 hashes of the keys that `feeExemptKey` accepts, separated by commas.'),
  REQUEST_TIMEOUT_MS: integer(10_000, 100, 120_000).describe(
    'Maximum milliseconds of a request; after that it is answered with 504.',
  ),
  RPC_TIMEOUT_MS: integer(4_000, 50, 60_000).describe(
    'Maximum milliseconds of one attempt at a call to a node. All attempts at the call, at any endpoint, may take twice as long.',
  ),
  RPC_BACKGROUND_CALLS: integer(20, 1, 100_000).describe(
    'Maximum calls per second of background work on a chain, such as audits. Calls for which a request waits are not limited.',
  ),
  RPC_BACKGROUND_BYTES: integer(2_000_000, 1_000, 1_000_000_000).describe(
    'Maximum bytes per second, sent and received, of background work on a chain, and of its search of past logs.',
  ),
  RPC_SCAN_CALLS: integer(10, 1, 100_000).describe(
    'Maximum calls per second of the search of past logs for pools. At a slow endpoint the search uses only a part of the allowed rate.',
  ),
  MAX_CONCURRENT: integer(24, 1, 10_000).describe(
    'Maximum requests of one chain that run at a time; fewer while the process is overloaded.',
  ),
  MAX_QUEUED: integer(1_024, 0, 100_000).describe(
    'Maximum requests of one chain that wait in the queue; further requests are answered with 503.',
  ),
  MAX_WAIT_MS: integer(2_000, 10, 60_000).describe(
    'Maximum milliseconds in the queue; a request that is expected to wait longer is answered with 503 at once.',
  ),
  MAX_CONNECTIONS_PER_CALLER: integer(4_096, 1, 1_000_000).describe(
    'Maximum open connections of one IPv4 address or one /64 of IPv6. Trusted proxies are not limited.',
  ),
  MAX_STREAMS: integer(2_000, 0, 1_000_000).describe(
    'Maximum open quote streams of the process; further streams are answered with 503.',
  ),
  MAX_STREAMS_PER_CALLER: integer(100, 1, 1_000_000).describe(
    'Maximum open quote streams of one IPv4 address or one /64 of IPv6.',
  ),
  IDLE_SLEEP_MS: integer(600_000, 1_000, 86_400_000).describe(
    'Milliseconds without a request for a chain after which the process stops following its blocks. The next request starts it again.',
  ),
  EARN_BLOCKS: integer(0, 0, 100_000_000)
    .transform((blocks) => blocks || undefined)
    .describe(
      'Number of consecutive blocks in which a token must behave well before routes between other tokens may pass through it; 0 stands for the blocks of a day.',
    ),
  ROUTE_THREADS: integer(DEFAULT_ROUTE_THREADS, 1, 64).describe(
    'Maximum threads that search routes of chains with many pools. Each thread holds its own copy of the pools.',
  ),
  ROUTE_TIMEOUT_MS: integer(2_000, 100, 60_000).describe(
    'Maximum milliseconds of one search in a thread; after that the thread is replaced, and the request is answered with 504.',
  ),
  ROUTE_THREAD_MEMORY_MB: integer(2_048, 64, 65_536).describe('Maximum megabytes of memory of each search thread.'),
  ROUTE_INLINE_POOLS: integer(1_000, 0, 10_000_000).describe(
    'Maximum known pools of a chain whose routes are searched on the main thread if the search is short. Chains with more pools are searched in threads.',
  ),
  SIMULATE_GAS_CAP: integer(100_000_000, 100_000, 10_000_000_000)
    .transform(BigInt)
    .describe('Maximum gas limit of a simulation.'),
  SHUTDOWN_GRACE_MS: integer(10_000, 0, 120_000).describe(
    'Milliseconds in which requests in flight are answered when the service stops.',
  ),
})

const rpcUrlName = /^RPC_URL_([1-9]\d*)$/

/** Camel-case form of a variable name: `CHAINS_DIR` becomes `chainsDir`. */
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<Name>

type Environment = z.output<typeof environment>

/** Parsed environment with camel-case names. */
export type Config = { readonly [Name in keyof Environment as Camel<Name>]: Environment[Name] } & {
  /** Endpoints by chain id. Chains without an entry use the registry's public endpoints. */
  readonly rpcUrls: ReadonlyMap<number, readonly string[]>
}

/** Error of an invalid environment. The message has one line per mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration. Empty variables count as absent, because compose files pass unset variables as empty.
 *
 * @throws ConfigError with every invalid variable
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const nonEmpty = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const mistakes: string[] = []
  const rpcUrls = new Map<number, readonly string[]>()
  for (const [name, value] of Object.entries(nonEmpty)) {
    const chainId = rpcUrlName.exec(name)?.[1]
    if (!chainId) {
      if (name.startsWith('RPC_URL_')) mistakes.push(`${name}: must end in a chain id, such as RPC_URL_1`)
      continue
    }
    const parsed = urls.safeParse(value)
    if (parsed.success) rpcUrls.set(Number(chainId), parsed.data)
    else mistakes.push(`${name}: ${parsed.error.issues[0]?.message}`)
  }
  if (['worker', 'indexer'].includes(nonEmpty.ROLE ?? '') && !nonEmpty.REDIS_URL)
    mistakes.push(`ROLE: ${nonEmpty.ROLE} needs REDIS_URL`)
  if (nonEmpty.METRICS_PORT && Number(nonEmpty.METRICS_PORT) > 0 && nonEmpty.METRICS_PORT === (nonEmpty.PORT ?? '3000'))
    mistakes.push('METRICS_PORT: must differ from PORT')
  const parsed = environment.safeParse(nonEmpty)
  if (!parsed.success)
    mistakes.push(...parsed.error.issues.map(({ path, message }) => `${path[0]?.toString()}: ${message}`))
  if (!parsed.success || mistakes.length > 0)
    throw new ConfigError(`The environment is wrong:\n  ${mistakes.join('\n  ')}`)
  const namedValues = Object.entries(parsed.data).map(([name, value]) => [toCamelCase(name), value])
  return { ...(Object.fromEntries(namedValues) as Omit<Config, 'rpcUrls'>), rpcUrls }
}

function toCamelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the RPC options of a chain: endpoints, timeout, and budgets of background calls. */
export function rpcOptions({ chainId, rpcUrls }: Chain, config: Config): ChainSettings['rpc'] {
  return {
    urls: config.rpcUrls.get(chainId) ?? rpcUrls,
    timeoutMs: config.rpcTimeoutMs,
    background: { calls: config.rpcBackgroundCalls, bytes: config.rpcBackgroundBytes },
    scan: { calls: config.rpcScanCalls, bytes: config.rpcBackgroundBytes },
  }
}
