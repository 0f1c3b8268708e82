/**
 * Shares facts about a chain's tokens between processes: decimals, storage layouts, and taxes. If a fact is lost, the
 * process only measures it again.
 */
import { type Address, FLOAT_PPM, isAddress } from '@sluice/chains'
import { fromText, type TokenFacts, toText } from '@sluice/liquidity'
import type { SimulationContext } from '@sluice/simulation'
import type { KnownTax, TaxRecords } from './taxes.ts'

/** A measured fact: `key` is its kind and subject, `text` its value, and `measuredMs` a Unix time in milliseconds. */
export type SharedFact = { readonly key: string; readonly measuredMs: number; readonly text: string }

type FactStores = { readonly facts: TokenFacts; readonly taxes: TaxRecords; readonly slots: SimulationContext['slots'] }

/** Fields of `KnownTax`. */
const TAX_FIELDS = ['buyPpm', 'sellPpm', 'transferPpm', 'surchargePpm'] as const

/** Publishes every fact that is measured from now on. */
export function publishFacts({ facts, taxes, slots }: FactStores, publish: (fact: SharedFact) => void): void {
  const publishFact = (kind: string, subject: string, value: unknown, measuredMs = Date.now()) =>
    publish({ key: `${kind} ${subject}`, measuredMs, text: toText(value) })
  facts.onChecked = (token, decimals) => publishFact('decimals', token, decimals ?? null)
  slots.onLayoutComplete = (token, layout) => publishFact('slots', token, layout)
  taxes.onMeasured = (token, pool, tax, measuredMs) => publishFact('tax', `${token} ${pool}`, tax, measuredMs)
}

/** Stores a fact that another process published; ignores a fact that is not valid. */
export function applyFact({ facts, taxes, slots }: FactStores, { key, measuredMs, text }: SharedFact): void {
  const [kind, token, pool] = key.split(' ')
  if (!token || !isAddress(token)) return
  const value = parseValue(text)
  if (kind === 'decimals' && (value === null || Number.isInteger(value)))
    facts.store(token as Address, (value as number | null) ?? undefined)
  else if (kind === 'slots' && typeof value === 'object' && value !== null) slots.learn(token as Address, value)
  else if (kind === 'tax' && pool && isTax(value)) taxes.record(token as Address, pool, value, measuredMs)
}

function isTax(value: unknown): value is KnownTax {
  return TAX_FIELDS.every((name) => {
    const ppm = (value as Partial<KnownTax> | null)?.[name]
    return Number.isInteger(ppm) && ppm! >= 0 && ppm! <= FLOAT_PPM
  })
}

/** Parses a fact's value; undefined if it is not in our text format. */
function parseValue(text: string): unknown {
  try {
    return fromText(text)
  } catch {
    return undefined
  }
}
