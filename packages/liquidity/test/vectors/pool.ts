/** Helpers to build pools and compare states of test vectors. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '../../src/family.ts'
import { namedAddress } from './address.ts'
import type { VectorForm, VectorPool } from './types.ts'

/** Returns a pool that exists on no chain. */
export function pairOf<State>(family: string, tokens: readonly Address[], state: State): Pool<State> {
  return { id: ZERO_ADDRESS, family, dex: 'vectors', address: ZERO_ADDRESS, tokens, state }
}

/** Tokens of pools whose source names none. */
export const TOKENS = [namedAddress('token0'), namedAddress('token1')] as const
export const [TOKEN_0, TOKEN_1] = TOKENS

/** Asks every swap of `swaps` from the given state, and every swap of `sequence` from the state after the one before. */
export const swapsAndSequence =
  (question: (from: VectorPool, name: string, swap: VectorPool) => ReturnType<ReturnType<VectorForm>[number]>) =>
  (from: VectorPool): ReturnType<VectorForm> => [
    ...from.swaps.map((swap: VectorPool) => () => question(from, from.name, swap)),
    ...(from.sequence ?? []).map(
      (swap: VectorPool, k: number) => () =>
        question(k === 0 ? from : from.sequence[k - 1].after, `${from.name}, in turn`, swap),
    ),
  ]

/** Compares our state with the contract's getters, by the getters' names; undefined if equal. */
export function differences(
  ours: Readonly<Record<string, bigint | number | string>>,
  theirs: Readonly<Record<string, unknown>>,
): string | undefined {
  const off = Object.entries(theirs).filter(([name, value]) => String(ours[name]) !== String(value))
  return off.length === 0 ? undefined : off.map(([name, value]) => `${name} ${ours[name]}, not ${value},`).join(' ')
}
