/** Copies the repository for tests that change its files. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listedFiles } from '../listed-files.ts'
import { root } from '../run.ts'

const AUTHOR = {
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@localhost',
}

/** Copies the files that git lists into a new repository with links to the installed packages. Returns its path. */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-copy-'))
  for (const path of listedFiles()) cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, env: { ...process.env, ...AUTHOR } })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--no-verify', '--message=copy')
  return copy
}

/** Deletes the tests of a copy, except those in the given folders. */
export function keepTests(copy: string, folders: readonly string[]): void {
  for (const path of listedFiles('*.test.ts', '*.test.tsx'))
    if (!folders.some((folder) => path.startsWith(`${folder}/`))) rmSync(join(copy, path))
  // Empties the list of the longest test files, because a check fails if a listed file does not exist.
  const order = join(copy, 'test/src/longest-first.ts')
  writeFileSync(
    order,
    readFileSync(order, 'utf8').replace(/^const LONGEST = \[.*?^\]/ms, 'const LONGEST: string[] = []'),
  )
}
