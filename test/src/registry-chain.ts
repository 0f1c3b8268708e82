/** Creates chain files of registry chains that have the contracts of the local chain. */
import { readFileSync } from 'node:fs'
import { type ChainFile, loadRegistry } from '@sluice/chains'
import { type DevnetInfo, devnetChain } from '@sluice/devnet'

const registry = loadRegistry()

/** Returns the first chain ids in the order of `GET /chains`. */
export const registryIds = (count: number): readonly number[] => registry.supportedIds().slice(0, count)

/**
 * Returns the file of a registry chain (name, native asset, block time, fee model, EVM) with the tokens and DEXes of
 * the local chain. For a chain whose native asset is an ERC-20 token without a wrapper, the local USDC represents the
 * native asset.
 */
export function onLocalChain(chainId: number, info: DevnetInfo, rpcUrl: string): ChainFile {
  const {
    notes: _,
    nativeErc20,
    ...registryFields
  } = JSON.parse(readFileSync(registry.chainFile(chainId)!, 'utf8')) as ChainFile
  const local = devnetChain(info, rpcUrl)
  const { stables, hubs, tokens, rpcUrls, dexes } = local
  const native = nativeErc20
    ? { wrappedNative: null, nativeErc20: { ...nativeErc20, ...info.tokens.USDC } }
    : { wrappedNative: local.wrappedNative }
  return { ...registryFields, ...native, stables, hubs, tokens, rpcUrls, dexes }
}
