/**
 * Determines the kind of a pool. The kind matters because the creator of a private pool (DPP) can change its price,
 * slippage, and fee at any time, and the creator of a GSP its price.
 */
import { IDodoV2State__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import type { DodoV2Fixed } from './types.ts'

const poolInterface = IDodoV2State__factory.createInterface()

/** Kinds for which `hasFixedTerms` is true. */
const FIXED_TERM_KINDS = ['DVM', 'DSP']

/** True if the price, slippage, and fee of a kind are immutable, apart from settings of the protocol. */
export const hasFixedTerms = (kind: string | undefined): boolean =>
  kind !== undefined && FIXED_TERM_KINDS.includes(kind)

export function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const data = poolInterface.encodeFunctionData('version') as Hex
  const answers = yield pools.map(({ address: to }) => ({ to, data }))
  return pools.map((pool, i) => ({ ...pool, fixed: { kind: kindOf(answers[i]!) } satisfies DodoV2Fixed }))
}

function kindOf(answer: Hex | null): string {
  if (!answer || answer === '0x') return ''
  return String(poolInterface.decodeFunctionResult('version', answer)[0]).split(' ')[0]!
}
