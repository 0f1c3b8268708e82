/**
 * Copies parameters for use in query keys. Omits undefined values, and converts bigints to text, because query keys are
 * JSON.
 */
export function withoutUndefined<P extends object>(parameters: P): P {
  const definedEntries = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    definedEntries.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as P
}
