/** Starts and stops the service: listeners, connection limits, and shutdown. */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadRegistry } from '@sluice/chains'
import { pino } from 'pino'
import { createApp } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { limitConnections, limitInFlight } from './http/connections.ts'
import { answerMalformed } from './http/malformed.ts'
import { startRecorder } from './http/trace.ts'
import { disablePretenuring, releaseMemoryWhenIdle } from './memory.ts'
import { createMetrics } from './metrics.ts'
import type { PoolListLoaders } from './pool-files.ts'
import { ScaleOut } from './scale-out.ts'
import { Services } from './services.ts'

/** Maximum header size of Node's parser: far above the 16 kB limit of a URL, so that the app itself answers 414. */
const MAX_HEADER_BYTES = 262_144
/** Timeout for receiving the headers of a request. */
const HEADERS_TIMEOUT_MS = 10_000
/** Timeout for receiving a whole request. */
const REQUEST_TIMEOUT_MS = 20_000
/** Milliseconds between two checks of these two timeouts by Node. */
const CHECK_MS = 2_000
/** Timeout of idle connections: longer than that of common proxies, so that the proxy closes the connection first. */
const KEEP_ALIVE_MS = 75_000
/**
 * Options of pino: log lines are buffered up to 4 kB or 500 ms, so that requests do not wait for writes. The buffer is
 * written at exit.
 */
const LOG_OPTIONS = { dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 }
/** Milliseconds between two sweeps in which a stopping service closes idle connections. */
const SWEEP_MS = 50

const HTTP_OPTIONS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // If the `Host` header is missing, the app answers with an error body; Node would answer without one.
  requireHostHeader: false,
  connectionsCheckingInterval: CHECK_MS,
}

type StartOptions = {
  /** Functions that decode the pool lists of `POOLS`, by chain id. Past logs that a list covers are not searched. */
  readonly poolListLoaders?: PoolListLoaders
}

/** A started service. */
export type RunningServer = {
  readonly url: string
  /** URL of `/metrics` if `METRICS_PORT` is set. */
  readonly metricsUrl?: string
  /** Finishes requests in flight, then stops. Closes the remaining connections after the grace period. */
  readonly close: () => Promise<void>
}

/**
 * Throws a ConfigError if an `RPC_URL_<id>` names a chain that the registry lacks, because a typo in the id would
 * otherwise go unnoticed. Ignores endpoints of chains that `CHAINS` leaves out.
 */
function assertKnownChains({ rpcUrls, chainsDir, deploymentsDir }: Config, servedIds: readonly number[]): void {
  const unservedIds = [...rpcUrls.keys()].filter((id) => !servedIds.includes(id))
  if (unservedIds.length === 0) return
  const supportedIds = loadRegistry({ chainsDir, deploymentsDir }).supportedIds()
  const mistakes = unservedIds
    .filter((id) => !supportedIds.includes(id))
    .map(
      (id) => `RPC_URL_${id}: chain ${id} is not supported: correct the id, or add a file for the chain (CHAINS_DIR)`,
    )
  if (mistakes.length > 0) throw new ConfigError(`The environment is wrong:\n  ${mistakes.join('\n  ')}`)
}

/**
 * Starts a service and resolves when it listens.
 *
 * @throws ChainsError if `CHAINS_DIR` or `DEPLOYMENTS_DIR` cannot be read, or `CHAINS` names an unknown chain
 * @throws ConfigError if an `RPC_URL_<id>` names an unknown chain
 */
export async function startServer(
  config: Config,
  { poolListLoaders = new Map() }: StartOptions = {},
): Promise<RunningServer> {
  disablePretenuring()
  const log = pino({ level: config.logLevel, base: null }, pino.destination(LOG_OPTIONS))
  const { chainsDir, deploymentsDir, chains: allowedChains } = config
  const registry = loadRegistry({ chainsDir, deploymentsDir, allowedIds: allowedChains })
  assertKnownChains(config, registry.supportedIds())
  const metrics = createMetrics()
  for (const id of poolListLoaders.keys())
    if (!registry.supportedIds().includes(id))
      log.warn({ chain: id }, 'a list of pools is of a chain that is not served')
  const scaleOut = await ScaleOut.open({ config, registry, metrics, log, poolListLoaders })
  const services = new Services(registry, config, metrics, log, { scaleOut, poolListLoaders })
  const traceRecorder = await startRecorder(config, log)
  const app = createApp(services, config, traceRecorder)
  const { listener, isTrustedProxy } = app
  const server = createServer(HTTP_OPTIONS, limitInFlight(listener))
  server.on('clientError', answerMalformed(config.errorVersion, services.metrics))
  // Unknown `Expect` headers are ignored, as RFC 9110 (section 10.1.1) allows.
  server.on('checkExpectation', limitInFlight(listener))
  limitConnections(server, { max: config.maxConnectionsPerCaller, version: config.errorVersion, isTrustedProxy })
  await listen(server, config, 'PORT')
  const metricsServer = await serveMetrics(app.metrics, config)
  const { port } = server.address() as AddressInfo
  const url = urlOf(server, config.host)
  const metricsUrl = metricsServer ? `${urlOf(metricsServer, config.metricsHost)}/metrics` : undefined
  const stopMemoryRelease = releaseMemoryWhenIdle()
  const { dataDir } = config
  // `url` works only on this machine. `address` shows the interface on which the service listens.
  const address = `${config.host}:${port}`
  log.info(
    {
      ...{ url, address, chains: registry.supportedIds().length },
      ...(metricsUrl !== undefined && { metricsUrl }),
      ...(dataDir !== undefined && { dataDir }),
    },
    'listening',
  )

  let closePromise: Promise<void> | undefined
  const close = async () => {
    stopMemoryRelease()
    services.stop()
    // Release the owned chains first, so that other processes take them over while requests finish here.
    const chainsReleased = scaleOut?.releaseChains()
    const serverStopped = new Promise<void>((resolve) => server.close(() => resolve()))
    // Repeated, because a keep-alive connection becomes idle only after its last response.
    const idleSweepTimer = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    const forceCloseTimer = setTimeout(() => server.closeAllConnections(), config.shutdownGraceMs)
    await serverStopped
    clearTimeout(forceCloseTimer)
    clearInterval(idleSweepTimer)
    await chainsReleased
    await services.close()
    await traceRecorder?.close()
    // Close the metrics last, so they also cover the shutdown.
    metricsServer?.close()
    metricsServer?.closeAllConnections()
    log.info('stopped')
  }
  return { url, ...(metricsUrl !== undefined && { metricsUrl }), close: () => (closePromise ??= close()) }
}

/** Starts the listener of `METRICS_PORT`; null if the port is not set. @throws Error if the port is taken */
async function serveMetrics(listener: RequestListener, { metricsPort, metricsHost }: Config): Promise<Server | null> {
  if (metricsPort === undefined) return null
  const server = createServer(HTTP_OPTIONS, limitInFlight(listener))
  await listen(server, { port: metricsPort, host: metricsHost }, 'METRICS_PORT')
  return server
}

/** Returns a URL that is reachable from this machine. */
function urlOf(server: Server, address: string): string {
  const host = ['0.0.0.0', '::'].includes(address) ? '127.0.0.1' : address
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
}

/** @throws Error that names the variable if its port is taken */
function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>, variable: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE'
      reject(
        isTaken
          ? new Error(`${variable}: ${port} is in use on ${host}: name another port, or 0 for a free one`)
          : error,
      )
    }
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}
