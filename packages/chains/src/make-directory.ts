/** Creates directories. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its missing parents. Replaces `mkdirSync` with `recursive`, which retries forever if the
 * parent exists but cannot contain new directories, such as /proc on Linux.
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
    // Some file systems report an existing directory as read-only, or as denied access, instead of EEXIST.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
