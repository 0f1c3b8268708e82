/**
 * `npm run docs`: writes docs/api.md from the schemas that read requests, docs/dexes.md from the chain registry, and the byte format
 * of programs. With `--release` also docs/openapi.json: from then on all that stands there is promised.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiReference, openApiDocument } from '@sluice/api'
import { loadRegistry } from '@sluice/chains'
import { formatReference } from '@sluice/program/reference'
import { dexCoverage } from './lib/dex-coverage.ts'
import { root } from './lib/run.ts'

const registry = loadRegistry()
const chains = registry.supportedIds().map((id) => registry.chain(id)!)
const release = { 'docs/openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n` }
const pages = {
  'docs/api.md': apiReference,
  'docs/dexes.md': () => dexCoverage(chains),
  'packages/program/FORMAT.md': formatReference,
  ...(process.argv.includes('--release') && release),
}
for (const [path, text] of Object.entries(pages)) {
  writeFileSync(join(root, path), text())
  console.log(`wrote ${path}`)
}
