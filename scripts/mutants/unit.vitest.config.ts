/** Vitest configuration for StrykerJS: the tests of the package MUTATED_PACKAGE that need no node. */
import { defineConfig } from 'vitest/config'

const folder = `packages/${process.env.MUTATED_PACKAGE}`
/** Tests under `test/` that need no node, by package. */
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
