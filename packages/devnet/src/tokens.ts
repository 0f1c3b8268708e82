/** The tokens of the local chain: what each is worth, and which code stands behind it. */
import type { Address } from '@sluice/chains'
import { accounts } from './accounts.ts'
import { type Artifact, artifact } from './artifact.ts'
import type { Builder, Contract } from './builder.ts'
import { compileTokens } from './compile.ts'

export type TokenSpec = {
  readonly name: string
  readonly decimals: number
  /** Micro-dollars per whole token. A choice, not a market: pools are filled by it. */
  readonly usd6: bigint
  /** Contract in `tokens/`, plain by default. WETH9 is the genuine one. */
  readonly kind?: 'Token' | 'NoReturnToken' | 'TaxedToken' | 'RebasingToken' | 'WETH9'
}

export const TOKENS = {
  WETH: { name: 'Wrapped Ether', decimals: 18, usd6: 3_000_000_000n, kind: 'WETH9' },
  USDC: { name: 'USD Coin', decimals: 6, usd6: 1_000_000n },
  USDT: { name: 'Tether USD', decimals: 6, usd6: 1_000_000n, kind: 'NoReturnToken' },
  DAI: { name: 'Dai Stablecoin', decimals: 18, usd6: 1_000_000n },
  WBTC: { name: 'Wrapped BTC', decimals: 8, usd6: 60_000_000_000n },
  TBTC: { name: 'tBTC', decimals: 18, usd6: 60_000_000_000n },
  STETH: { name: 'Staked Ether', decimals: 18, usd6: 3_000_000_000n, kind: 'RebasingToken' },
  TAXED: { name: 'Taxed Token', decimals: 18, usd6: 2_000_000n, kind: 'TaxedToken' },
  FRAX: { name: 'Frax', decimals: 18, usd6: 1_000_000n },
  GUSD: { name: 'Gemini Dollar', decimals: 2, usd6: 1_000_000n },
  LINK: { name: 'Chainlink', decimals: 18, usd6: 15_000_000n },
  UNI: { name: 'Uniswap', decimals: 18, usd6: 8_000_000n },
  AAVE: { name: 'Aave', decimals: 18, usd6: 100_000_000n },
  CRV: { name: 'Curve DAO', decimals: 18, usd6: 500_000n },
  PEPE: { name: 'Pepe', decimals: 18, usd6: 10n },
  HEX: { name: 'Hex', decimals: 8, usd6: 10_000n },
  TAIL: { name: 'Two Hops Away', decimals: 18, usd6: 250_000n },
  FAR: { name: 'Three Hops Away', decimals: 6, usd6: 4_000_000n },
} as const satisfies Record<string, TokenSpec>

export type TokenSymbol = keyof typeof TOKENS
export type Tokens = Readonly<Record<TokenSymbol, Contract>>

/** Base units of a token that are worth this many dollars. */
export function worth(symbol: TokenSymbol, dollars: bigint): bigint {
  const { decimals, usd6 } = TOKENS[symbol]
  return (dollars * 1_000_000n * 10n ** BigInt(decimals)) / usd6
}

/** Gives tokens to an account. */
export async function give(
  chain: Builder,
  tokens: Tokens,
  symbol: TokenSymbol,
  to: Address,
  amount: bigint,
): Promise<void> {
  if (symbol !== 'WETH') {
    await tokens[symbol].send('mint', [to, amount])
    return
  }
  await tokens.WETH.send('deposit', [], amount)
  if (to !== chain.from) await tokens.WETH.send('transfer', [to, amount])
}

export async function deployTokens(chain: Builder): Promise<Tokens> {
  const own = compileTokens()
  const tokens: Partial<Record<TokenSymbol, Contract>> = {}
  for (const symbol of Object.keys(TOKENS) as TokenSymbol[]) {
    const { name, decimals, kind = 'Token' }: TokenSpec = TOKENS[symbol]
    const code = kind === 'WETH9' ? artifact('@uniswap/v2-periphery/build/WETH9.json') : (own[kind] as Artifact)
    tokens[symbol] = await chain.deploy(code, constructorArguments(kind, name, symbol, decimals, chain.from))
  }
  return tokens as Tokens
}

function constructorArguments(kind: string, name: string, symbol: string, decimals: number, collector: Address) {
  if (kind === 'WETH9') return []
  if (kind === 'RebasingToken') return [name, symbol]
  if (kind === 'TaxedToken') return [name, symbol, decimals, collector]
  return [name, symbol, decimals]
}

/**
 * Funds the first accounts with a million dollars or 10,000 whole tokens of each, whichever is more, and lets one
 * rebase pass, so that a share of the rebasing token is not worth exactly one base unit.
 */
export async function fundAccounts(chain: Builder, tokens: Tokens): Promise<void> {
  for (const { address } of accounts(3)) {
    for (const symbol of Object.keys(TOKENS) as TokenSymbol[]) {
      const whole = 10_000n * 10n ** BigInt(TOKENS[symbol].decimals)
      const million = worth(symbol, 1_000_000n)
      await give(chain, tokens, symbol, address, million > whole ? million : whole)
    }
  }
  await tokens.STETH.send('rebase', [31_459n])
}
