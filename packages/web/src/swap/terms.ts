/**
 * Terms of a swap: slippage, price impact limit, recipient, and fee of a referring app. The page lists the terms that
 * differ from the defaults above the main button. If a link contains such terms, the user must accept them before
 * signing.
 */
import { useState } from 'react'
import { isAddress } from '../format/hex.ts'
import { DEFAULT_MAX_IMPACT } from '../service/error-messages.ts'
import type { SwapParams } from './params.ts'

export const MAX_SLIPPAGE_PERCENT = 50
export const MAX_IMPACT_PERCENT = 100
export const MAX_FEE_PERCENT = 10

const termNames = ['slippage', 'impact', 'recipient', 'fee', 'feeTo'] as const
type TermName = (typeof termNames)[number]
export type TermValues = Pick<SwapParams, TermName>
export type TermChange = { readonly [Name in TermName]?: string | undefined }

export type Term = {
  readonly name: 'slippage' | 'impact' | 'recipient' | 'fee'
  /** Percent, or the address of the recipient. */
  readonly value: string
  /** Account that receives the fee; set for the term `fee`. */
  readonly feeRecipient?: string
  /** True until the user has chosen or accepted the value of the term. */
  readonly needsAcceptance: boolean
}

export type OrderTerms = {
  /** Valid terms that are not the defaults. */
  readonly list: readonly Term[]
  /** Descriptions of invalid terms. While there are any, nothing is quoted or signed. */
  readonly problems: readonly string[]
  /** True if the user must accept a term before signing. */
  readonly needsAcceptance: boolean
  /** Number of resets to the defaults so far. A new number recreates the settings form with the defaults. */
  readonly resetCount: number
  /** Sets terms to values that the user chose, which are therefore accepted. */
  readonly set: (change: TermChange) => void
  /** Accepts all terms of the link. */
  readonly accept: () => void
  /** Restores the defaults. */
  readonly reset: () => void
}

/** Returns true for a decimal number from 0 to `max`, with up to four decimals and without sign or exponent. */
export function isPercent(text: string, max: number): boolean {
  return /^\d{1,3}(\.\d{1,4})?$/.test(text) && Number(text) <= max
}

/** Returns the request parameters for the terms. Omits defaults, except for the slippage, whose default is `auto`. */
export function termParametersOf({ slippage, impact, recipient, fee, feeTo }: TermValues) {
  return {
    slippage: slippage ?? 'auto',
    ...(impact !== undefined && { maxPriceImpact: impact }),
    ...(recipient !== undefined && { recipient }),
    ...(isPositiveFee(fee) && feeTo !== undefined && { convenienceFee: fee, convenienceFeeRecipient: feeTo }),
  }
}

const isPositiveFee = (fee: string | undefined): fee is string => fee !== undefined && Number(fee) > 0

/** Describes the invalid terms. */
export function problemsOf({ slippage, impact, recipient, fee, feeTo }: TermValues): readonly string[] {
  const percentProblems = (name: string, text: string | undefined, max: number) =>
    text === undefined || isPercent(text, max) ? [] : [`${name} “${text}” is not a number from 0 to ${max}.`]
  const addressProblems = (name: string, text: string | undefined) =>
    text === undefined || isAddress(text) ? [] : [`${name} “${text}” is not an address.`]
  return [
    ...percentProblems('Slippage tolerance', slippage, MAX_SLIPPAGE_PERCENT),
    ...percentProblems('Max price impact', impact, MAX_IMPACT_PERCENT),
    ...addressProblems('Recipient', recipient),
    ...percentProblems('Integrator fee', fee, MAX_FEE_PERCENT),
    ...addressProblems('Integrator fee recipient', feeTo),
    ...(isPositiveFee(fee) && feeTo === undefined ? ['The integrator fee has no recipient.'] : []),
  ]
}

/** Values that the user chose or accepted, by term. The browser keeps them until the tab is closed. */
type AcceptedTerms = { readonly [Name in TermName]?: string | undefined }
const STORAGE_KEY = 'sluice.terms'
let acceptedTerms: AcceptedTerms = loadAcceptedTerms()

function loadAcceptedTerms(): AcceptedTerms {
  try {
    return Object(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}')) as AcceptedTerms
  } catch {
    return {}
  }
}

function storeAcceptedTerms(values: AcceptedTerms): void {
  acceptedTerms = values
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(values))
  } catch {
    // If storage is forbidden, the values last until the page is closed.
  }
}

/** @param wallet - address that receives the output if no recipient is named */
export function useTerms(
  params: TermValues,
  wallet: string | undefined,
  change: (change: TermChange, replace: boolean) => void,
): OrderTerms & { readonly values: TermValues } {
  const [resetCount, setResetCount] = useState(0)
  const [, setChangeCount] = useState(0)
  const values = withoutDefaults(params, wallet)
  const { slippage, impact, recipient, fee, feeTo } = values
  const problems = problemsOf(values)
  const needsAcceptance = (name: TermName) => values[name] !== undefined && acceptedTerms[name] !== values[name]
  const list: readonly Term[] = [
    ...(slippage === undefined
      ? []
      : [{ name: 'slippage', value: slippage, needsAcceptance: needsAcceptance('slippage') } as const]),
    ...(impact === undefined
      ? []
      : [{ name: 'impact', value: impact, needsAcceptance: needsAcceptance('impact') } as const]),
    ...(recipient === undefined
      ? []
      : [{ name: 'recipient', value: recipient, needsAcceptance: needsAcceptance('recipient') } as const]),
    ...(isPositiveFee(fee) && feeTo !== undefined
      ? [
          {
            name: 'fee',
            value: fee,
            feeRecipient: feeTo,
            needsAcceptance: needsAcceptance('fee') || needsAcceptance('feeTo'),
          } as const,
        ]
      : []),
  ]
  return {
    ...{ values, problems, resetCount },
    list: problems.length > 0 ? [] : list,
    needsAcceptance: list.some((term) => term.needsAcceptance),
    set(next) {
      storeAcceptedTerms({ ...acceptedTerms, ...next })
      setChangeCount((count) => count + 1)
      change(next, true)
    },
    accept() {
      storeAcceptedTerms({ ...acceptedTerms, ...values })
      setChangeCount((count) => count + 1)
    },
    reset() {
      setResetCount((count) => count + 1)
      change(Object.fromEntries(termNames.map((name) => [name, undefined])), true)
    },
  }
}

/** Omits the terms that equal the defaults. */
function withoutDefaults(
  { slippage, impact, recipient, fee, feeTo }: TermValues,
  wallet: string | undefined,
): TermValues {
  return {
    ...(slippage !== undefined && slippage !== 'auto' && { slippage }),
    ...(impact !== undefined && Number(impact) !== Number(DEFAULT_MAX_IMPACT) && { impact }),
    ...(recipient !== undefined && recipient.toLowerCase() !== wallet?.toLowerCase() && { recipient }),
    ...(fee !== undefined && { fee }),
    ...(feeTo !== undefined && { feeTo }),
  }
}
