import type { Chain, Token } from './types.ts'

/** Tokens that a chain's file lists, of which some may be listed twice. */
export function listedTokens({ wrappedNative, nativeErc20, stables, tokens }: Chain): readonly Token[] {
  return [wrappedNative, nativeErc20, ...stables, ...tokens].filter((token) => !!token)
}
