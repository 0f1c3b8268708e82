/** Lists the ERC-4626 vaults among the tokens as pools: a vault swaps an asset for its share at the vault's rate. */
import { TOKENS, type TokenSpec, type TokenSymbol } from '../tokens.ts'
import { type Recipe, START_BLOCK } from './dex.ts'

const FAMILY = 'erc4626'

export const erc4626: Recipe = async (_chain, tokens) => {
  const vaults = Object.entries<TokenSpec>(TOKENS)
    .filter(([, { kind }]) => kind === 'SavingsVault')
    .map(([symbol, { name, asset }]) => ({
      brand: name,
      address: tokens[symbol as TokenSymbol].address,
      pair: [asset, symbol] as [TokenSymbol, TokenSymbol],
    }))
  return {
    rows: vaults.map(({ brand, address }) => ({
      family: FAMILY,
      brand,
      role: 'vault',
      address,
      startBlock: START_BLOCK,
    })),
    pools: vaults.map(({ brand, address, pair }) => ({ dex: brand, family: FAMILY, address, tokens: pair, feePpm: 0 })),
    routers: {},
  }
}
