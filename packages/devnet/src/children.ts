import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Children with the folders that they leave. */
const children = new Map<ChildProcess, string>()

/**
 * Sees to it that a child ends when this process does, whatever ends it, and that the folder it leaves is removed then.
 */
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
 * A shell that outlives this process by a moment, for SIGKILL leaves no time to end children: the pipe that it reads closes with
 * this process. Undefined where there is no such shell.
 */
function startHeir({ pid }: ChildProcess, folder: string): ChildProcess | undefined {
  if (pid === undefined || process.platform === 'win32') return undefined
  const script = `trap '' INT TERM HUP; read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"`
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid), folder], { stdio: ['pipe', 'ignore', 'ignore'] })
  shell.once('error', () => {})
  shell.unref()
  // Neither keeps this process running.
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

/** A program that handles the signal itself stops its children in its own time; otherwise we do what Node would do. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unwatch()
  process.kill(process.pid, signal)
}
