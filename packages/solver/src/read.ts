import type { z } from 'zod'

/** A body that cannot be read. The message names the field. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/**
 * Reads a body by its schema.
 *
 * @throws BodyError for the first field that is wrong
 */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  throw new BodyError(`${path.join('.') || 'the body'}: ${message}`)
}
