/** Starts copies of the local chain under other chain ids. */
import { type Anvil, startAnvil } from '@sluice/devnet'
import { Node } from './wallet.ts'

/**
 * Starts a node with the saved state of the local chain and another chain id. Its clock continues from the saved head,
 * one second per block.
 */
export async function startChainCopy(chainId: number, stateFile: string, args: readonly string[] = []): Promise<Anvil> {
  const anvil = await startAnvil({ chainId, args: ['--load-state', stateFile, ...args] })
  const node = new Node(anvil.url)
  const head = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  await node.request('anvil_setTime', [Number(head.timestamp)])
  await node.request('anvil_setBlockTimestampInterval', [1])
  return anvil
}
