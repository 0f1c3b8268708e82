/** Reads the configuration from environment variables. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Chain, toAddress } from '@sluice/chains'
import type { ChainSettings } from '@sluice/quoting'
import { z } from 'zod'

/** Default number of search threads. One core is left for the main thread; each thread holds its own copy of the pools. */
const ROUTE_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1))

/** Output of `vite build` of packages/web. */
const BUILT_PAGE = join(import.meta.dirname, '../../web/dist')
/** Output of the build of packages/docs. */
const BUILT_DOCS = join(import.meta.dirname, '../../docs/dist')

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

/** Location of a pool list, and the SHA-256 that its bytes must have. */
export type PoolSource = { readonly location: string; readonly isUrl: boolean; readonly sha256?: string }

const poolSources = z
  .string()
  .transform((text, context): readonly PoolSource[] =>
    text.split(',').flatMap((item) => {
      const source = poolSource(item.trim())
      if (typeof source !== 'string') return [source]
      context.addIssue(source)
      return []
    }),
  )
  .default([])

/** Parses one entry of `POOLS`. @returns the error message if the entry is invalid */
function poolSource(text: string): PoolSource | string {
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

const redis = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' }).optional()

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be SHA-256 hashes as 64 hex digits, separated by commas')

const headers = z
  .string()
  .transform((text) => text.split(',').map((pair) => /^\s*([\w-]+)\s*=(.*)$/.exec(pair)?.slice(1) ?? null))
  .refine((pairs) => !pairs.includes(null), 'must be name=value, separated by commas')
  .transform(
    (pairs): Readonly<Record<string, string>> =>
      Object.fromEntries((pairs as string[][]).map(([name, value]) => [name, decodeURIComponent(value!.trim())])),
  )
  .default({})

/** Value of Express's `trust proxy`: a boolean, a number of proxies, or addresses and subnets. */
const trustProxy = z
  .string()
  .transform((text) => (text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text))
  .default(false)

/** Schema of the environment variables; the configuration reference is generated from it. */
export const environment = z.object({
  PORT: integer(3000, 0, 65_535).describe('Port to listen on; 0 takes a free one.'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
  METRICS_PORT: integer(0, 0, 65_535)
    .transform((port) => port || undefined)
    .describe(
      'Port of its own for `/metrics`, which `PORT` then answers with 404; 0 serves it on `PORT`. The container image sets 9464.',
    ),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address that `METRICS_PORT` listens on.'),
  CHAINS: chainIds.describe('Chains that are served, by id, separated by commas; all of the registry when unset.'),
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
    .describe(
      "Directory where known pools are kept between runs, one SQLite file a chain; the operating system's directory for data of applications when unset, nowhere when empty.",
    ),
  POOLS: poolSources.describe(
    'Lists of pools to begin with, one a chain, as `<file or URL>#sha256=<hash>`, separated by commas (`npm run snapshot -- pools`); a URL needs its hash. Each pool is proven by the chain, and the logs that a list covers are not searched.',
  ),
  REDIS_URL: redis.describe(
    'Redis over which processes share the state of chains (packages/bus); each keeps its own when unset.',
  ),
  ROLE: z
    .enum(['all', 'worker', 'indexer', 'solver'], 'must be all, worker, indexer or solver')
    .default('all')
    .describe(
      'With `REDIS_URL`: a worker quotes and reads no chain, an indexer reads chains for all and answers operators only. A solver also answers drivers of CoW Protocol (docs/solver.md); with `REDIS_URL` it is a worker.',
    ),
  SOLVER_CHAIN: chainId.describe(
    'Chain whose auctions `POST /solve` takes with `ROLE=solver`; `/solver/{chain}/solve` takes those of any.',
  ),
  SOLVER_SETTLEMENT: address
    .default(toAddress('0x9008d19f58aabd9ed0d60971565aa8510560ab41'))
    .describe("CoW Protocol's settlement contract, which is at the same address on all of its networks."),
  UNISWAPX_FILLER: address
    .optional()
    .describe('Contract that fills orders of UniswapX; with it a solver also answers `POST /uniswapx/quote`.'),
  WEB_DIR: z
    .string()
    .min(1)
    .default(BUILT_PAGE)
    .describe('Directory of the built playground, served at `/`; without an `index.html` in it there is none.'),
  DOCS_DIR: z
    .string()
    .min(1)
    .default(BUILT_DOCS)
    .describe('Directory of the built documentation, served at `/docs`; without an `index.html` in it there is none.'),
  LOCAL_CHAIN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('JSON file of a local chain whose first account the playground may use; `npm start` sets it.'),
  DATA_SAVE_MS: integer(30_000, 1_000, 3_600_000).describe('How often they are saved: what a kill loses at most.'),
  QUOTE_LOG_MB: integer(256, 0, 100_000).describe(
    'Most disk of the log of quotes in `DATA_DIR`, one SQLite file a chain, which `npm run replay` makes quotes again from; 0 for none.',
  ),
  DRIFT_SAMPLE_PERCENT: integer(1, 0, 100).describe(
    "Percent of a node's calls that go into simulating quotes again, one and two blocks later, for `/stats` and `/metrics`; 0 for none.",
  ),
  ERROR_VERSION: z.enum(['A', 'B'], 'must be A or B').default('B').describe('Which error bodies are served.'),
  COMPATIBLE: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .transform((text) => text === '1')
    .describe('1 also answers in the shapes of other services, under `/compatible` (docs/compatible.md).'),
  TRUST_PROXY: trustProxy.describe('Proxies whose `X-Forwarded-*` headers count: true, false, a number or subnets.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level of pino')
    .default('info')
    .describe('Least severe log line that is written.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('Collector that traces are sent to, by OTLP over HTTP; nothing is recorded when unset.'),
  OTEL_EXPORTER_OTLP_HEADERS: headers.describe('Headers for the collector, as `name=value`, separated by commas.'),
  OTEL_SERVICE_NAME: z.string().min(1).default('sluice').describe('Name of the service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0+)?)$/, 'must be from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Share of requests that are traced, where the caller does not say in `traceparent`.'),
  FEE_EXEMPT_KEY_HASHES: z
    .string()
    .transform((text) => text.split(',').map((hash) => hash.trim().toLowerCase()))
    .pipe(z.array(sha256))
    .default([])
    .transform((hashes): ReadonlySet<string> => new Set(hashes))
    .describe('SHA-256 of the keys that `feeExemptKey` accepts, separated by commas.'),
  REQUEST_TIMEOUT_MS: integer(10_000, 100, 120_000).describe('Time for a whole request, then 504.'),
  RPC_TIMEOUT_MS: integer(4_000, 50, 60_000).describe(
    'Time for one attempt at a call to a node; a call is tried again, here and elsewhere, for twice that.',
  ),
  RPC_BACKGROUND_CALLS: integer(20, 1, 100_000).describe(
    'Calls a second that audits of a chain may make; what others wait for is not limited by it.',
  ),
  RPC_BACKGROUND_BYTES: integer(2_000_000, 1_000, 1_000_000_000).describe('The same in bytes, sent and received.'),
  RPC_SCAN_CALLS: integer(10, 1, 100_000).describe(
    'Calls a second that the search of past logs for pools may make; it takes no more than a part of what a slow endpoint grants.',
  ),
  MAX_CONCURRENT: integer(24, 1, 10_000).describe(
    'Requests of one chain that run at once; fewer while the process itself is what is short.',
  ),
  MAX_QUEUED: integer(1_024, 0, 100_000).describe('Requests of one chain that may wait; more get 503.'),
  MAX_WAIT_MS: integer(2_000, 10, 60_000).describe('What would wait longer for its turn gets 503 at once.'),
  MAX_CONNECTIONS_PER_CALLER: integer(4_096, 1, 1_000_000).describe(
    'Connections that are open at once from one address, or one /64 of IPv6; trusted proxies may have any number.',
  ),
  MAX_STREAMS: integer(2_000, 0, 1_000_000).describe('Streams of quotes that are open at once; more get 503.'),
  MAX_STREAMS_PER_CALLER: integer(100, 1, 1_000_000).describe('Of one address, or one /64 of IPv6.'),
  IDLE_SLEEP_MS: integer(600_000, 1_000, 86_400_000).describe(
    'A chain not asked for this long stops following blocks.',
  ),
  EARN_BLOCKS: integer(0, 0, 100_000_000)
    .transform((blocks) => blocks || undefined)
    .describe(
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
  SIMULATE_GAS_CAP: integer(100_000_000, 100_000, 10_000_000_000)
    .transform(BigInt)
    .describe('Most gas that one simulation may use.'),
  SHUTDOWN_GRACE_MS: integer(10_000, 0, 120_000).describe('Time that running requests get when the service stops.'),
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
  const namedValues = Object.entries(parsed.data).map(([name, value]) => [camel(name), value])
  return { ...(Object.fromEntries(namedValues) as Omit<Config, 'rpcUrls'>), rpcUrls }
}

function camel(name: string): string {
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
