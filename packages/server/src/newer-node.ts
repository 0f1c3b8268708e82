/**
 * Runs the service with a newer version of Node.js if needed. The service requires 22.15 (`node:sqlite`, iterator
 * helpers, zstd). If this program runs with an older version, npm fetches the version that tests use.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { maxStopMs } from './stop-time.ts'

const MIN_VERSION = [22, 15] as const
/** Milliseconds after `maxStopMs` at which a service that has not exited is killed. */
const KILL_DELAY_MS = 100
/** Signals that end the service. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])
}

/**
 * Runs this program again with a newer version of Node.js, and exits with its exit code. npm only fetches and locates
 * that version; it does not run the service, because a service that npm started would survive if npm is killed.
 *
 * @param program - file and arguments
 */
export async function runWithNewerNode(program: readonly string[]): Promise<void> {
  const state: { child?: ChildProcess; isStopping: boolean } = { isStopping: false }
  for (const signal of SIGNALS)
    process.on(signal, () => {
      state.isStopping = true
      killGroup(state.child, signal)
      setTimeout(() => {
        killGroup(state.child, 'SIGKILL')
        process.exit(0)
      }, maxStopMs(process.env) + KILL_DELAY_MS).unref()
    })
  const child = spawn('npx', ['--yes', '--package=node@24', '--', 'node', '-p', 'process.execPath'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group, so that npm's children end with it.
    detached: true,
  })
  state.child = child
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  const code = await exitCodeOf(child)
  if (state.isStopping) process.exit(0)
  const path = output.trim().split('\n').at(-1) ?? ''
  if (code !== 0 || path === '') {
    console.error(
      `Node ${process.versions.node} is older than ${MIN_VERSION.join('.')}, and npm could not fetch a newer one. Install Node 24, or connect to the npm registry.`,
    )
    process.exit(1)
  }
  const service = spawn(path, [...program], { stdio: 'inherit', detached: true })
  state.child = service
  const exitCode = await exitCodeOf(service)
  process.exit(state.isStopping ? 0 : exitCode)
}

/** Sends a signal to a process and its group. */
function killGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    child.kill(signal)
  }
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
