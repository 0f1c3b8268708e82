/**
 * Copies parameters with amounts as text and without absent values: what query keys and requests compare by. Bigints have no JSON.
 */
export function plain<P extends object>(parameters: P): P {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as P
}
