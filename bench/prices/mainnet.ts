/**
 * `npm run bench -- prices mainnet`: computes prices on the recorded Ethereum state. Writes all tokens, with the
 * sources of their prices or the reason for a missing price, to `docs/prices.md`. Compares the prices of six well-known
 * tokens with those in their deepest recorded pools, which are read from the node without the pricing code.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, loadRegistry, toAddress } from '@sluice/chains'
import { type MainnetPool, readState, startMainnet } from '@sluice/devnet'
import type { PriceDetail } from '@sluice/pricing'
import { PastBlocks } from '@sluice/quoting'
import { createRpc, RpcError } from '@sluice/rpc'
import { Interface } from 'ethers'
import { withBlocks } from '../../scripts/lib/generated-blocks.ts'
import { record, rounded } from '../record.ts'

const PAGE = join(import.meta.dirname, '../../docs/prices.md')
/** Maximum difference from the deepest pools, as a fraction. */
const TOLERANCE = 0.005
const DOLLARS = ['USDC', 'USDT', 'DAI']
const COMPARED_SYMBOLS = ['WETH', ...DOLLARS, 'WBTC', 'wstETH']
/**
 * Maximum seconds from the last trade of a pool to the block. With an older trade, the pool's price may be outdated.
 */
const RECENT_SECONDS = 3_600
const MAX_SYMBOL_LENGTH = 12

const abi = new Interface([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function observations(uint256) view returns (uint32, int56, uint160, bool)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
])

type Row = { readonly address: Address; readonly symbol: string; readonly detail: PriceDetail }
type NamedToken = { readonly address: Address; readonly symbol: string; readonly decimals: number }

const state = readState('ethereum')
const node = await startMainnet()
const rpc = createRpc({ chainId: node.chainId, urls: [node.url] })
const chain = loadRegistry().chain(node.chainId)!
/** Tokens of the chain's file, with symbols and decimals. The recorded state may lack the storage of these values. */
const listedTokens = new Map(
  [chain.wrappedNative!, ...chain.stables, ...chain.tokens].map((token) => [token.address, token]),
)
const past = new PastBlocks(chain)
try {
  const tokens = await tokensToPrice()
  const { prices, block } = await past.pricesAt('latest', tokens, rpc)
  const rows: Row[] = []
  for (const address of tokens) {
    const symbol = listedTokens.get(address)?.symbol ?? (await symbolOf(address))
    rows.push({ address, symbol, detail: await prices.detail(address) })
  }
  const comparisons = await compareWithDeepestPools(rows)
  writeFileSync(PAGE, withBlocks(readFileSync(PAGE, 'utf8'), blocksOf(rows, comparisons, block.number)))
  const rowsByReason = Object.groupBy(rows, ({ detail }) => detail.reason ?? 'priced')
  record('mainnet-prices', {
    ...{ block: block.number, tokens: rows.length, tolerancePercent: TOLERANCE * 100 },
    by: Object.fromEntries(Object.entries(rowsByReason).map(([reason, reasonRows]) => [reason, reasonRows?.length])),
    compared: comparisons,
  })
  if (comparisons.some(({ percentOff }) => Math.abs(percentOff) > TOLERANCE * 100)) process.exitCode = 1
} finally {
  await past.close()
  rpc.close()
  await node.stop()
}

/** Returns the tokens of the state's pools, and all accounts with decimals and a supply. Excludes shares of pools. */
async function tokensToPrice(): Promise<readonly Address[]> {
  const pools = new Set<string>(state.pools.map(({ address }) => address.toLowerCase()))
  const tradedTokens = state.pools.flatMap((pool) => pool.tokens.map((token) => toAddress(token)))
  const tokens = new Set(tradedTokens)
  for (const account of Object.keys(state.accounts)) {
    const address = toAddress(account)
    if (pools.has(address) || tokens.has(address)) continue
    const [decimals, supply] = [await readOrNull(address, 'decimals'), await readOrNull(address, 'totalSupply')]
    if (decimals !== null && supply !== null && BigInt(String(supply[0])) > 0n) tokens.add(address)
  }
  return [...tokens]
}

async function compareWithDeepestPools(rows: readonly Row[]) {
  const comparedRows = COMPARED_SYMBOLS.map((symbol) => rows.find((row) => row.symbol === symbol)!)
  const namedTokens = new Map<string, NamedToken>()
  for (const { address, symbol } of comparedRows) {
    namedTokens.set(address, { address, symbol, decimals: listedTokens.get(address)!.decimals! })
  }
  const weth = comparedRows[0]!.address
  const wethUsd = await deepestPoolOf(weth, DOLLARS, namedTokens, 1)
  const comparisons = []
  for (const { address, symbol, detail } of comparedRows) {
    const isDollar = DOLLARS.includes(symbol)
    const otherSymbols = isDollar
      ? DOLLARS.filter((other) => other !== symbol)
      : symbol === 'wstETH'
        ? ['WETH']
        : DOLLARS
    const deepestRate = await deepestPoolOf(address, otherSymbols, namedTokens, symbol === 'wstETH' ? wethUsd.usd : 1)
    const percentOff = rounded((detail.usd! / deepestRate.usd - 1) * 100, 3)
    comparisons.push({ symbol, usd: detail.usd, deepestPool: deepestRate.pool, poolUsd: deepestRate.usd, percentOff })
  }
  return comparisons
}

/**
 * Returns the deepest pool between the token and a token with one of the other symbols, and the token's price in it.
 * The deepest pool is the one that holds most of the other token. Pools whose last trade has a known time are
 * preferred.
 *
 * @param otherUsd - price of the other token in USD
 */
async function deepestPoolOf(
  token: Address,
  otherSymbols: readonly string[],
  namedTokens: ReadonlyMap<string, NamedToken>,
  otherUsd: number,
) {
  let best = { pool: '', usd: Number.NaN, otherBalance: 0, isDated: false }
  for (const pool of state.pools) {
    const [a, b] = pool.tokens.map((address) => toAddress(address)) as [Address, Address]
    const otherToken = namedTokens.get(a === token ? b : a)
    if ((a !== token && b !== token) || !otherToken || !otherSymbols.includes(otherToken.symbol)) continue
    const balance = await readOrNull(otherToken.address, 'balanceOf', [pool.address])
    const otherBalance = Number(balance?.[0] ?? 0n) / 10 ** otherToken.decimals
    const poolRate = await rateOf(pool)
    if (
      poolRate === null ||
      poolRate.isDated < best.isDated ||
      (poolRate.isDated === best.isDated && otherBalance <= best.otherBalance)
    )
      continue
    const { rate, isDated } = poolRate
    const [decimals, otherDecimals] = [namedTokens.get(token)!.decimals, otherToken.decimals]
    const price = a === token ? rate * 10 ** (decimals - otherDecimals) : (1 / rate) * 10 ** (decimals - otherDecimals)
    best = { pool: pool.address, usd: price * otherUsd, otherBalance, isDated }
  }
  return best
}

/** Price of a pool. `isDated` is true if the time of its last trade is known. */
type Rate = { readonly rate: number; readonly isDated: boolean }

/**
 * Returns the price of a pool: base units of the second token per base unit of the first. Null if the pool's last trade
 * is known to be old, or if the pool is of another family.
 */
async function rateOf({ address, family }: MainnetPool): Promise<Rate | null> {
  if (family === 'uniswap-v2') {
    const reserves = await readOrNull(address, 'getReserves')
    return reserves && isRecentOrUndated(reserves[2])
      ? { rate: Number(reserves[1]) / Number(reserves[0]), isDated: Number(reserves[2]) > 0 }
      : null
  }
  const slot0 = family === 'uniswap-v3' ? await readOrNull(address, 'slot0') : null
  const lastObservation = slot0 && (await readOrNull(address, 'observations', [slot0[2]]))
  return slot0 && lastObservation && isRecentOrUndated(lastObservation[0])
    ? { rate: (Number(slot0[0]) / 2 ** 96) ** 2, isDated: Number(lastObservation[0]) > 0 }
    : null
}

/** @param seconds - timestamp of the last trade; 0 if unknown */
function isRecentOrUndated(seconds: unknown): boolean {
  const pricedAt = Number(seconds)
  return pricedAt === 0 || Math.abs(Number(state.timestamp) - pricedAt) <= RECENT_SECONDS
}

async function symbolOf(address: Address): Promise<string> {
  const answer = await readOrNull(address, 'symbol')
  const symbol =
    typeof answer?.[0] === 'string' ? answer[0].replaceAll(/[^\w.$+-]/g, '').slice(0, MAX_SYMBOL_LENGTH) : ''
  return symbol || '(none)'
}

/** Returns the result of a call; null if the account does not provide one. */
async function readOrNull(to: string, name: string, args: readonly unknown[] = []) {
  const data = abi.encodeFunctionData(name, args) as `0x${string}`
  try {
    return abi.decodeFunctionResult(name, await rpc.call({ to: toAddress(to), data }, 'latest'))
  } catch (error) {
    // The account's code caused the error: it reverted, reached an invalid opcode, or returned invalid data.
    const isAccountFault =
      error instanceof RpcError
        ? error.code === 'REVERTED' || error.code === 'REJECTED'
        : (error as { code?: string }).code === 'BAD_DATA'
    if (!isAccountFault) throw error
    return null
  }
}

/** Returns the generated blocks of the page. */
function blocksOf(
  rows: readonly Row[],
  comparisons: Awaited<ReturnType<typeof compareWithDeepestPools>>,
  block: number,
): Readonly<Record<string, string>> {
  const pricedCount = rows.filter(({ detail }) => detail.usd !== null).length
  const byName = [...rows].sort((a, b) => (a.symbol.toLowerCase() < b.symbol.toLowerCase() ? -1 : 1))
  const tokenLines = byName.map(({ address, symbol, detail }) => {
    const { usd, confidence, sources, reason } = detail
    const from = sources.map(({ pool }) => pool.family).join(', ')
    return `| ${symbol} | \`${address}\` | ${usd === null ? '' : formatUsd(usd)} | ${usd === null ? '' : confidence.toFixed(2)} | ${reason ?? from} |`
  })
  const comparedLines = comparisons.map(
    ({ symbol, usd, deepestPool, poolUsd, percentOff }) =>
      `| ${symbol} | ${formatUsd(usd!)} | \`${deepestPool}\` | ${formatUsd(poolUsd)} | ${percentOff} % |`,
  )
  return {
    counts: `Prices of all ${rows.length} tokens of the [recorded state](mainnet.md) at block ${block}, ${pricedCount} of them with a price.`,
    compared: [
      '| token | price | deepest pool | its price | difference |',
      '| --- | --- | --- | --- | --- |',
      ...comparedLines,
    ].join('\n'),
    tokens: [
      '| token | address | USD | confidence | pools, or the reason for a missing price |',
      '| --- | --- | --- | --- | --- |',
      ...tokenLines,
    ].join('\n'),
  }
}

function formatUsd(usd: number): string {
  return usd >= 1 ? usd.toFixed(2) : usd.toPrecision(4)
}
