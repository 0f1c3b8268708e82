/** Reads fields of JSON responses that may not have the expected form. */
import { sanitizeText } from './sanitize-text.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Maximum number of items read from a list. The service sends no more. */
const MAX_ITEMS = 100

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** Returns the objects in a list; none if the value is not a list. */
export const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject).slice(0, MAX_ITEMS) : []

/** Returns text that is safe to show; empty if the value is not text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? sanitizeText(value) : '')
