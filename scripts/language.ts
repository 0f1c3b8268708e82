/**
 * `npm run language [-- <folder>]`: lists words and forms that the language rules replace, duplicate names of exported
 * types, and public exports without a docstring. Without a folder it fails if a folder has more than
 * `scripts/lib/check/language-left.json` allows, or if the subject of the last commit is invalid; `--record` sets the
 * limits to the current counts.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDuplicateTypes, moduleOf, undocumentedExports } from './lib/check/exports.ts'
import { type Match, matchesInDocument, matchesInSource, subjectFault } from './lib/check/language.ts'
import { listedFiles } from './lib/listed-files.ts'
import { root } from './lib/run.ts'

const LIMITS = join(root, 'scripts/lib/check/language-left.json')
/** Generated documents, and records of past changes. */
const EXCLUDED =
  /^(CHANGELOG\.md|docs\/(api|dexes|errors|commands)\.md|docs\/run\/configuration\.md|packages\/api\/src\/docs\/|docs\/audit\/)/
const KINDS = ['comments', 'names', 'types', 'docstrings', 'documents'] as const
type Kind = (typeof KINDS)[number]

const folderOf = (path: string) => /^(?:packages\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? '.'

/** Lines to print, by folder and kind. */
const faults = new Map<string, Record<Kind, string[]>>()
function addFault(path: string, kind: Kind, line: string): void {
  const folder = folderOf(path)
  const folderFaults = faults.get(folder) ?? { comments: [], names: [], types: [], docstrings: [], documents: [] }
  faults.set(folder, folderFaults)
  folderFaults[kind].push(line)
}

function collectFaults(): void {
  const modules = new Map<string, ReturnType<typeof moduleOf>>()
  const files = listedFiles('*.ts', '*.tsx', '*.mjs', '*.md')
  for (const path of files.filter((file) => !EXCLUDED.test(file))) {
    const text = readFileSync(join(root, path), 'utf8')
    const addAll = (kind: Kind, matches: readonly Match[]) => {
      for (const { line, text, instead } of matches) addFault(path, kind, `${path}:${line}: "${text}": ${instead}`)
    }
    if (path.endsWith('.md')) {
      addAll('documents', matchesInDocument(text))
      continue
    }
    const { comments, names } = matchesInSource(path, text)
    addAll('comments', comments)
    addAll('names', names)
    if (/^packages\/[^/]+\/src\/.*(?<!\.test)\.tsx?$/.test(path)) modules.set(path, moduleOf(path, text))
  }
  for (const [name, paths] of findDuplicateTypes(modules)) {
    for (const path of paths) addFault(path, 'types', `${path}: "${name}": a name that no other file exports`)
  }
  for (const entry of modules.keys()) {
    if (!/^packages\/[^/]+\/src\/index\.ts$/.test(entry)) continue
    for (const line of undocumentedExports(entry, modules)) addFault(entry, 'docstrings', line)
  }
}

function recordLimits(): void {
  const counts = [...faults].map(([folder, folderFaults]) => {
    const remaining = KINDS.filter((kind) => folderFaults[kind].length > 0).map((kind) => [
      kind,
      folderFaults[kind].length,
    ])
    return [folder, Object.fromEntries(remaining)] as const
  })
  const sorted = Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(LIMITS, `${JSON.stringify(sorted, null, 2)}\n`)
}

const lastSubject = () =>
  execFileSync('git', ['log', '-1', '--no-merges', '--format=%s'], { cwd: root, encoding: 'utf8' }).trim()

function checkLimits(): void {
  const limits: Record<string, Partial<Record<Kind, number>>> = JSON.parse(readFileSync(LIMITS, 'utf8'))
  for (const [folder, folderFaults] of faults) {
    for (const kind of KINDS) {
      const limit = limits[folder]?.[kind] ?? 0
      if (folderFaults[kind].length <= limit) continue
      process.exitCode = 1
      console.error(`${folder}: ${folderFaults[kind].length} faults in ${kind}, but the limit is ${limit}:`)
      for (const line of folderFaults[kind]) console.error(`  ${line}`)
    }
  }
  const fault = subjectFault(lastSubject())
  if (!fault) return
  process.exitCode = 1
  console.error(`the last commit's subject: ${fault}`)
}

collectFaults()
const [option] = process.argv.slice(2)
if (option === '--record') recordLimits()
else if (option)
  for (const kind of KINDS) for (const line of faults.get(option.replace(/\/$/, ''))?.[kind] ?? []) console.log(line)
else checkLimits()
