import { join } from 'node:path'
import { type Devnet, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll } from 'vitest'
import { loadConfig, type RunningServer, startServer } from '../../src/index.ts'

export const devnetDir = join(import.meta.dirname, '../../../../.devnet')

export function startChain(): Promise<Devnet> {
  return startDevnet({ dir: devnetDir })
}

/** A service over the local chain, in this process. */
export function startOver(rpcUrl: string, env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  return startServer(
    loadConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      CHAINS_DIR: join(devnetDir, 'chains'),
      DEPLOYMENTS_DIR: join(devnetDir, 'deployments'),
      RPC_URL_31337: rpcUrl,
      ...env,
    }),
  )
}

export async function request<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** The local chain and a service over it, from before the first test of a file until after its last. */
export function localService(): { readonly devnet: Devnet; readonly server: RunningServer } {
  let devnet: Devnet | undefined
  let server: RunningServer | undefined
  beforeAll(async () => {
    devnet = await startChain()
    server = await startOver(devnet.url)
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
