/**
 * Serves many chains of the registry from one node. The load of a tested service does not depend on the number of
 * nodes.
 */
import { type Devnet, NodeProxy, startDevnet } from '@sluice/devnet'
import { familyOf } from '@sluice/liquidity'
import { Overlay } from './overlay.ts'
import { onLocalChain, registryIds } from './registry-chain.ts'
import { devnetDir, type ServiceProcess, startProcess } from './service.ts'

/** A node that serves many chains. */
export type ChainsNode = {
  readonly chainIds: readonly number[]
  readonly devnet: Devnet
  readonly proxy: NodeProxy
  /** Environment variables of a service for these chains. */
  readonly env: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}
export type ManyChains = Omit<ChainsNode, 'env'> & { readonly service: ServiceProcess }

/**
 * Starts a node for the first `count` chains of the registry. The chains keep their names, block times, and fee models,
 * but have the contracts of the local chain. A proxy serves each chain at the path `/<chainId>`. The contracts do not
 * read the chain id, so the same state is valid for all chains.
 *
 * @param hubCount - number of hub tokens per chain. The chains have no other tokens. When the service begins to follow
 *   a chain, it requests the pools between all of its hubs.
 */
export async function startChainsNode(count: number, hubCount: number): Promise<ChainsNode> {
  const chainIds = registryIds(count)
  const devnet = await startDevnet({ dir: devnetDir })
  const proxy = await NodeProxy.start(devnet.url, ({ method }, path) =>
    method === 'eth_chainId' ? { result: `0x${Number(path.slice(1)).toString(16)}` } : undefined,
  )
  const overlay = new Overlay()
  const stop = async () => {
    await proxy.stop()
    await devnet.stop()
    overlay.remove()
  }
  try {
    for (const chainId of chainIds) {
      const file = onLocalChain(chainId, devnet.info, `${proxy.url}/${chainId}`)
      const hubs = file.hubs.slice(0, hubCount)
      const stables = file.stables.filter(({ address }) => hubs.includes(address))
      // Each row of some families is itself a token. Such rows are left out like the other tokens.
      const dexes = file.dexes.filter(({ family }) => !familyOf(family)?.rowsAreTokens)
      overlay.addChain({ ...file, hubs, stables, tokens: [], dexes })
      overlay.addDeployment(chainId, devnet.info.deployment)
    }
    return { chainIds, devnet, proxy, env: overlay.env, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts a node for the first `count` chains of the registry, and one service for all of these chains. */
export async function startManyChains(
  count: number,
  hubCount: number,
  env: Readonly<Record<string, string>>,
): Promise<ManyChains> {
  const { env: chainsEnv, ...node } = await startChainsNode(count, hubCount)
  try {
    const service = await startProcess({ ...chainsEnv, ...env })
    return {
      ...node,
      service,
      stop: async () => {
        await service.stop()
        await node.stop()
      },
    }
  } catch (error) {
    await node.stop()
    throw error
  }
}

/** Processes all items in groups of `size`. The items of a group are processed concurrently. */
export async function inWaves<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += size) results.push(...(await Promise.all(items.slice(i, i + size).map(work))))
  return results
}
