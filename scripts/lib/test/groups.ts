/**
 * Computes the keys of groups of tests. A group has the tests of one workspace. Its key is a hash of everything that
 * affects the outcome of its tests: files (hashed by Turborepo as inputs of the `test` tasks in turbo.json), installed
 * programs, environment variables, and the version of Node.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, type Stats, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { root } from '../run.ts'

/** Task of turbo.json whose hash covers all files of the repository. */
const WHOLE_TREE = '//#sources'
const TEST_TASK = '#test'
const TURBO = join(root, 'node_modules/.bin/turbo')
/** Maximum output of a command in bytes. */
const MAX_OUTPUT = 1 << 28

/** Environment variables of terminals, npm, and Turborepo that do not affect tests, so they are not hashed. */
const SESSION_VARIABLES =
  /^(npm_.*|NODE|NODE_COMPILE_CACHE|INIT_CWD|COLOR|EDITOR|VISUAL|PAGER|TURBO_.*|_|PWD|OLDPWD|SHLVL|PATH|HISTFILE|LS_COLORS|COLORTERM|(SSH|DBUS|VSCODE|ITERM|TERM|TMUX|XDG|GNOME|KITTY|VTE|GPG)_.*|TMUX|STY|WINDOWID|DISPLAY|WAYLAND_DISPLAY|GIT_ASKPASS)$/

type DryRun = {
  readonly tasks: readonly {
    readonly taskId: string
    readonly hash: string
    readonly directory: string
    readonly dependencies: readonly string[]
  }[]
}

/**
 * Returns the key of each workspace with TypeScript tests, by its folder, such as `packages/rpc`. Uncommitted changes
 * change the key.
 *
 * @throws Error if the folder is no git repository
 */
export function groupKeys(folder = root, env: NodeJS.ProcessEnv = process.env): ReadonlyMap<string, string> {
  const capture = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const { tasks } = JSON.parse(capture(TURBO, 'run', 'test', '--dry=json')) as DryRun
  const listedTests = capture('git', 'ls-files', '-co', '--exclude-standard', '*.test.ts', '*.test.tsx').split('\n')
  const testFiles = listedTests.filter((path) => path !== '' && existsSync(join(folder, path)))
  // Some tests of the whole tree read the list of tracked files.
  const trackedFilesHash = hashOf(capture('git', 'ls-files', '--format=%(objectmode) %(path)'))
  const machineHash = machineStateHash(env)
  return new Map(
    tasks
      .filter(({ taskId }) => taskId.endsWith(TEST_TASK))
      .filter(({ directory }) => testFiles.some((path) => path.startsWith(`${directory}/`)))
      .map(({ hash, directory, dependencies }) => {
        const parts = [hash, machineHash, ...(dependencies.includes(WHOLE_TREE) ? [trackedFilesHash] : [])]
        return [directory, hashOf(...parts)]
      }),
  )
}

/**
 * Hashes the inputs of tests outside of the repository: the version of Node, environment variables with the files that
 * they name, and installed programs. These are hashed as the modification times of the folders in `PATH`, which change
 * when a program is added, removed, or replaced.
 */
function machineStateHash(env: NodeJS.ProcessEnv): string {
  const variables = Object.entries(env)
    .filter(([name]) => !SESSION_VARIABLES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const folders = (env.PATH ?? '').split(delimiter).filter((path) => !path.split('/').includes('node_modules'))
  return hashOf(
    process.version,
    process.platform,
    process.arch,
    ...variables.map(([name, value]) => `${name}=${value}\n${describeNamedFile(name, value ?? '')}`),
    ...folders.map((path) => `${path} ${statOf(path)?.mtimeMs}`),
  )
}

/** Describes the file that a variable names, or the entries of the folder that a variable ending in `_DIR` names. */
function describeNamedFile(name: string, value: string): string {
  if (!isAbsolute(value)) return ''
  const stats = statOf(value)
  if (stats?.isFile()) return versionOf(stats)
  if (!stats?.isDirectory() || !name.endsWith('_DIR')) return ''
  return readdirSync(value)
    .sort()
    .map((entry) => `${entry} ${versionOf(statOf(join(value, entry)))}`)
    .join('\n')
}

function versionOf(stats: Stats | undefined): string {
  return `${stats?.size} ${stats?.mtimeMs}`
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
