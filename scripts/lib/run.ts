/** Runs commands of the repository. */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Resolves a path of the command line relative to the user's folder. npm itself runs scripts in the root. */
export function userPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? root, path)
}

/** Environment variables that name directories of the service. */
const DIRECTORIES = ['CHAINS_DIR', 'DATA_DIR', 'DEPLOYMENTS_DIR'] as const

/**
 * Returns the directories that the environment sets, by variable. Resolves them relative to the user's folder.
 */
export function userDirectories(
  env: NodeJS.ProcessEnv = process.env,
): Partial<Record<(typeof DIRECTORIES)[number], string>> {
  return Object.fromEntries(DIRECTORIES.flatMap((name) => (env[name] ? [[name, userPath(env[name])] as const] : [])))
}

/** Returns the folder of deployments: that of an option, of `DEPLOYMENTS_DIR`, or of the repository. */
export function deploymentsDirOf(option: string | undefined): string {
  return option ? userPath(option) : (userDirectories().DEPLOYMENTS_DIR ?? join(root, 'deployments'))
}

export type CommandResult = { readonly code: number; readonly output: string }

/**
 * Runs a command, by default in the root, and prints its output. With `capture`, also returns its standard output. With
 * `quiet`, returns its output (with errors) and does not print it.
 */
export function run(
  command: string,
  args: readonly string[],
  {
    cwd = root,
    quiet = false,
    capture = quiet,
    env = process.env,
  }: { cwd?: string; quiet?: boolean; capture?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  return new Promise((done, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', capture ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (!quiet) process.stdout.write(chunk)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', (code, signal) => done({ code: signal ? 1 : (code ?? 1), output }))
  })
}
