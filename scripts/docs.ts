/**
 * `npm run docs`: generates docs/api.md, docs/errors.md, docs/run/configuration.md, docs/dexes.md,
 * packages/program/FORMAT.md, and the counts of README.md from schemas, the chain registry, and the operations of
 * programs. `--examples` first records example responses on a local chain. `--release` also writes docs/openapi.json,
 * with which later versions must stay compatible.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiReference, configurationReference, errorReference, openApiDocument } from '@sluice/api'
import { loadRegistry } from '@sluice/chains'
import { formatReference } from '@sluice/program/reference'
import { countInReadme, dexCoverage, recordedShares } from './lib/dex-coverage.ts'
import { root } from './lib/run.ts'

if (process.argv.includes('--examples')) await recordExamples()

const registry = loadRegistry()
const chains = registry.supportedIds().map((id) => registry.chain(id)!)
const release = { 'docs/openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n` }
const pages = {
  'docs/api.md': apiReference,
  'docs/errors.md': errorReference,
  'docs/run/configuration.md': configurationReference,
  'docs/dexes.md': () => dexCoverage(chains, recordedShares()),
  'packages/program/FORMAT.md': formatReference,
  'README.md': () => countInReadme(readFileSync(join(root, 'README.md'), 'utf8'), chains),
  ...(process.argv.includes('--release') && release),
}
for (const [path, text] of Object.entries(pages)) {
  writeFileSync(join(root, path), text())
  console.log(`wrote ${path}`)
}

/** Records responses of a service on a local chain for the OpenAPI document. */
async function recordExamples(): Promise<void> {
  const path = 'packages/api/src/docs/example-answers.json'
  const { startChain, startOver } = await import('@sluice/api/testing')
  const { EXAMPLE_SETTINGS, exampleAnswers } = await import('../packages/api/test/src/example-answers.ts')
  const devnet = await startChain()
  const server = await startOver(devnet.url, EXAMPLE_SETTINGS)
  try {
    const examples = await exampleAnswers(devnet, server.url)
    writeFileSync(join(root, path), `${JSON.stringify(examples, null, 2)}\n`)
    console.log(`wrote ${path}; run the command again to have it in the references`)
  } finally {
    await server.close()
    await devnet.stop()
  }
}
