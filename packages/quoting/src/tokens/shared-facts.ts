/** Facts of a chain's tokens that processes tell one another: decimals, storage layouts, taxes. A loss costs a measurement. */
import { type Address, FLOAT_PPM, isAddress } from '@sluice/chains'
import { fromText, type TokenFacts, toText } from '@sluice/liquidity'
import type { SimulationContext } from '@sluice/simulation'
import type { KnownTax, TaxRecords } from './taxes.ts'

/** Something that was measured, and when, in milliseconds of Unix time. */
export type SharedFact = { readonly key: string; readonly measuredMs: number; readonly text: string }

type Known = { readonly facts: TokenFacts; readonly taxes: TaxRecords; readonly slots: SimulationContext['slots'] }

const TAXES = ['buyPpm', 'sellPpm', 'transferPpm', 'surchargePpm'] as const

/** Tells all that is measured from now on. */
export function tellFacts({ facts, taxes, slots }: Known, tell: (fact: SharedFact) => void): void {
  const told = (kind: string, of: string, value: unknown, measuredMs = Date.now()) =>
    tell({ key: `${kind} ${of}`, measuredMs, text: toText(value) })
  facts.onLearned = (token, decimals) => told('decimals', token, decimals ?? null)
  slots.onFound = (token, layout) => told('slots', token, layout)
  taxes.onMeasured = (token, pool, tax, measuredMs) => told('tax', `${token} ${pool}`, tax, measuredMs)
}

/** Takes in what others tell; what cannot be read is passed over. */
export function takeFact({ facts, taxes, slots }: Known, { key, measuredMs, text }: SharedFact): void {
  const [kind, token, pool] = key.split(' ')
  if (!token || !isAddress(token)) return
  const value = read(text)
  if (kind === 'decimals' && (value === null || Number.isInteger(value)))
    facts.learn(token as Address, (value as number | null) ?? undefined)
  else if (kind === 'slots' && typeof value === 'object' && value !== null) slots.learn(token as Address, value)
  else if (kind === 'tax' && pool && isTax(value)) taxes.take(token as Address, pool, value, measuredMs)
}

function isTax(value: unknown): value is KnownTax {
  return TAXES.every((name) => {
    const ppm = (value as Partial<KnownTax> | null)?.[name]
    return Number.isInteger(ppm) && ppm! >= 0 && ppm! <= FLOAT_PPM
  })
}

/** Undefined for what is no text of ours. */
function read(text: string): unknown {
  try {
    return fromText(text)
  } catch {
    return undefined
  }
}
