/** Runs the tests of one package that need no node (MUTATED_PACKAGE), for StrykerJS, which copies the repository. */
import { defineConfig } from 'vitest/config'

const folder = `packages/${process.env.MUTATED_PACKAGE}`
/** Tests under `test/` that run in memory. */
const IN_MEMORY: Readonly<Record<string, readonly string[]>> = {
  api: ['test/page.test.ts'],
  client: ['test/{wallet-answers,proof}.test.ts'],
  liquidity: ['test/{capacity,contract,dropping,late-logs,late-tokens,reading,recorded-quotes,wrapper}.test.ts'],
  pricing: ['test/**/*.test.ts'],
  routing: [
    'test/{exact-output,few-pools,golden-routes,golden-terms,drift-penalties,alternatives,requests,several-tokens,trust,why-not,route-evaluator,ending-pools,flat-pools,net-bound,optimal-trade,path-division,subgraph-bounds}.test.ts',
  ],
  rpc: ['test/{mixed-logs,op-stack-fees,provider-messages}.test.ts'],
}

export default defineConfig({
  root: process.cwd(),
  test: {
    include: ['src/**/*.test.ts', ...(IN_MEMORY[process.env.MUTATED_PACKAGE!] ?? [])].map(
      (path) => `${folder}/${path}`,
    ),
    setupFiles: ['test/src/fast-check.ts'],
    testTimeout: 60_000,
    tags: [{ name: 'long', description: 'Runs in mutation tests as in `npm test -- --long`.' }],
  },
})
