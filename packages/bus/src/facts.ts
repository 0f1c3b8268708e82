/**
 * Facts about a chain's tokens that workers share: taxes, storage layouts, decimals. If a fact is lost, a worker
 * measures it again.
 */
import type { Connection } from './connection.ts'
import type { ChainKeys } from './keys.ts'
import { runScript } from './scripts.ts'

/** Maximum facts per chain; each worker measures further facts itself. */
const MAX_FACTS = 100_000

/** A fact with the time of its measurement, Unix milliseconds. */
export type Fact = { readonly key: string; readonly measuredMs: number; readonly text: string }

/** Stores a fact, unless a newer measurement is stored. */
export async function storeFact(connection: Connection, keys: ChainKeys, fact: Fact): Promise<void> {
  await runScript(connection, 'fact', [keys.facts, keys.factChanges], [fact.key, fact.measuredMs, fact.text, MAX_FACTS])
}

/** Parses a stored fact; null if it is malformed. */
export function readFact(key: string, value: string): Fact | null {
  const [, measuredMs, text] = /^(\d+) (.*)/s.exec(value) ?? []
  return measuredMs === undefined ? null : { key, measuredMs: Number(measuredMs), text: text! }
}
