import { type AnvilOptions, startAnvil } from './anvil.ts'
import { BLOCK_SECONDS, CHAIN_ID } from './constants.ts'
import { request } from './node.ts'
import { type PrepareOptions, prepareDevnet } from './prepare.ts'
import type { DevnetInfo } from './recipe.ts'

export type StartOptions = PrepareOptions & Pick<AnvilOptions, 'port' | 'args'>

export type Devnet = {
  readonly chainId: number
  readonly url: string
  readonly port: number
  readonly info: DevnetInfo
  readonly stop: () => Promise<void>
}

/**
 * A node of its own on a copy of the saved chain, which is built first where it is missing. Any number run at once.
 * Block times are counted from the parent, one second each, so that a deadline taken from the head's timestamp holds
 * however long the chain stood idle, and quotes do not depend on when it was started.
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
