/** Writes FORMAT.md. Also run by `npm run docs` and `npm run new:dex`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatReference } from '../src/reference.ts'

writeFileSync(join(import.meta.dirname, '../FORMAT.md'), formatReference())
