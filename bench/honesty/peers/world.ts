/** Real Ethereum state before two of its blocks, the service over it, and the data that service and peers share. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import { mineUpTo, readBlocks, readState, request, startMainnet } from '@sluice/devnet'
import { Node } from '@sluice/system-test/wallet'
import { pricesOf, tokensOfState, withDecimals } from '../../lib/prices.ts'
import type { Priced } from '../../lib/trades.ts'
import { fund } from '../../lib/wallet.ts'
import { startService } from '../../lib/world.ts'

export type World = {
  readonly node: Node
  readonly api: string
  readonly guard: string
  /** Base fee of the next block. All routers must optimize for the price that is charged. */
  readonly gasPriceWei: bigint
  /** Tokens traded in the blocks that a wallet can be given: the wrapped native token first, then stable tokens. */
  readonly tokens: readonly Priced[]
  readonly stop: () => Promise<void>
}

export async function startWorld(): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-peers-'))
  const { chainId, url, stop } = await startMainnet({ replay: true })
  const [first] = readBlocks()
  const { guard } = await deployContracts({ rpcUrl: url, chainId, deploymentsDir: directory })
  await request(url, 'anvil_setBlockTimestampInterval', [1])
  await mineUpTo(url, first!)
  for (const { address } of stalePools(first!.number)) await request(url, 'anvil_setCode', [address, '0x'])
  const env = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error', DEPLOYMENTS_DIR: directory, RPC_URL_1: url }
  const service = await startService(env)
  const node = new Node(url)
  const tokens = await tokensOf(node, service.url, guard.address)
  return {
    ...{ node, api: service.url, guard: guard.address, gasPriceWei: BigInt(first!.baseFeePerGas), tokens },
    stop: async () => {
      await service.stop()
      await stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Returns the pools with earlier dates. Their prices differ from those of the block, which would create arbitrage. */
function stalePools(oldest: number) {
  const { pools, accounts } = readState('ethereum')
  return pools.filter(({ address }) => (accounts[address]?.since ?? 0) < oldest)
}

async function tokensOf(node: Node, api: string, guard: string): Promise<readonly Priced[]> {
  const { all, busy } = tokensOfState()
  const { wrappedNative, stables } = loadRegistry().chain(1)!
  const named = [wrappedNative!, ...stables].map(({ address }) => address.toLowerCase())
  const rank = ({ token }: Priced) => (named.includes(token) ? named.indexOf(token) : named.length)
  const priced = await withDecimals(node.url, await pricesOf(api, all))
  const tokens: Priced[] = []
  for (const token of priced) if (busy.has(token.token) && (await canBeHad(node, token, guard))) tokens.push(token)
  return tokens.sort((a, b) => rank(a) - rank(b))
}

async function canBeHad(node: Node, { token, decimals }: Priced, guard: string): Promise<boolean> {
  const before = await node.request<string>('evm_snapshot')
  const had = await fund(node, token, 10n ** BigInt(decimals), guard)
  await node.undo(before)
  return had
}
