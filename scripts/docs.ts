/** `npm run docs`: writes docs/api.md from the schemas that read requests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiReference } from '@sluice/api'
import { root } from './lib/run.ts'

const file = join(root, 'docs/api.md')
writeFileSync(file, apiReference())
console.log(`wrote ${file}`)
