/** Reads facts about chains from the registry, and derives Hardhat's networks from them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHAIN_DATA_DIR } from '@sluice/chains'
import { configVariable } from 'hardhat/config'

/** Name of the variable with the deployer's private key, in the environment and in Hardhat's keystore. */
export const DEPLOYER_KEY = 'DEPLOYER_KEY'

type ChainFacts = {
  readonly chainId: number
  readonly name: string
  readonly rpcUrls: readonly string[]
  readonly unsupported?: string
}

/** Returns the content of a chain's registry file; undefined for a chain that is not in the registry. */
export function chainFacts(chainId: number): ChainFacts | undefined {
  return allChains().find((chain) => chain.chainId === chainId)
}

function allChains(): ChainFacts[] {
  return readdirSync(CHAIN_DATA_DIR)
    .filter((name) => /^[0-9]+\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(CHAIN_DATA_DIR, name), 'utf8')) as ChainFacts)
}

/**
 * Returns Hardhat's networks by name: all supported chains of the registry that have a public endpoint. A network uses
 * the endpoint in the variable `RPC_URL_<chainId>`, or by default the first public one.
 */
export function registryNetworks() {
  return Object.fromEntries(
    allChains()
      .filter(({ unsupported, rpcUrls }) => !unsupported && rpcUrls.length > 0)
      .map(({ chainId, name, rpcUrls }) => [
        name,
        {
          type: 'http' as const,
          chainType: 'generic' as const,
          chainId,
          url: configVariable(`RPC_URL_${chainId}`, { default: rpcUrls[0]! }),
          accounts: [configVariable(DEPLOYER_KEY)],
        },
      ]),
  )
}
