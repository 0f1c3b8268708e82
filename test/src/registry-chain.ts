import { readFileSync } from 'node:fs'
import { type ChainFile, loadRegistry } from '@sluice/chains'
import { type DevnetInfo, devnetChain } from '@sluice/devnet'

const registry = loadRegistry()

/** The first ids that `GET /chains` has. */
export const registryIds = (count: number): readonly number[] => registry.supportedIds().slice(0, count)

/**
 * A chain of the registry as its file has it (name, native asset, block time, fee model, EVM), with the tokens and DEXes of
 * the local chain in the place of its own. Where nothing wraps its native asset, the local USDC shows it.
 */
export function onLocalChain(chainId: number, info: DevnetInfo, rpcUrl: string): ChainFile {
  const { notes: _, nativeErc20, ...own } = JSON.parse(readFileSync(registry.chainFile(chainId)!, 'utf8')) as ChainFile
  const local = devnetChain(info, rpcUrl)
  const { stables, hubs, tokens, rpcUrls, dexes } = local
  const native = nativeErc20
    ? { wrappedNative: null, nativeErc20: { ...nativeErc20, ...info.tokens.USDC } }
    : { wrappedNative: local.wrappedNative }
  return { ...own, ...native, stables, hubs, tokens, rpcUrls, dexes }
}
