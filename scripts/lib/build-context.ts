/**
 * Applies the rules of `.dockerignore` as Docker does.
 *
 * @see https://docs.docker.com/build/concepts/context/#dockerignore-files
 */

/**
 * Returns a predicate of files: true if Docker sends the file to the builder. Takes a path relative to the root of the
 * context, with `/` as separator.
 */
export function buildContext(dockerignore: string): (file: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }))
  return (file) => {
    const parts = file.split('/')
    const parentsAndFile = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
    const lastMatch = rules.findLast(({ pattern }) => parentsAndFile.some((path) => pattern.test(path)))
    return lastMatch?.keeps ?? true
  }
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/^\/|\/$/g, '')
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => GLOBS[part] ?? part.replace(/[.+^${}()|[\]\\]/g, '\\$&'))
    .join('')
  return new RegExp(`^${source}$`)
}

const GLOBS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }
