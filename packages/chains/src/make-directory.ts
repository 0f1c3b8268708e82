/** Creates directories. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its missing parents. Unlike `mkdirSync` with `recursive`, it ends where the parent exists but
 * takes no directories, such as /proc on Linux: Node retries there without end.
 *
 * @throws Error of the file system, with its `code`
 */
export function makeDirectory(path: string): void {
  try {
    mkdirOrKeep(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    makeDirectory(parent)
    mkdirOrKeep(path)
  }
}

function mkdirOrKeep(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    // Some file systems answer for an existing directory that it is read-only or that access is denied.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
