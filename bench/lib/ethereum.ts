/**
 * Starts a local node with the recorded Ethereum state and this checkout's contracts, and a service that uses the node.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deployContracts } from '@sluice/contracts'
import { freePort, mineUpTo, readBlocks, request, startMainnet } from '@sluice/devnet'
import { startService } from './world.ts'

type Options = {
  /** True to start with the state before the recorded blocks, so that the node can mine these blocks. */
  readonly replay?: boolean
}

/**
 * Starts a node with recorded state of Ethereum, and deploys the contracts. Its `env` has the environment variables of
 * a service that uses the node.
 */
export async function startEthereum({ replay = false }: Options = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-ethereum-'))
  const node = await startMainnet({ replay, port: await freePort() })
  const { chainId, url } = node
  const stop = async () => {
    await node.stop()
    rmSync(directory, { recursive: true })
  }
  try {
    const { guard } = await deployContracts({ rpcUrl: url, chainId, deploymentsDir: directory })
    if (replay) {
      // Each block is one second later than its parent, independent of the clock, because some pools depend on time.
      await request(url, 'anvil_setBlockTimestampInterval', [1])
      await mineUpTo(url, readBlocks()[0]!)
    }
    const env = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error', DEPLOYMENTS_DIR: directory, RPC_URL_1: url }
    return { chainId, url, guard: guard.address, env, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Starts a node as `startEthereum` does, and a service that uses it. `stop` ends both.
 *
 * @param prepare - changes the state before the service reads it
 */
export async function startEthereumService({
  prepare,
  ...options
}: Options & { readonly prepare?: (url: string) => Promise<void> } = {}) {
  const ethereum = await startEthereum(options)
  try {
    await prepare?.(ethereum.url)
    const service = await startService(ethereum.env)
    const stop = async () => {
      await service.stop()
      await ethereum.stop()
    }
    return { ...ethereum, service, api: service.url, stop }
  } catch (error) {
    await ethereum.stop()
    throw error
  }
}
