/** Runs the contract tests of markets on a followed market, over a real Redis, a real node, and an indexer. */
import { createMarket, pairScopeOf, TokenFacts } from '@sluice/liquidity'
import { type Fixture, marketContract } from '@sluice/liquidity/testing'
import { createRpc } from '@sluice/rpc'
import { describe } from 'vitest'
import { ChainIndexers, StateBus } from '../src/index.ts'
import { hasRedis, TestRedis } from './redis.ts'

describe.skipIf(!hasRedis)('a followed market', () => marketContract(makerOf))

async function makerOf({ chain, anvil }: Fixture) {
  const redis = await TestRedis.start()
  const rpc = createRpc({ chainId: chain.chainId, urls: [anvil.url] })
  const indexers = new ChainIndexers({
    url: redis.url,
    canServe: () => true,
    idleMs: 60_000,
    optionsOf: () => ({
      scope: pairScopeOf(chain),
      open: (path) => {
        const ownRpc = createRpc({ chainId: chain.chainId, urls: [anvil.url] })
        const market = createMarket({ chain, rpc: ownRpc, save: { path, everyMs: 1_000 } })
        market.start()
        return { market, close: () => market.stop().finally(() => ownRpc.close()) }
      },
    }),
  })
  indexers.start()
  const bus = new StateBus({ url: redis.url })
  return {
    make: () => bus.follow({ chain, rpc, facts: new TokenFacts(chain) }),
    stop: async () => {
      bus.close()
      await indexers.stop()
      rpc.close()
      await redis.stop()
    },
  }
}
