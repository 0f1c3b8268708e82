/** Starts anvil nodes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithThisProcess } from './children.ts'
import { DevnetError } from './errors.ts'
import { request } from './node.ts'

const START_TIMEOUT_MS = 30_000
/**
 * Maximum number of states of past blocks that anvil stores on disk, each at least a megabyte. Anvil also keeps the
 * states of at least as many newer blocks in memory.
 */
const MAX_PERSISTED_STATES = 200

/** Options of `startAnvil`. */
export type AnvilOptions = {
  readonly chainId?: number
  /** A free port by default. */
  readonly port?: number
  /** Additional command line arguments, such as `--load-state <file>`. */
  readonly args?: readonly string[]
}

/** A running anvil node. */
export type Anvil = {
  readonly url: string
  readonly port: number
  readonly stop: () => Promise<void>
}

/** Returns the path of anvil's executable. The wrapper script of the npm package is not used: it intercepts signals. */
export function anvilPath(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const os = process.platform === 'win32' ? 'win32' : process.platform
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
  return require.resolve(`@foundry-rs/anvil-${os}-${arch}/bin/anvil${os === 'win32' ? '.exe' : ''}`)
}

/**
 * Range of the ports that `freePort` tries. Operating systems take the ports of outgoing connections from a higher
 * range, so no connection takes a port between the check and its use.
 */
const PORTS = { from: 20_000, to: 32_000 }
const PORT_TRIES = 100

/** Returns a port of `PORTS` on which no process listens. */
export async function freePort(): Promise<number> {
  for (let i = 0; i < PORT_TRIES; i++) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from))
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
  throw new DevnetError('NODE', 'no free port')
}

/**
 * Starts anvil and resolves when it responds. Anvil ends with this process.
 *
 * @throws DevnetError NODE with anvil's own message
 */
export async function startAnvil({ chainId = 31337, port = 0, args = [] }: AnvilOptions = {}): Promise<Anvil> {
  // States of past blocks take up to a gigabyte. By default anvil stores them in the home directory and never deletes
  // them.
  const statesFolder = mkdtempSync(join(tmpdir(), 'sluice-states-'))
  // Output goes to a file. With a pipe, a shell that started this process would wait for the end of anvil.
  const logFolder = mkdtempSync(join(tmpdir(), 'sluice-anvil-'))
  const logFile = join(logFolder, 'log')
  const log = openSync(logFile, 'w')
  // With port 0 anvil chooses a free port itself, so no other process can take it first.
  const child = spawn(
    anvilPath(),
    [
      ...['--chain-id', String(chainId), '--port', String(port), '--color', 'never'],
      ...['--cache-path', statesFolder, '--max-persisted-states', String(MAX_PERSISTED_STATES), ...args],
    ],
    { stdio: ['ignore', log, log] },
  )
  closeSync(log)
  endWithThisProcess(child, statesFolder)
  const exitEvent = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = () => child.kill('SIGKILL')
  try {
    const listeningPort = await waitForPort(child, logFile)
    const url = `http://127.0.0.1:${listeningPort}`
    await request(url, 'anvil_setLoggingEnabled', [false])
    return {
      url,
      port: listeningPort,
      stop: async () => {
        child.kill('SIGTERM')
        const timer = setTimeout(kill, 3000)
        await exitEvent
        clearTimeout(timer)
      },
    }
  } catch (error) {
    kill()
    throw error
  } finally {
    rmSync(logFolder, { recursive: true, force: true })
  }
}

/** Waits until the child reports in its log that it listens, and returns its port. */
async function waitForPort(child: ChildProcess, logFile: string): Promise<number> {
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const text = readFileSync(logFile, 'utf8')
    const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1]
    if (port) return Number(port)
    const hasEnded = failure !== undefined || child.exitCode !== null || child.signalCode !== null
    if (hasEnded)
      throw new DevnetError('NODE', `anvil ended before it listened: ${failure?.message ?? text.trim().slice(-500)}`)
    if (Date.now() > deadline) throw new DevnetError('NODE', `anvil did not listen within ${START_TIMEOUT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
