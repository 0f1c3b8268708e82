/** Ends child processes when this process ends, so that no node outlives a test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Running child processes, each with the folder to remove after its end. */
const children = new Map<ChildProcess, string>()

/** Ends a child when this process ends for any reason, and removes the child's folder. */
export function endWithThisProcess(child: ChildProcess, folder: string): void {
  if (children.size === 0) watch()
  children.set(child, folder)
  const reaper = startReaper(child, folder)
  child.once('exit', () => {
    reaper?.kill('SIGKILL')
    children.delete(child)
    rmSync(folder, { recursive: true, force: true })
    if (children.size === 0) unwatch()
  })
}

/**
 * Starts a shell that kills the child after this process has ended, even by SIGKILL. The shell waits until the system
 * closes its end of a pipe from this process. Returns undefined on Windows, and if the child did not start.
 */
function startReaper({ pid }: ChildProcess, folder: string): ChildProcess | undefined {
  if (pid === undefined || process.platform === 'win32') return undefined
  const script = `trap '' INT TERM HUP; read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"`
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid), folder], { stdio: ['pipe', 'ignore', 'ignore'] })
  shell.once('error', () => {})
  shell.unref()
  // Neither the shell nor the pipe keeps this process running.
  const pipe = shell.stdin as Socket
  pipe.unref()
  return shell
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function watch(): void {
  process.on('exit', killAll)
  for (const signal of signals) process.on(signal, onSignal)
}

function unwatch(): void {
  process.off('exit', killAll)
  for (const signal of signals) process.off(signal, onSignal)
}

function killAll(): void {
  for (const [child, folder] of children) {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Ends the children and sends the signal again, now without this handler. Does nothing if the program has its own
 * handler of the signal, which then must end the children.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unwatch()
  process.kill(process.pid, signal)
}
