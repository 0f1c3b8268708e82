/** Ends child processes together with this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Child processes, with the folders to remove after them. */
const children = new Map<ChildProcess, string>()

/** Ends a child when this process ends for any reason, and removes the child's folder. */
export function endWithUs(child: ChildProcess, folder: string): void {
  if (children.size === 0) watch()
  children.set(child, folder)
  const heir = startHeir(child, folder)
  child.once('exit', () => {
    heir?.kill('SIGKILL')
    children.delete(child)
    rmSync(folder, { recursive: true, force: true })
    if (children.size === 0) unwatch()
  })
}

/**
 * Starts a shell that briefly outlives this process, because SIGKILL leaves no time to end children. The shell reads
 * from a pipe that closes with this process. Returns undefined if there is no such shell.
 */
function startHeir({ pid }: ChildProcess, folder: string): ChildProcess | undefined {
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

/** Ends the children and repeats the signal. A program with its own handler of the signal ends its children itself. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unwatch()
  process.kill(process.pid, signal)
}
