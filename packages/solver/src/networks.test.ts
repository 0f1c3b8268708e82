import { loadRegistry } from '@sluice/chains'
import { expect, test } from 'vitest'
import { NETWORKS } from './networks.ts'

test('every name is that of another chain of the registry', () => {
  const registry = loadRegistry()
  expect(NETWORKS.size).toBe(12)
  expect(new Set(NETWORKS.values()).size).toBe(NETWORKS.size)
  const nameOf = (network: string) => registry.chain(NETWORKS.get(network)!)?.name.toLowerCase()
  for (const network of NETWORKS.keys()) expect(nameOf(network), network).toBeDefined()
  for (const network of ['base', 'linea', 'sepolia', 'polygon', 'optimism', 'avalanche', 'ink', 'plasma'])
    expect(nameOf(network), network).toContain(network)
  const named = { mainnet: 1, 'arbitrum-one': 42_161, bnb: 56, xdai: 100 }
  for (const [network, chainId] of Object.entries(named)) expect(NETWORKS.get(network)).toBe(chainId)
})
