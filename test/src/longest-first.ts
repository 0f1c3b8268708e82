/** Orders test files so that the longest start first. A long file that starts last would run alone at the end. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '../..')

/**
 * Files that take 10 s or more, in the order in which they start. Files with only tests of the long profile come first,
 * and then the others, longest first. vitest sorts the unlisted files by size and last duration.
 */
const LONGEST = [
  'packages/web/test/pages.test.ts',
  'packages/web/test/route-picture.test.ts',
  'packages/server/test/pack.test.ts',
  'packages/docs/test/browser.test.ts',
  'packages/web/test/referee.test.ts',
  'packages/web/test/peer-reports.test.ts',
  'packages/web/test/explain.test.ts',
  'test/referee-rollups.test.ts',
  'test/bill.test.ts',
  'scripts/container.test.ts',
  'packages/web/test/honesty.test.ts',
  'test/mainnet-cold.test.ts',
  'packages/bus/test/faults.test.ts',
  'test/start.test.ts',
  'scripts/replay.test.ts',
  'packages/api/test/lying-pool.test.ts',
  'packages/api/test/slow-clients.test.ts',
  'scripts/deploy-interrupted.test.ts',
  'packages/web/test/first-visit.test.ts',
  'test/gas/hop-gas.test.ts',
  'packages/web/test/swap.test.ts',
  'test/three-chains.test.ts',
  'packages/api/test/solver.test.ts',
  'test/bounded.test.ts',
  'packages/routing/test/thread.test.ts',
  'test/scale-out.test.ts',
  'packages/mcp/test/tools.test.ts',
  'packages/api/test/combinations.test.ts',
  'packages/client/test/signers.test.ts',
  'packages/api/test/past-quote.test.ts',
  'packages/api/test/stream.test.ts',
  'packages/api/test/referee-reports.test.ts',
  'scripts/lib/test/groups.test.ts',
  'packages/liquidity/test/fuzz/fuzz.test.ts',
  'packages/api/test/referee.test.ts',
  'test/swap.test.ts',
  'scripts/referee.test.ts',
  'contracts/test/guard-model.test.ts',
  'packages/mcp/test/hostile.test.ts',
  'packages/liquidity/test/recorded-quotes.test.ts',
  'packages/api/test/providers.test.ts',
  'scripts/quote.test.ts',
  'packages/simulation/test/without-sender-probe.test.ts',
  'packages/api/test/quote.test.ts',
  'packages/api/test/threads.test.ts',
  'scripts/deploy-teams.test.ts',
  'packages/client/test/errors.test.ts',
  'packages/routing/test/exact-output.test.ts',
  'packages/client/test/permits.test.ts',
  'packages/routing/test/local-chain.test.ts',
  'test/referee.test.ts',
  'packages/api/test/load.test.ts',
  'packages/api/test/depth.test.ts',
  'packages/liquidity/test/capacity.test.ts',
  'scripts/readme.test.ts',
  'packages/api/test/prices.test.ts',
  'packages/client/test/attacks.test.ts',
  'packages/mcp/test/transports.test.ts',
  'packages/mcp/test/package.test.ts',
  'packages/api/test/proof.test.ts',
  'packages/routing/test/golden-terms.test.ts',
  'packages/api/test/guides.test.ts',
  'test/endpoint-failures.test.ts',
]
const rankByFile = new Map(LONGEST.map((file, rank) => [join(root, file), rank]))

export class LongestFirst extends BaseSequencer {
  /**
   * Sorts the test files.
   *
   * @throws Error if a listed file does not exist: it may have been renamed, and then the list needs the new name
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missingFile = [...rankByFile.keys()].find((file) => !existsSync(file))
    if (missingFile) throw new Error(`${missingFile} in test/src/longest-first.ts does not exist`)
    const rank = ({ moduleId }: TestSpecification) => rankByFile.get(moduleId) ?? rankByFile.size
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
