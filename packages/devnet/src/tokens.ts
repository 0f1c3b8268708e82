/** Deploys the local chain's tokens and gives them to accounts. Each token has a fixed list price in USD. */
import type { Address } from '@sluice/chains'
import { MaxUint256 } from 'ethers'
import { accounts } from './accounts.ts'
import { loadArtifact } from './artifact.ts'
import type { Builder, Contract } from './builder.ts'
import { compileSources } from './compile.ts'

export type TokenSpec = {
  readonly name: string
  readonly decimals: number
  /** List price in millionths of a USD per whole token. The deposits of pools are computed from it. */
  readonly usd6: bigint
  /** Name of the contract in `tokens/`; `Token` by default. `WETH9` is the original contract from npm. */
  readonly kind?:
    | 'Token'
    | 'NoReturnToken'
    | 'PermitToken'
    | 'DaiToken'
    | 'TaxedToken'
    | 'RebasingToken'
    | 'SavingsVault'
    | 'WrappedShares'
    | 'WETH9'
  /** Version in the EIP-712 domain of a PermitToken. */
  readonly version?: string
  /**
   * Symbol of the token that a SavingsVault or WrappedShares wraps. List the wrapped token first, because tokens are
   * deployed in the order of the list.
   */
  readonly asset?: string
}

/** Tokens of the local chain by symbol. */
export const TOKENS = {
  WETH: { name: 'Wrapped Ether', decimals: 18, usd6: 3_000_000_000n, kind: 'WETH9' },
  USDC: { name: 'USD Coin', decimals: 6, usd6: 1_000_000n },
  USDT: { name: 'Tether USD', decimals: 6, usd6: 1_000_000n, kind: 'NoReturnToken' },
  DAI: { name: 'Dai Stablecoin', decimals: 18, usd6: 1_000_000n, kind: 'DaiToken' },
  WBTC: { name: 'Wrapped BTC', decimals: 8, usd6: 60_000_000_000n },
  TBTC: { name: 'tBTC', decimals: 18, usd6: 60_000_000_000n },
  STETH: { name: 'Staked Ether', decimals: 18, usd6: 3_000_000_000n, kind: 'RebasingToken' },
  TAXED: { name: 'Taxed Token', decimals: 18, usd6: 2_000_000n, kind: 'TaxedToken' },
  FRAX: { name: 'Frax', decimals: 18, usd6: 1_000_000n },
  GUSD: { name: 'Gemini Dollar', decimals: 2, usd6: 1_000_000n },
  LINK: { name: 'Chainlink', decimals: 18, usd6: 15_000_000n, kind: 'PermitToken', version: '1' },
  UNI: { name: 'Uniswap', decimals: 18, usd6: 8_000_000n },
  AAVE: { name: 'Aave', decimals: 18, usd6: 100_000_000n, kind: 'PermitToken', version: '2' },
  CRV: { name: 'Curve DAO', decimals: 18, usd6: 500_000n },
  PEPE: { name: 'Pepe', decimals: 18, usd6: 10n },
  HEX: { name: 'Hex', decimals: 8, usd6: 10_000n },
  TAIL: { name: 'Tail Token', decimals: 18, usd6: 250_000n },
  SDAI: { name: 'Savings Dai', decimals: 18, usd6: 1_050_000n, kind: 'SavingsVault', asset: 'DAI' },
  SUSDC: { name: 'Savings USD Coin', decimals: 18, usd6: 1_080_000n, kind: 'SavingsVault', asset: 'USDC' },
  WSTETH: { name: 'Wrapped Staked Ether', decimals: 18, usd6: 3_094_377_000n, kind: 'WrappedShares', asset: 'STETH' },
  FAR: { name: 'Far Token', decimals: 6, usd6: 4_000_000n },
} as const satisfies Record<string, TokenSpec>

/** Rebase of STETH in ppm. It raises the rate of WSTETH from 1 to the ratio of their list prices. */
const STETH_REBASE_PPM = 31_459n

/** Symbol of a token in the list. */
export type TokenSymbol = keyof typeof TOKENS
export type Tokens = Readonly<Record<TokenSymbol, Contract>>

export function kindOf(symbol: TokenSymbol): NonNullable<TokenSpec['kind']> {
  const { kind = 'Token' }: TokenSpec = TOKENS[symbol]
  return kind
}

/** Returns the base units of a token that are worth `dollars` at its list price. */
export function amountWorth(symbol: TokenSymbol, dollars: bigint): bigint {
  const { decimals, usd6 } = TOKENS[symbol]
  return (dollars * 1_000_000n * 10n ** BigInt(decimals)) / usd6
}

/** Gives tokens to an account. */
export async function giveTokens(
  chain: Builder,
  tokens: Tokens,
  symbol: TokenSymbol,
  to: Address,
  amount: bigint,
): Promise<void> {
  const token = tokens[symbol]
  const { kind, asset }: TokenSpec = TOKENS[symbol]
  if (kind === 'WETH9') {
    await token.send('deposit', [], amount)
    if (to !== chain.from) await token.send('transfer', [to, amount])
  } else if (kind === 'SavingsVault') {
    await giveTokens(chain, tokens, asset as TokenSymbol, chain.from, await token.read<bigint>('previewMint', [amount]))
    await token.send('mint', [amount, to])
  } else if (kind === 'WrappedShares') {
    const underlying = tokens[asset as TokenSymbol]
    // Wrapping rounds down. With ten additional base units it gives at least `amount`.
    const amountToWrap = (await underlying.read<bigint>('amountFor', [amount])) + 10n
    await giveTokens(chain, tokens, asset as TokenSymbol, chain.from, amountToWrap)
    await underlying.send('approve', [token.address, amountToWrap])
    await token.send('wrap', [amountToWrap])
    if (to !== chain.from) await token.send('transfer', [to, amount])
  } else {
    await token.send('mint', [to, amount])
  }
}

export async function deployTokens(chain: Builder): Promise<Tokens> {
  const ownContracts = compileSources()
  const tokens: Partial<Record<TokenSymbol, Contract>> = {}
  for (const symbol of Object.keys(TOKENS) as TokenSymbol[]) {
    const { kind = 'Token', asset }: TokenSpec = TOKENS[symbol]
    const tokenArtifact =
      kind === 'WETH9' ? loadArtifact('@uniswap/v2-periphery/build/WETH9.json') : ownContracts[kind]!
    const assetAddress = tokens[asset as TokenSymbol]?.address
    tokens[symbol] = await chain.deploy(tokenArtifact, constructorArguments(symbol, chain.from, assetAddress))
  }
  return tokens as Tokens
}

function constructorArguments(symbol: TokenSymbol, taxCollector: Address, asset?: Address): unknown[] {
  const spec: TokenSpec = TOKENS[symbol]
  switch (spec.kind) {
    case 'WETH9':
      return []
    case 'PermitToken':
      return [spec.name, symbol, spec.decimals, spec.version]
    case 'RebasingToken':
      return [spec.name, symbol]
    case 'TaxedToken':
      return [spec.name, symbol, spec.decimals, taxCollector]
    case 'WrappedShares':
      return [spec.name, symbol, asset]
    case 'SavingsVault':
      return [spec.name, symbol, asset, spec.decimals - TOKENS[spec.asset as TokenSymbol].decimals]
    default:
      return [spec.name, symbol, spec.decimals]
  }
}

/** Deposits five million USD into a vault, and adds interest that raises the price of its share to the list price. */
async function seedVault(chain: Builder, tokens: Tokens, symbol: TokenSymbol): Promise<void> {
  const spec: TokenSpec = TOKENS[symbol]
  const asset = spec.asset as TokenSymbol
  const deposit = amountWorth(asset, 5_000_000n)
  const interest = (deposit * (spec.usd6 - TOKENS[asset].usd6)) / TOKENS[asset].usd6
  await giveTokens(chain, tokens, asset, chain.from, deposit)
  await tokens[asset].send('approve', [tokens[symbol].address, MaxUint256])
  await tokens[symbol].send('deposit', [deposit, chain.from])
  await giveTokens(chain, tokens, asset, tokens[symbol].address, interest)
}

/**
 * Gives the first three accounts a million USD or 10,000 whole tokens of each token, the larger of the two. First adds
 * interest to the vaults, and at the end rebases STETH, so that no share has a rate of exactly 1.
 */
export async function fundAccounts(chain: Builder, tokens: Tokens): Promise<void> {
  const symbols = Object.keys(TOKENS) as TokenSymbol[]
  for (const symbol of symbols) if (kindOf(symbol) === 'SavingsVault') await seedVault(chain, tokens, symbol)
  for (const { address } of accounts(3)) {
    for (const symbol of symbols) {
      const tenThousandTokens = 10_000n * 10n ** BigInt(TOKENS[symbol].decimals)
      const millionDollars = amountWorth(symbol, 1_000_000n)
      await giveTokens(
        chain,
        tokens,
        symbol,
        address,
        millionDollars > tenThousandTokens ? millionDollars : tenThousandTokens,
      )
    }
  }
  await tokens.STETH.send('rebase', [STETH_REBASE_PPM])
}
