/** Starts a local chain and the service for benchmarks, each in its own process. */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import { type Devnet, freePort, NodeProxy, type startDevnet, type TokenSymbol } from '@sluice/devnet'

/** Milliseconds after which a service that does not stop is killed. */
const STOP_MS = 6_000
const ROOT = join(import.meta.dirname, '../..')

/** Swaps for requests. Some routes are direct, some are split, and some have two hops. */
export const PAIRS: readonly (readonly [src: TokenSymbol, dst: TokenSymbol, amount: bigint])[] = [
  ['WETH', 'USDC', 10n ** 18n],
  ['USDC', 'WETH', 3_000n * 10n ** 6n],
  ['WBTC', 'DAI', 10n ** 7n],
  ['DAI', 'USDC', 10_000n * 10n ** 18n],
  ['LINK', 'UNI', 100n * 10n ** 18n],
]

export type World = {
  readonly devnet: Devnet
  readonly env: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/**
 * Starts a local chain.
 *
 * @param root - root of the checkout whose devnet package starts the chain. Contracts may differ between checkouts
 */
export async function startWorld(root = ROOT): Promise<World> {
  const dir = join(root, '.devnet')
  const devnetModule = (await import(join(root, 'packages/devnet/src/index.ts'))) as { startDevnet: typeof startDevnet }
  const devnet = await devnetModule.startDevnet({ dir, port: await freePort() })
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    CHAINS_DIR: join(dir, 'chains'),
    DEPLOYMENTS_DIR: join(dir, 'deployments'),
    RPC_URL_31337: devnet.url,
  }
  return { devnet, env, stop: () => devnet.stop() }
}

export type Service = Awaited<ReturnType<typeof startProcess>>

export type LocalService = Awaited<ReturnType<typeof startLocalService>>

/** Files that run the service: the one of this checkout, and then the one of older checkouts. */
const SERVICE_FILES = ['bench/lib/service.ts', 'bench/api/service.ts']

/**
 * Starts the API as its own process.
 *
 * @param root - root of the checkout whose API runs
 */
export function startService(env: World['env'], root = ROOT): Promise<Service> {
  const file = SERVICE_FILES.map((name) => join(root, name)).find((path) => existsSync(path))
  if (!file) throw new Error(`${root} does not have any of ${SERVICE_FILES.join(', ')}`)
  return startProcess(file, [], env)
}

/**
 * Starts a local chain and the service over it. `stop` ends both.
 *
 * @param extraEnv - environment variables of the service in addition to the chain's
 */
export async function startLocalService(extraEnv: World['env'] | ((world: World) => World['env']) = {}) {
  const world = await startWorld()
  const { devnet, env } = world
  try {
    const service = await startService({ ...env, ...(typeof extraEnv === 'function' ? extraEnv(world) : extraEnv) })
    const stop = async () => {
      await service.stop()
      await world.stop()
    }
    return { devnet, env, service, nextPath: swapPaths(devnet), stop }
  } catch (error) {
    await world.stop()
    throw error
  }
}

/** Runs a file as a process, which sends its URL in a message. Discards its standard output. */
export function startProcess(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as const }
  const child = fork(file, args, { ...options, stdio: [...options.stdio] })
  return new Promise<{ readonly url: string; readonly child: ChildProcess; readonly stop: () => Promise<void> }>(
    (resolve, reject) => {
      child.once('message', (url) => {
        const stop = () =>
          new Promise<void>((done) => {
            // A process whose main thread is blocked does not handle SIGTERM.
            const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
            child.once('exit', () => {
              clearTimeout(killTimer)
              done()
            })
            child.disconnect()
          })
        resolve({ url: String(url), child, stop })
      })
      child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it answered`)))
    },
  )
}

/**
 * Returns a function whose calls return paths of different swaps, so that no response is reused for another request.
 */
export function swapPaths({ info }: Devnet): () => string {
  let count = 0
  return () => {
    const [src, dst, amount] = PAIRS[count % PAIRS.length]!
    const extraAmount = BigInt(++count)
    const query = {
      src: info.tokens[src]!.address,
      dst: info.tokens[dst]!.address,
      amount: String(amount + extraAmount),
      from: info.accounts[0]!.address,
    }
    return `/aggregator/31337?${new URLSearchParams(query)}`
  }
}

/**
 * Records probes: the `eth_call` requests by which the service simulates quotes. Requests each path twice, and records
 * the second request, for which the pools are loaded.
 *
 * @returns the JSON-RPC bodies of the probes
 */
export async function recordProbes(env: World['env'], paths: readonly string[]): Promise<readonly string[]> {
  const proxy = await NodeProxy.start(env.RPC_URL_31337!)
  const service = await startServer(loadConfig({ ...env, LOG_LEVEL: 'silent', RPC_URL_31337: proxy.url }))
  try {
    const probes: string[] = []
    for (const path of paths) {
      const requestQuote = async () => {
        const answer = await fetch(service.url + path)
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      }
      await requestQuote()
      proxy.intercept = (call) => {
        if (call.method === 'eth_call' && call.params.length > 2)
          probes.push(JSON.stringify({ jsonrpc: '2.0', id: 1, method: call.method, params: call.params }))
        return undefined
      }
      await requestQuote()
      proxy.intercept = () => undefined
    }
    return probes
  } finally {
    await service.close()
    await proxy.stop()
  }
}
