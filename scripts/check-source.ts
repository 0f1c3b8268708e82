/**
 * Checks every source file for faults that lint and types do not find: long files and functions, misleading beginnings
 * of comments, undeclared imports, and module mocks that affect other tests.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { misleadingBeginnings } from './lib/check/comments.ts'
import { type Manifest, undeclaredImports } from './lib/check/declared.ts'
import { exceptions } from './lib/check/exceptions.ts'
import { leakingMocks } from './lib/check/mocks.ts'
import { tooLong } from './lib/check/sizes.ts'
import { listedFiles } from './lib/listed-files.ts'
import { root } from './lib/run.ts'

const manifests = new Map<string, Manifest>()

/** Returns the package.json that applies to a folder. */
function manifestOf(folder: string): Manifest {
  const cached = manifests.get(folder)
  if (cached) return cached
  const path = join(root, folder, 'package.json')
  const manifest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : manifestOf(dirname(folder))
  manifests.set(folder, manifest)
  return manifest
}

/**
 * Returns the paths of the sources of released contracts. Their comments must not change: they determine the hash of a
 * contract's metadata, and thus its address.
 */
function releasedSources(): ReadonlySet<string> {
  const folder = join(root, 'deployments/standard-json')
  const paths = readdirSync(folder).flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly sources: object }
    return Object.keys(sources)
  })
  return new Set(paths.map((path) => path.replace(/^project/, 'contracts')))
}

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const releasedFiles = releasedSources()
const faults = [
  ...listedFiles('*.ts', '*.tsx', '*.mjs').flatMap((path) => {
    const text = textOf(path)
    return [
      ...tooLong(path, text),
      ...misleadingBeginnings(path, text),
      ...leakingMocks(path, text),
      ...undeclaredImports(path, text, manifestOf(dirname(path))),
    ]
  }),
  ...listedFiles('*.sol').flatMap((path) => (releasedFiles.has(path) ? [] : misleadingBeginnings(path, textOf(path)))),
]
const unexcusedFaults = faults.filter((text) => !exceptions.some(({ fault }) => fault.test(text)))
const unusedExceptions = exceptions.filter(({ fault }) => !faults.some((text) => fault.test(text)))
for (const fault of unexcusedFaults) console.error(fault)
for (const { fault } of unusedExceptions)
  console.error(`scripts/lib/check/exceptions.ts: nothing needs ${fault} any more`)
process.exitCode = unexcusedFaults.length + unusedExceptions.length > 0 ? 1 : 0
