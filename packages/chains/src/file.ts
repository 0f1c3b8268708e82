/** Parses and validates JSON files. */
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { ChainsError } from './errors.ts'

/**
 * Reads a JSON file and validates it.
 *
 * @throws ChainsError `BAD_FILE`, with the path and each wrong field in its message
 */
export function parseFile<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ChainsError('BAD_FILE', `${path}: ${(cause as Error).message}`, { cause })
  }
  const result = schema.safeParse(json)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${fieldName(issue.path)}: ${issue.message}`)
  throw new ChainsError('BAD_FILE', `${path}: ${problems.join('; ')}`)
}

/**
 * Reads and validates a file that is named after its chain id.
 *
 * @throws ChainsError `BAD_FILE`, also if the file contains another chain id
 */
export function parseFileOfChain<S extends z.ZodType<{ chainId: number }>>(
  path: string,
  id: number,
  schema: S,
): z.output<S> {
  const file = parseFile(path, schema)
  if (file.chainId === id) return file
  throw new ChainsError('BAD_FILE', `${path}: chainId: is ${file.chainId}, but the file is named ${id}.json`)
}

/** Formats the path of a field, such as `dexes[3].address`. */
function fieldName(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'the whole file'
}
