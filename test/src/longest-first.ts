/** Orders test files so that the longest start first, since a long file that starts last would run alone at the end. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '../..')

/** Files that take 15 s or more, longest first. Others are sorted by size and by their last duration. */
const LONGEST = [
  'test/strangers.test.ts',
  'packages/web/test/pages.test.ts',
  'bench/hop-gas/hop-gas.test.ts',
  'packages/bus/test/faults.test.ts',
  'test/hundred-chains.test.ts',
  'scripts/deploy.test.ts',
  'packages/api/test/permit.test.ts',
  'packages/web/test/swap.test.ts',
  'packages/api/test/quote.test.ts',
  'packages/web/test/honesty.test.ts',
  'packages/devnet/test/build.test.ts',
  'scripts/replay.test.ts',
  'packages/api/test/stream.test.ts',
  'scripts/new-dex.test.ts',
  'bench/router/scenario-file.test.ts',
  'test/rolling.test.ts',
  'scripts/deploy-interrupted.test.ts',
  'packages/routing/test/thread.test.ts',
  'packages/web/test/explain.test.ts',
  'test/weather.test.ts',
  'packages/server/test/pack.test.ts',
  'test/swap.test.ts',
  'packages/api/test/slow-clients.test.ts',
  'packages/client/test/errors.test.ts',
  'packages/api/test/combinations.test.ts',
  'test/three-chains.test.ts',
  'scripts/quote.test.ts',
  'test/vanishing-heads.test.ts',
  'packages/api/test/errors.test.ts',
  'scripts/container.test.ts',
  'test/mainnet-cold.test.ts',
  'packages/client/test/wallets.test.ts',
  'packages/liquidity/test/curve.test.ts',
  'packages/routing/test/properties.test.ts',
  'test/start.test.ts',
  'packages/api/test/load.test.ts',
]
const RANKS = new Map(LONGEST.map((file, rank) => [join(root, file), rank]))

export class LongestFirst extends BaseSequencer {
  /**
   * Sorts the test files.
   *
   * @throws Error if a listed file does not exist, since its replacement belongs in the list
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = [...RANKS.keys()].find((file) => !existsSync(file))
    if (gone) throw new Error(`${gone} is listed among the longest tests, and is not there`)
    const rank = ({ moduleId }: TestSpecification) => RANKS.get(moduleId) ?? RANKS.size
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
