/** Files of the repository as git lists them. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.ts'

/** Returns the existing files that match git's patterns. Includes untracked files, but no ignored files. */
export function listedFiles(...patterns: readonly string[]): readonly string[] {
  const text = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
  return text.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
}
