import type { ChildProcess } from 'node:child_process'

const children = new Map<ChildProcess, () => void>()

/**
 * Sees to it that a child ends when this process exits or is told to by a signal, and that what it leaves is cleaned up then.
 * Only SIGKILL leaves it behind.
 */
export function endWithUs(child: ChildProcess, cleanUp: () => void): void {
  if (children.size === 0) watch()
  children.set(child, cleanUp)
  child.once('exit', () => {
    children.delete(child)
    cleanUp()
    if (children.size === 0) unwatch()
  })
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
  for (const [child, cleanUp] of children) {
    child.kill('SIGKILL')
    cleanUp()
  }
}

/** A program that handles the signal itself stops its children in its own time; otherwise we do what Node would do. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unwatch()
  process.kill(process.pid, signal)
}
