/**
 * Copies parameters without undefined values and with bigints as text. Query keys are JSON, which has no bigints.
 */
export function withoutUndefined<P extends object>(parameters: P): P {
  const definedEntries = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    definedEntries.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as P
}
