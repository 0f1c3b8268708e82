/**
 * `npm run -s vectors -- <file.json or .json.gz>…`: compares the results of the pool math with the expected results in
 * test vector files. Fails on any mismatch and on unreadable files.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type FormFile, parseVectors, runVectors, type VectorFile } from '@sluice/liquidity/vectors'
import { userPath } from './lib/run.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('usage: npm run -s vectors -- <file.json or .json.gz>…')
  process.exit(2)
}

let mismatches = 0
let unreadable = 0
for (const file of files) {
  try {
    const content = parseVectors(textOf(userPath(file)))
    if (content) mismatches += report(content)
    else console.log(`${file}: an index of other files, holds no vectors`)
  } catch (error) {
    const isReadError = error instanceof TypeError || (error as NodeJS.ErrnoException).code !== undefined
    if (!isReadError) throw error
    console.error(`${file}: ${(error as Error).message}`)
    unreadable++
  }
}
process.exit(unreadable > 0 ? 2 : mismatches > 0 ? 1 : 0)

function textOf(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

/** @returns the number of mismatches */
function report(content: VectorFile | FormFile): number {
  const { family, passed, failed, skipped } = runVectors(content)
  const skippedCount = [...skipped.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${family}: ${passed}/${failed.length}/${skippedCount}`)
  for (const line of failed) console.log(`  mismatch: ${line}`)
  for (const [reason, count] of skipped) console.log(`  skipped ${count}: ${reason}`)
  return failed.length
}
