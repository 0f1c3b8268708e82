/** Lists the tokens of a chain file. */
import type { Chain, Token } from './types.ts'

/** Returns all tokens of a chain file, possibly with duplicates. */
export function listedTokens({ wrappedNative, nativeErc20, stables, tokens }: Chain): readonly Token[] {
  return [wrappedNative, nativeErc20, ...stables, ...tokens].filter((token) => !!token)
}
