/**
 * Step of `npm run check`: fails if the API breaks callers that rely on docs/openapi.json, the interface of the last
 * release.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@sluice/api'
import { breakingChanges } from './lib/check/compatible.ts'
import { root } from './lib/run.ts'

const releasedApi = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
const faults = breakingChanges(releasedApi, JSON.parse(JSON.stringify(openApiDocument())))
for (const fault of faults) console.error(`incompatible with docs/openapi.json: ${fault}`)
process.exit(faults.length > 0 ? 1 : 0)
