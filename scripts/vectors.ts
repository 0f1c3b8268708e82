/** `npm run -s vectors -- <file.json>…`: holds the pool maths against files of known answers. Fails on any mismatch. */
import { readFileSync } from 'node:fs'
import { runVectors, type VectorFile } from '@sluice/liquidity/vectors'
import { userPath } from './lib/run.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('usage: npm run -s vectors -- <file.json>…')
  process.exit(2)
}

let mismatches = 0
for (const file of files) {
  const content = JSON.parse(readFileSync(userPath(file), 'utf8')) as Partial<VectorFile>
  if (!content.family || !content.vectors || !content.states) {
    console.error(`${file}: is not a file of vectors (family, vectors, states)`)
    process.exit(2)
  }
  const { family, passed, failed, skipped } = runVectors(content as VectorFile)
  const left = [...skipped.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${family}: ${passed}/${failed.length}/${left}`)
  for (const line of failed) console.log(`  mismatch: ${line}`)
  for (const [reason, count] of skipped) console.log(`  skipped ${count}: ${reason}`)
  mismatches += failed.length
}
process.exit(mismatches === 0 ? 0 : 1)
