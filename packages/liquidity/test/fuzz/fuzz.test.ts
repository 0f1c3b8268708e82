/** Every family against genuine bytecode: no difference of one unit is allowed. The long profile is `npm run bench -- families`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { familyOf } from '../../src/index.ts'
import { compareCapacities, makeRich } from './capacity.ts'
import { fuzz, stir } from './trials.ts'
import { startCurvePools, startRollupPools } from './unlisted-pools.ts'
import { type PoolWorld, startEthereum, startLocal } from './world.ts'

const QUOTES = process.env.LONG ? 200 : 30

/** Families whose pools cannot be tried up to their end, by why. */
const LAME: ReadonlyMap<string, string> = new Map([
  ['ramses-cl', 'pools of which the state lacks code that they call once the tick moves'],
])

function worldTests(_: string, start: () => Promise<PoolWorld>): void {
  let world: PoolWorld
  beforeAll(async () => {
    world = await start()
    await stir(world, 3)
  })
  afterAll(() => world?.stop())

  // Sampled families are exact at their samples only (test/sampled-pools.test.ts).
  const familiesOf = () => new Set(world.pools().flatMap(({ family }) => (familyOf(family)!.sampled ? [] : [family])))

  test('every family quotes the payments of its pools, and refuses amounts that they refuse', async () => {
    expect(familiesOf().size).toBeGreaterThan(1)
    for (const [reason, count] of world.skipped) console.info(`${world.name}: skipped ${count} pools: ${reason}`)
    for (const family of familiesOf()) {
      const { exact, refused, mismatches } = await fuzz(world, family, QUOTES, 29)
      console.info(`${world.name} ${family}: ${exact} exact, ${refused} refused, ${mismatches.length} mismatches`)
      expect(mismatches).toEqual([])
      expect(exact).toBeGreaterThan(QUOTES / 4)
    }
  })

  test('the stated maximum input of a family is the maximum that its pools accept', async () => {
    await makeRich(world)
    for (const family of familiesOf()) {
      if (LAME.has(family)) {
        console.info(`${world.name}: skipped ${family}: ${LAME.get(family)}`)
        continue
      }
      const { mismatches, ends, beyond, nothing, ownLimits } = await compareCapacities(world, family, 31)
      const counts = `${ends} ends, ${beyond} beyond the trader, ${nothing} take nothing, ${ownLimits} own limits`
      console.info(`${world.name} ${family}: ${counts}`)
      expect(mismatches).toEqual([])
      expect(ends + beyond + ownLimits).toBeGreaterThan(0)
    }
  })
}

describe.each([['the local chain', startLocal]] as const)('%s', worldTests)
describe.each([
  ['real pools of Curve', startCurvePools],
  ['the real state of Ethereum', startEthereum],
  ['real pools of Linea', () => startRollupPools('linea')],
  ['real pools of Scroll', () => startRollupPools('scroll')],
] as const)('%s', { tags: 'long' }, worldTests)
