/** Every family against genuine bytecode: no difference of one unit is allowed. The long profile is `npm run bench:fuzz`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCurvePools, startRollupPools } from './given.ts'
import { fuzz, stir } from './trials.ts'
import { type PoolWorld, startEthereum, startLocal } from './world.ts'

const QUOTES = 200

describe.each([
  ['the local chain', startLocal],
  ['the real state of Ethereum', startEthereum],
  ['real pools of Linea', () => startRollupPools('linea')],
  ['real pools of Scroll', () => startRollupPools('scroll')],
  ['real pools of Curve', startCurvePools],
] as const)('%s', (_, start) => {
  let world: PoolWorld
  beforeAll(async () => {
    world = await start()
    await stir(world, 3)
  })
  afterAll(() => world?.stop())

  test('every family quotes what its pools pay, and refuses what they do not take', async () => {
    const families = new Set(world.pools().map(({ family }) => family))
    expect(families.size).toBeGreaterThan(1)
    for (const [reason, count] of world.skipped) console.info(`${world.name}: skipped ${count} pools: ${reason}`)
    for (const family of families) {
      const { exact, refused, mismatches } = await fuzz(world, family, QUOTES, 29)
      console.info(`${world.name} ${family}: ${exact} exact, ${refused} refused, ${mismatches.length} mismatches`)
      expect(mismatches).toEqual([])
      expect(exact).toBeGreaterThan(QUOTES / 4)
    }
  })
})
