/** List of the tokens in a chain's file. */
import type { Chain, Token } from './types.ts'

/** Returns the tokens that a chain's file lists; may contain duplicates. */
export function listedTokens({ wrappedNative, nativeErc20, stables, tokens }: Chain): readonly Token[] {
  return [wrappedNative, nativeErc20, ...stables, ...tokens].filter((token) => !!token)
}
