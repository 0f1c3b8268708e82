import { type Anvil, startAnvil } from '@sluice/devnet'
import { Node } from './wallet.ts'

/** The local chain's saved state under another chain id, with a clock that goes on from its head. */
export async function startCopy(chainId: number, stateFile: string, args: readonly string[] = []): Promise<Anvil> {
  const anvil = await startAnvil({ chainId, args: ['--load-state', stateFile, ...args] })
  const node = new Node(anvil.url)
  const head = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  await node.request('anvil_setTime', [Number(head.timestamp)])
  await node.request('anvil_setBlockTimestampInterval', [1])
  return anvil
}
