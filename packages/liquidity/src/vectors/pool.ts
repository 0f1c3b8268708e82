import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '../family.ts'

/** A pool that stands in no chain. */
export function pairOf<State>(family: string, tokens: readonly Address[], state: State): Pool<State> {
  return { id: ZERO_ADDRESS, family, dex: 'vectors', address: ZERO_ADDRESS, tokens, state }
}
