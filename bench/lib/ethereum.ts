/** Real Ethereum state with the contracts of this checkout, and the service over it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deployContracts } from '@sluice/contracts'
import { freePort, mineUpTo, readBlocks, request, startMainnet } from '@sluice/devnet'
import { startService } from './world.ts'

type Options = {
  /** True to start before the recorded blocks, so that these can be mined on the node. */
  readonly replay?: boolean
}

/** Starts a node on the recorded state, and deploys the contracts. `env` is the environment of a service over it. */
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
      // Trades execute a second after a block, independent of their real duration, since some pools depend on time.
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
 * Starts the state and a service over it. `stop` ends both.
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
