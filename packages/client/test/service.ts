/** Test fixture: a real service on a local chain. */
import type { RunningServer } from '@sluice/api'
import { startChain, startOver } from '@sluice/api/testing'
import { type Devnet, request, swapContracts } from '@sluice/devnet'
import { NATIVE, SluiceClient, type SwapContracts } from '../src/index.ts'

export const CHAIN = 31337

export type Stage = {
  readonly devnet: Devnet
  readonly server: RunningServer
  readonly client: SluiceClient
  readonly guard: string
  /** Contracts of the local chain, which are not in the package's list. */
  readonly contracts: SwapContracts
  /** Returns the token of a symbol; `ETH` is the native token. */
  readonly token: (symbol: string) => string
  /** Returns the token addresses of a pool, also for tokens without a unique symbol. */
  readonly tokensOf: (pool: Devnet['info']['pools'][number]) => readonly string[]
  readonly balance: (token: string, owner: string) => Promise<bigint>
  readonly stop: () => Promise<void>
}

export async function startStage(): Promise<Stage> {
  const devnet = await startChain()
  const server = await startOver(devnet.url)
  const token = (symbol: string) => (symbol === 'ETH' ? NATIVE : devnet.info.tokens[symbol]!.address)
  return {
    devnet,
    server,
    client: new SluiceClient({ baseUrl: server.url, timeoutMs: 30_000 }),
    guard: devnet.info.guard,
    contracts: swapContracts(devnet.info),
    token,
    tokensOf: ({ addresses, tokens }) => addresses ?? tokens.map(token),
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
