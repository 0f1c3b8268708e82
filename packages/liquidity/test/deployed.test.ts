/** Families against their own deployed code, where a file that has it is named: `IZISWAP_STATE=<file>` and so on; `LONG=1` for 100,000 quotes. */
import { describe, expect, test } from 'vitest'
import { compareCapacities, makeRich } from './fuzz/capacity.ts'
import { deployedOf, notGiven } from './fuzz/deployed.ts'
import { DEPLOYED_FAMILIES } from './fuzz/deployed-worlds.ts'
import { fuzz } from './fuzz/trials.ts'

const QUOTES = process.env.LONG ? 100_000 : 200
const LONG_MS = process.env.LONG ? 3_600_000 : 120_000

describe.each(DEPLOYED_FAMILIES)('$family', ({ family, start }) => {
  const deployment = deployedOf(family)
  test.skipIf(!deployment)(
    `quotes equal payments of its own code through the Executor, for any amount, with the same limits${deployment ? '' : ` (${notGiven(family)})`}`,
    async () => {
      const world = await start(deployment!, 20)
      try {
        const { exact, mismatches } = await fuzz(world, family, QUOTES, 43)
        expect(mismatches).toEqual([])
        expect(exact).toBeGreaterThan(QUOTES / 4)
        await makeRich(world)
        const capacities = await compareCapacities(world, family, 37)
        expect(capacities.mismatches).toEqual([])
        expect(capacities.ends).toBeGreaterThan(0)
      } finally {
        await world.stop()
      }
    },
    LONG_MS,
  )
})
