import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()

/** Sees to it that a child ends when this process exits or is told to by a signal. Only SIGKILL leaves it behind. */
export function endWithUs(child: ChildProcess): void {
  if (children.size === 0) watch()
  children.add(child)
  child.once('exit', () => {
    children.delete(child)
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
  for (const child of children) child.kill('SIGKILL')
}

/** A program that handles the signal itself stops its children in its own time; otherwise we do what Node would do. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  unwatch()
  process.kill(process.pid, signal)
}
