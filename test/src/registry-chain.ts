/** Chains of the registry with the local chain's contracts. */
import { readFileSync } from 'node:fs'
import { type ChainFile, loadRegistry } from '@sluice/chains'
import { type DevnetInfo, devnetChain } from '@sluice/devnet'

const registry = loadRegistry()

/** Returns the first chain ids in `GET /chains`. */
export const registryIds = (count: number): readonly number[] => registry.supportedIds().slice(0, count)

/**
 * Returns a chain of the registry as in its file (name, native asset, block time, fee model, EVM), but with the tokens
 * and DEXes of the local chain. If the chain has no wrapped native token, the local USDC is the ERC-20 of its native
 * asset.
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
