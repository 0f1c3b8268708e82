/** The service needs Node 22.15 (`node:sqlite`, iterator helpers, zstd). Under an older one npm fetches the one it is tested with. */
import { type ChildProcess, spawn } from 'node:child_process'

const NEEDED = [22, 15] as const
/** Time that the service gets to end after a signal, before it is killed. */
const MAX_STOP_MS = 1_900
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

/**
 * Runs this program again under a newer Node, and ends with its exit code. npm only finds that Node: a service started through
 * npm and a shell would outlive both.
 *
 * @param program - file and arguments
 */
export async function runWithNewerNode(program: readonly string[]): Promise<void> {
  const state: { child?: ChildProcess; isStopping: boolean } = { isStopping: false }
  for (const signal of SIGNALS)
    process.on(signal, () => {
      state.isStopping = true
      end(state.child, signal)
      setTimeout(() => {
        end(state.child, 'SIGKILL')
        process.exit(0)
      }, MAX_STOP_MS).unref()
    })
  const found = spawn('npx', ['--yes', '--package=node@24', '--', 'node', '-p', 'process.execPath'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that npm's children end with it.
    detached: true,
  })
  state.child = found
  let output = ''
  found.stdout.on('data', (data) => {
    output += data
  })
  const code = await ended(found)
  if (state.isStopping) process.exit(0)
  const path = output.trim().split('\n').at(-1) ?? ''
  if (code !== 0 || path === '') {
    console.error(
      `Node ${process.versions.node} is older than ${NEEDED.join('.')}, and npm could not fetch a newer one. Install Node 24, or connect to the npm registry.`,
    )
    process.exit(1)
  }
  const service = spawn(path, [...program], { stdio: 'inherit', detached: true })
  state.child = service
  const exit = await ended(service)
  process.exit(state.isStopping ? 0 : exit)
}

/** Ends a process and everything in its group. */
function end(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    child.kill(signal)
  }
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
