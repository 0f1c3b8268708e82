/**
 * Step of `npm run check`: verifies that the API still has everything that docs/openapi.json of the last release
 * promises.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@sluice/api'
import { breakingChanges } from './lib/check/compatible.ts'
import { root } from './lib/run.ts'

const releasedApi = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
const faults = breakingChanges(releasedApi, JSON.parse(JSON.stringify(openApiDocument())))
for (const fault of faults) console.error(`the interface breaks a promise: ${fault}`)
process.exit(faults.length > 0 ? 1 : 0)
