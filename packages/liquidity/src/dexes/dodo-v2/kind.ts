/**
 * Reads the kinds of pools, which determine the rights of their creators. The creator of a private pool (DPP) can
 * change its price, slippage, and fee at any time. The creator of a gas-saving pool (GSP) can change its price.
 */
import { IDodoV2State__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import type { DodoV2Fixed } from './types.ts'

const poolInterface = IDodoV2State__factory.createInterface()

/** Kinds whose creator has no such rights. */
const IMMUTABLE_KINDS = ['DVM', 'DSP']

/** True if only the protocol itself can change the price, slippage, and fee of pools of a kind. */
export const isImmutableKind = (kind: string | undefined): boolean =>
  kind !== undefined && IMMUTABLE_KINDS.includes(kind)

export function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const data = poolInterface.encodeFunctionData('version') as Hex
  const answers = yield pools.map(({ address: to }) => ({ to, data }))
  return pools.map((pool, i) => ({ ...pool, fixed: { kind: kindOf(answers[i]!) } satisfies DodoV2Fixed }))
}

function kindOf(answer: Hex | null): string {
  if (!answer || answer === '0x') return ''
  return String(poolInterface.decodeFunctionResult('version', answer)[0]).split(' ')[0]!
}
