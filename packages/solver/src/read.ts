/** Validates request bodies. */
import type { z } from 'zod'

/** Invalid request body; the message names the field. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/** Validates a body. @throws BodyError for the first invalid field */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const { path, message } = result.error.issues[0]!
  throw new BodyError(`${path.join('.') || 'the body'}: ${message}`)
}
