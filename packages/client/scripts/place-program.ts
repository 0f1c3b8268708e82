/**
 * Build step: replaces imports of `@sluice/program` by paths to its copy in `dist`, so that the package has no
 * dependencies.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const dist = join(import.meta.dirname, '../dist')
const program = join(dist, 'program/src/index.js')

for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(js|d\.ts)$/.test(name)) continue
  const file = join(dist, name)
  const code = readFileSync(file, 'utf8')
  const programPath = relative(dirname(file), program).split('\\').join('/')
  const placedCode = code.replaceAll(/(['"])@sluice\/program\1/g, `'${programPath}'`)
  if (placedCode !== code) writeFileSync(file, placedCode)
}
