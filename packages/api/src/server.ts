import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadRegistry } from '@sluice/chains'
import { pino } from 'pino'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { boundConnections, bounded } from './http/connections.ts'
import { answerMalformed } from './http/malformed.ts'
import { startRecorder } from './http/trace.ts'
import { beginYoung, returnMemoryAtRest } from './memory.ts'
import { createMetrics } from './metrics.ts'
import type { PoolLists } from './pool-files.ts'
import { ScaleOut } from './scale-out.ts'
import { Services } from './services.ts'

/** Node's own limit on headers stands far above the 16 kB of a target, so that the service answers 414 itself. */
const MAX_HEADER_BYTES = 262_144
const HEADERS_TIMEOUT_MS = 10_000
const BODY_TIMEOUT_MS = 20_000
/** Time between two looks at both. */
const CHECK_MS = 2_000
/** Longer than the idle time of common proxies, so that they close first. */
const KEEP_ALIVE_MS = 75_000
/** Lines are written by the page, beside the requests and not within them; the last ones when the process ends. */
const LOG = { dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 }
/** While stopping. */
const SWEEP_MS = 50

const HTTP: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: BODY_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // Refused by the app, with a body.
  requireHostHeader: false,
  connectionsCheckingInterval: CHECK_MS,
}

type Lists = {
  /** Lists of pools to begin with. */
  readonly poolLists?: PoolLists
}

export type RunningServer = {
  readonly url: string
  /** Address of `/metrics` where it has a port of its own. */
  readonly metricsUrl?: string
  /** Answers what has begun, then stops; requests still running after the grace period are cut. */
  readonly close: () => Promise<void>
}

/** @throws ChainsError for a directory of the configuration that cannot be read, or a chain of it that nobody knows */
export async function startServer(config: Config, { poolLists = new Map() }: Lists = {}): Promise<RunningServer> {
  beginYoung()
  const log = pino({ level: config.logLevel, base: null }, pino.destination(LOG))
  const { chainsDir, deploymentsDir, chains: only } = config
  const registry = loadRegistry({ chainsDir, deploymentsDir, only })
  const metrics = createMetrics()
  for (const id of poolLists.keys())
    if (!registry.supportedIds().includes(id))
      log.warn({ chain: id }, 'a list of pools is of a chain that is not served')
  const scaleOut = await ScaleOut.open({ config, registry, metrics, log, poolLists })
  const services = new Services(registry, config, metrics, log, { scaleOut, poolLists })
  const recorder = await startRecorder(config, log)
  const app = createApp(services, config, recorder)
  const { listener, trusts } = app
  const server = createServer(HTTP, bounded(listener))
  server.on('clientError', answerMalformed(config.errorVersion, services.metrics))
  // An expectation that nobody knows is passed over, as HTTP allows.
  server.on('checkExpectation', bounded(listener))
  boundConnections(server, { most: config.maxConnectionsPerCaller, version: config.errorVersion, trusts })
  await listen(server, config)
  const metricsServer = await serveMetrics(app.metrics, config)
  const { port } = server.address() as AddressInfo
  const url = urlOf(server, config.host)
  const metricsUrl = metricsServer ? `${urlOf(metricsServer, config.metricsHost)}/metrics` : undefined
  const leaveMemory = returnMemoryAtRest()
  const { dataDir } = config
  // The URL works on this machine; the address says who else may connect.
  const address = `${config.host}:${port}`
  log.info(
    {
      ...{ url, address, chains: registry.supportedIds().length },
      ...(metricsUrl !== undefined && { metricsUrl }),
      ...(dataDir !== undefined && { dataDir }),
    },
    'listening',
  )

  let closing: Promise<void> | undefined
  const close = async () => {
    leaveMemory()
    services.stop()
    // At once: others are to read on while what has begun here is answered.
    const left = scaleOut?.leave()
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
    // A connection kept alive by its client turns idle only after its last answer.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    const cut = setTimeout(() => server.closeAllConnections(), config.shutdownGraceMs)
    await stopped
    clearTimeout(cut)
    clearInterval(sweep)
    await left
    await services.close()
    await recorder?.close()
    // Last, so that the metrics also cover the shutdown.
    metricsServer?.close()
    metricsServer?.closeAllConnections()
    log.info('stopped')
  }
  return { url, ...(metricsUrl !== undefined && { metricsUrl }), close: () => (closing ??= close()) }
}

/** A listener of its own for `/metrics`; none where it is served with the rest. @throws Error when its port is taken */
async function serveMetrics(listener: RequestListener, { metricsPort, metricsHost }: Config): Promise<Server | null> {
  if (metricsPort === undefined) return null
  const server = createServer(HTTP, bounded(listener))
  await listen(server, { port: metricsPort, host: metricsHost })
  return server
}

/** Reachable from this machine. */
function urlOf(server: Server, address: string): string {
  const host = ['0.0.0.0', '::'].includes(address) ? '127.0.0.1' : address
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
}

function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
