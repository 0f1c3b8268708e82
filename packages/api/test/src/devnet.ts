/** Starts the local chain and services over it. */
import { join } from 'node:path'
import { request as ask, type Devnet, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll } from 'vitest'
import { loadConfig, type RunningServer, startServer } from '../../src/index.ts'

/** Folder of the built local chain. */
export const devnetDir = join(import.meta.dirname, '../../../../.devnet')

/**
 * Default time limits of requests, calls to nodes, and searches in tests, for machines that are several times slower.
 * Tests of time limits set their own.
 */
export const SLOW_MACHINE_LIMITS = { REQUEST_TIMEOUT_MS: '60000', RPC_TIMEOUT_MS: '20000', ROUTE_TIMEOUT_MS: '20000' }

/**
 * Default time in tests that running requests get when a service stops. Tests that leave requests open would wait for
 * it. Tests of stopping set a longer time.
 */
export const SHUTDOWN_GRACE_MS = '500'

/** Starts the local chain, and builds it first if it is missing. */
export function startChain(): Promise<Devnet> {
  return startDevnet({ dir: devnetDir })
}

/** Starts a service over the local chain in this process. */
export function startOver(rpcUrl: string, env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  return startServer(
    loadConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      ...SLOW_MACHINE_LIMITS,
      SHUTDOWN_GRACE_MS,
      CHAINS_DIR: join(devnetDir, 'chains'),
      DEPLOYMENTS_DIR: join(devnetDir, 'deployments'),
      RPC_URL_31337: rpcUrl,
      ...env,
    }),
  )
}

/** Sends a JSON-RPC request to a node. */
export function request<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  return ask<T>(url, method, params)
}

/**
 * Starts the local chain and a service before the first test of a file, and stops them after the last.
 *
 * @param env - settings in addition to the defaults of tests
 */
export function localService(env: Readonly<Record<string, string>> = {}): {
  readonly devnet: Devnet
  readonly server: RunningServer
} {
  let devnet: Devnet | undefined
  let server: RunningServer | undefined
  beforeAll(async () => {
    devnet = await startChain()
    server = await startOver(devnet.url, env)
  })
  afterAll(async () => {
    await server?.close()
    await devnet?.stop()
  })
  return {
    get devnet() {
      return devnet!
    },
    get server() {
      return server!
    },
  }
}
