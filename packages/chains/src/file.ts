import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { ChainsError } from './errors.ts'

/** @throws ChainsError `BAD_FILE` naming the file and each field that is wrong */
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

/** A file that is named after its chain. @throws ChainsError `BAD_FILE`, also where it is of another chain */
export function parseFileOf<S extends z.ZodType<{ chainId: number }>>(
  path: string,
  id: number,
  schema: S,
): z.output<S> {
  const file = parseFile(path, schema)
  if (file.chainId === id) return file
  throw new ChainsError('BAD_FILE', `${path}: chainId: is ${file.chainId}, but the file is named ${id}.json`)
}

/** `dexes[3].address` */
function fieldName(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'the whole file'
}
