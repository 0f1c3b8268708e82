import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'

/** What each child leaves on disk. */
const children = new Map<ChildProcess, readonly string[]>()

/**
 * Sees to it that a child ends when this process ends, and that what it leaves on disk is removed. Signals are passed on by
 * handlers; what no handler sees, such as SIGKILL or a main thread that never comes back, is seen by a guard.
 */
export function endWithUs(child: ChildProcess, leaves: readonly string[]): void {
  if (children.size === 0) watch()
  children.set(child, leaves)
  guard(child, leaves)
  child.once('exit', () => {
    children.delete(child)
    remove(leaves)
    if (children.size === 0) unwatch()
  })
}

/** `over` comes when the child ended before us: its number could be another's by the time we end. */
const GUARD = 'read over && exit; kill -9 "$1"; shift; rm -rf -- "$@"'

/**
 * A shell that reads from a pipe which this process alone holds open: it comes to the end when this process is gone, in
 * whatever way, and ends the child then. In a group of its own, so that what kills our group does not kill it.
 */
function guard(child: ChildProcess, leaves: readonly string[]): void {
  if (child.pid === undefined || process.platform === 'win32') return
  const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', String(child.pid), ...leaves], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const pipe = shell.stdin as Socket
  // Without it the handlers are what is left.
  shell.once('error', () => {})
  pipe.once('error', () => {})
  shell.unref()
  pipe.unref()
  child.once('exit', () => pipe.end('over\n'))
}

function remove(leaves: readonly string[]): void {
  for (const path of leaves) rmSync(path, { recursive: true, force: true })
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
  for (const [child, leaves] of children) {
    child.kill('SIGKILL')
    remove(leaves)
  }
}

/** A program that handles the signal itself stops its children in its own time; otherwise we do what Node would do. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unwatch()
  process.kill(process.pid, signal)
}
