/** Facts that one worker has measured of a chain and all may use: taxes, storage layouts, decimals. A loss costs a measurement. */
import type { Connection } from './connection.ts'
import type { ChainKeys } from './keys.ts'
import { run } from './scripts.ts'

/** Facts kept of a chain: more are measured by each for itself. */
const MOST = 100_000

/** A fact with the milliseconds of Unix time when it was measured. */
export type Fact = { readonly key: string; readonly measuredMs: number; readonly text: string }

/** The newest measurement stays, whoever made it. */
export async function putFact(connection: Connection, keys: ChainKeys, fact: Fact): Promise<void> {
  await run(connection, 'fact', [keys.facts, keys.news], [fact.key, fact.measuredMs, fact.text, MOST])
}

/** As the bus tells it; null for what cannot be read. */
export function readFact(key: string, value: string): Fact | null {
  const [, measured, text] = /^(\d+) (.*)$/s.exec(value) ?? []
  return measured === undefined ? null : { key, measuredMs: Number(measured), text: text! }
}
