/**
 * Check of every source file beside lint and types: its length, that of its functions, how comments begin, and declared
 * imports.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unnamed } from './lib/check/comments.ts'
import { type Manifest, undeclared } from './lib/check/declared.ts'
import { exceptions } from './lib/check/exceptions.ts'
import { tooLong } from './lib/check/sizes.ts'
import { root } from './lib/run.ts'

const manifests = new Map<string, Manifest>()

/** The package.json that a file belongs to. */
function manifestOf(folder: string): Manifest {
  const known = manifests.get(folder)
  if (known) return known
  const path = join(root, folder, 'package.json')
  const manifest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : manifestOf(dirname(folder))
  manifests.set(folder, manifest)
  return manifest
}

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'], {
  cwd: root,
  encoding: 'utf8',
})
const faults = listed
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...tooLong(path, text), ...unnamed(path, text), ...undeclared(path, text, manifestOf(dirname(path)))]
  })
const open = faults.filter((text) => !exceptions.some(({ fault }) => fault.test(text)))
const idle = exceptions.filter(({ fault }) => !faults.some((text) => fault.test(text)))
for (const fault of open) console.error(fault)
for (const { fault } of idle) console.error(`scripts/lib/check/exceptions.ts: nothing needs ${fault} any more`)
process.exitCode = open.length + idle.length > 0 ? 1 : 0
