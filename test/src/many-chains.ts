/** Many chains of the registry over one node: what a process has to hold does not depend on how many nodes there are. */
import { type Devnet, NodeProxy, startDevnet } from '@sluice/devnet'
import { familyOf } from '@sluice/liquidity'
import { Overlay } from './overlay.ts'
import { onLocalChain, registryIds } from './registry-chain.ts'
import { devnetDir, type Service, startService } from './service.ts'

export type ManyNodes = {
  readonly chainIds: readonly number[]
  readonly devnet: Devnet
  readonly proxy: NodeProxy
  /** For a service that is to know these chains. */
  readonly env: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}
export type ManyChains = Omit<ManyNodes, 'env'> & { readonly service: Service }

/**
 * The first `count` chains of the registry by their own names, block times and fee models, with what stands on the local
 * chain. A proxy answers as `/<chainId>` for each of them; contracts do not see their chain's id, so that the rest of
 * what the one node says holds for all.
 *
 * @param hubCount - of each chain, whose file names no other tokens: waking asks for the pools between all of them
 */
export async function startManyNodes(count: number, hubCount: number): Promise<ManyNodes> {
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

/** The same, and one service for all of them. */
export async function startManyChains(
  count: number,
  hubCount: number,
  env: Readonly<Record<string, string>>,
): Promise<ManyChains> {
  const { env: chains, ...nodes } = await startManyNodes(count, hubCount)
  try {
    const service = await startService({ ...chains, ...env })
    return {
      ...nodes,
      service,
      stop: async () => {
        await service.stop()
        await nodes.stop()
      },
    }
  } catch (error) {
    await nodes.stop()
    throw error
  }
}

/** Works on all items, `size` at a time: as many callers as a service may meet at once. */
export async function inWaves<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += size) results.push(...(await Promise.all(items.slice(i, i + size).map(work))))
  return results
}
