/** Starts the local chain. */
import { type AnvilOptions, startAnvil } from './anvil.ts'
import { BLOCK_SECONDS, CHAIN_ID } from './constants.ts'
import { request } from './node.ts'
import { type PrepareOptions, prepareDevnet } from './prepare.ts'
import type { DevnetInfo } from './recipe.ts'

/** Options of `startDevnet`. */
export type StartOptions = PrepareOptions & Pick<AnvilOptions, 'port' | 'args'>

/** A running local chain. */
export type Devnet = {
  readonly chainId: number
  readonly url: string
  readonly port: number
  readonly info: DevnetInfo
  readonly stop: () => Promise<void>
}

/**
 * Starts a node on its own copy of the saved chain. Builds the chain first if none is saved. Any number of nodes can
 * run at the same time. The timestamp of each block is one second after its parent's, not that of the wall clock. So a
 * deadline relative to the head stays valid while the chain is idle, and quotes do not depend on the start time.
 */
export async function startDevnet({ port, args = [], ...options }: StartOptions = {}): Promise<Devnet> {
  const { info, stateFile } = await prepareDevnet(options)
  const anvil = await startAnvil({
    chainId: CHAIN_ID,
    ...(port !== undefined && { port }),
    args: ['--load-state', stateFile, ...args],
  })
  try {
    const head = await request<{ timestamp: string }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
    await request(anvil.url, 'anvil_setTime', [Number(head.timestamp)])
    await request(anvil.url, 'anvil_setBlockTimestampInterval', [BLOCK_SECONDS])
  } catch (error) {
    await anvil.stop()
    throw error
  }
  return { chainId: CHAIN_ID, url: anvil.url, port: anvil.port, info, stop: anvil.stop }
}
