/** Starts a node with the recorded Ethereum state before the recorded blocks, and a service that uses the node. */
import { loadRegistry } from '@sluice/chains'
import { readBlocks, readState, request } from '@sluice/devnet'
import { Node } from '@sluice/system-test/wallet'
import { startEthereumService } from '../../lib/ethereum.ts'
import { pricedTokens } from '../../lib/prices.ts'
import type { TradedToken } from '../../lib/trades.ts'
import { fund } from '../../lib/wallet.ts'

export type World = {
  readonly node: Node
  readonly api: string
  readonly guard: string
  /** Base fee of the next block, at which transactions pay for gas. All routers get it as their gas price. */
  readonly gasPriceWei: bigint
  /**
   * Tokens that are traded in the recorded blocks, and whose balances the node can set. The wrapped native token is
   * first, followed by the stable tokens.
   */
  readonly tokens: readonly TradedToken[]
  readonly stop: () => Promise<void>
}

export async function startWorld(): Promise<World> {
  const [firstBlock] = readBlocks()
  const prepare = async (url: string) => {
    for (const { address } of stalePools(firstBlock!.number)) await request(url, 'anvil_setCode', [address, '0x'])
  }
  const { url, api, guard, stop } = await startEthereumService({ replay: true, prepare })
  const node = new Node(url)
  const tokens = await tokensOf(node, api, guard)
  return { node, api, guard, gasPriceWei: BigInt(firstBlock!.baseFeePerGas), tokens, stop }
}

/**
 * Returns the pools whose state was recorded before `firstBlock`. Their prices are outdated, so that routes through
 * them would profit from arbitrage.
 */
function stalePools(firstBlock: number) {
  const { pools, accounts } = readState('ethereum')
  return pools.filter(({ address }) => (accounts[address]?.since ?? 0) < firstBlock)
}

/** Returns `World.tokens`. */
async function tokensOf(node: Node, api: string, guard: string): Promise<readonly TradedToken[]> {
  const { wrappedNative, stables } = loadRegistry().chain(1)!
  const namedTokens = [wrappedNative!, ...stables].map(({ address }) => address.toLowerCase())
  const rank = ({ token }: TradedToken) =>
    namedTokens.includes(token) ? namedTokens.indexOf(token) : namedTokens.length
  const { busy } = await pricedTokens(api, node.url)
  const tokens: TradedToken[] = []
  for (const token of busy) if (await canBeFunded(node, token, guard)) tokens.push(token)
  return tokens.sort((a, b) => rank(a) - rank(b))
}

async function canBeFunded(node: Node, { token, decimals }: TradedToken, guard: string): Promise<boolean> {
  const snapshotId = await node.request<string>('evm_snapshot')
  const isFunded = await fund(node, token, 10n ** BigInt(decimals), guard)
  await node.undo(snapshotId)
  return isFunded
}
