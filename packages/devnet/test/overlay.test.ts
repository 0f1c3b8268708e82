/** Tests of the files that describe the local chain. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { expect, it } from 'vitest'
import { CHAIN_ID, prepareDevnet, writeDevnetJson } from '../src/index.ts'
import { writeOverlay } from '../src/overlay.ts'

const dir = mkdtempSync(join(tmpdir(), 'sluice-devnet-'))

it('the registry reads the local chain from its overlay, in which hubs lead to every token', async () => {
  try {
    const { info } = await prepareDevnet()
    writeOverlay(dir, info)
    const registry = loadRegistry({ chainsDir: join(dir, 'chains'), deploymentsDir: join(dir, 'deployments') })
    const chain = registry.chain(CHAIN_ID)
    expect(registry.deployment(CHAIN_ID)?.guard).toMatchObject({ address: info.guard, status: 'deployed' })
    expect(registry.deployment(CHAIN_ID)?.executors.at(-1)?.address).toBe(info.executor)
    expect(registry.supportedIds()).toContain(CHAIN_ID)
    expect(registry.supportedIds().length).toBeGreaterThan(150)
    expect(chain?.wrappedNative?.address).toBe(info.tokens.WETH.address)
    expect(chain?.tokens).toHaveLength(Object.keys(info.tokens).length)
    expect(chain?.dexes).toEqual(info.dexes)
    expect(new Set(chain?.dexes.map(({ brand }) => brand))).toEqual(new Set(info.pools.map(({ dex }) => dex)))

    const hubs = new Set(chain?.hubs)
    const pairs = info.pools
      .filter(({ family }) => family === 'uniswap-v2' || family === 'uniswap-v3')
      .map(({ tokens }) => tokens.map((symbol) => info.tokens[symbol]!.address))
    const alone = chain?.tokens.filter(
      ({ address }) =>
        !pairs.some((pair) => pair.includes(address) && pair.some((other) => other !== address && hubs.has(other))),
    )
    expect(alone, 'tokens without a pool with a hub').toEqual([])

    const devnet = { chainId: CHAIN_ID, url: 'http://127.0.0.1:1', info }
    writeDevnetJson({ dir, devnet, apiUrl: 'http://127.0.0.1:2' })
    expect(JSON.parse(readFileSync(join(dir, 'devnet.json'), 'utf8'))).toMatchObject({
      chainId: CHAIN_ID,
      rpcUrl: 'http://127.0.0.1:1',
      apiUrl: 'http://127.0.0.1:2',
      guard: info.guard,
      executor: info.executor,
      contracts: { guard: info.guard, executors: [info.executor], wrapper: info.tokens.WETH.address },
      accounts: info.accounts,
      tokens: info.tokens,
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
