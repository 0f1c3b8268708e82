/** A real service over a local chain, for this package's tests. */
import type { RunningServer } from '@sluice/api'
import { type Devnet, type DevnetInfo, request } from '@sluice/devnet'
import { startChain, startOver } from '../../api/test/src/devnet.ts'
import { SluiceClient, type SwapContracts } from '../src/index.ts'

export const CHAIN = 31337

export type Stage = {
  readonly devnet: Devnet
  readonly server: RunningServer
  readonly client: SluiceClient
  readonly guard: string
  /** What this package does not know of the local chain. */
  readonly contracts: SwapContracts
  readonly token: (symbol: string) => string
  readonly balance: (token: string, owner: string) => Promise<bigint>
  readonly stop: () => Promise<void>
}

export async function startStage(): Promise<Stage> {
  const devnet = await startChain()
  const server = await startOver(devnet.url)
  return {
    devnet,
    server,
    client: new SluiceClient({ baseUrl: server.url, timeoutMs: 30_000 }),
    guard: devnet.info.guard,
    contracts: localContracts(devnet.info),
    token: (symbol) => devnet.info.tokens[symbol]!.address,
    async balance(token, owner) {
      // balanceOf(address)
      const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
      return BigInt(await request<string>(devnet.url, 'eth_call', [{ to: token, data }, 'latest']))
    },
    async stop() {
      await server.close()
      await devnet.stop()
    },
  }
}

export function localContracts({ guard, executor, tokens, dexes }: DevnetInfo): SwapContracts {
  const of = (wanted: string) => dexes.flatMap(({ family, address }) => (family === wanted ? [address] : []))
  return {
    ...{ guard, executors: [executor], wrapper: tokens.WETH.address, managers: of('uniswap-v4') },
    ...{ vaultsV2: of('balancer-v2'), vaultsV3: of('balancer-v3') },
  }
}
