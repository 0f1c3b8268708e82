/**
 * Traps for routes from LINK to UNI. A trap offers a better price than all other pools (the bait) when a user requests
 * a quote, and makes the price worse before the user's transaction.
 */
import type { Contract } from '@sluice/devnet'
import { type Attacker, tokenUnits } from './attacker.ts'

/** Output of a bait's pool without fees, as a multiple of the output at list prices. */
const BAIT_FACTOR = 1.02
/** List prices of the local chain in USD. */
const [LINK_USD, UNI_USD] = [15, 8]
/** USD of each token in a bait's pool. */
const DEPTH_USD = 4_000_000
/**
 * Reduction of the price after the quote. It is below the default slippage, so the user's transaction still succeeds.
 */
const CUT_BPS = 40

export type Trap = {
  readonly name: string
  /**
   * Sets the bait.
   *
   * @returns the token that the user requests, and the action that springs the trap
   */
  set(attacker: Attacker): Promise<{ readonly requestedToken: string; readonly spring: () => Promise<unknown> }>
  /** Gas price of the user's transaction, if the trap depends on it. */
  readonly gasPriceWei?: bigint
}

/**
 * Creates two deep pools: of LINK and the attacker's token (list price 1 USD), and of the attacker's token and UNI. The
 * output of the second exceeds list prices by only the square root of `BAIT_FACTOR`.
 */
async function baitPairs(attacker: Attacker, token: Contract): Promise<readonly [Contract, Contract]> {
  const linkPair = await attacker.pair(
    { token: attacker.token('LINK'), wholeTokens: DEPTH_USD / LINK_USD },
    { token, wholeTokens: DEPTH_USD * BAIT_FACTOR },
  )
  const uniPair = await attacker.pair(
    { token, wholeTokens: DEPTH_USD },
    { token: attacker.token('UNI'), wholeTokens: (DEPTH_USD / UNI_USD) * BAIT_FACTOR ** 0.5 },
  )
  return [linkPair, uniPair]
}

/** Returns a trap whose code is in a token of the attacker. */
const tokenTrap = (
  name: string,
  spring: (token: Contract, pools: readonly [Contract, Contract], attacker: Attacker) => Promise<unknown>,
  { symbol = 'BAIT', before }: { symbol?: string; before?: (token: Contract) => Promise<unknown> } = {},
): Trap => ({
  name,
  async set(attacker) {
    const token = await attacker.deploy('HostileToken', symbol, symbol)
    await before?.(token)
    const pools = await baitPairs(attacker, token)
    return { requestedToken: token.address, spring: () => spring(token, pools, attacker) }
  },
})

const baitSides = (attacker: Attacker) => [
  { token: attacker.token('LINK'), wholeTokens: DEPTH_USD / LINK_USD },
  { token: attacker.token('UNI'), wholeTokens: (DEPTH_USD / UNI_USD) * BAIT_FACTOR },
]

/** Returns a trap whose bait is a pool of LINK and UNI. */
const poolTrap = (name: string, set: (attacker: Attacker) => Promise<() => Promise<unknown>>): Trap => ({
  name,
  set: async (attacker) => ({ requestedToken: attacker.token('UNI').address, spring: await set(attacker) }),
})

/** Withdraws the attacker's liquidity from a pair. */
async function withdraw(pair: Contract, attacker: Attacker): Promise<void> {
  const shares = await pair.read<bigint>('balanceOf', [attacker.address])
  await pair.send('transfer', [pair.address, (shares * 999n) / 1000n])
  await pair.send('burn', [attacker.address])
}

export const traps: readonly Trap[] = [
  tokenTrap('tax switched on', (token) => token.send('setTax', [CUT_BPS])),
  tokenTrap('blacklist', (token, [, second]) => token.send('setBlocked', [second.address])),
  tokenTrap('pausing', (token) => token.send('setPaused', [true])),
  tokenTrap('rebase down', async (token, [first, second]) => {
    await token.send('setScale', [(10n ** 18n * (10_000n - BigInt(CUT_BPS))) / 10_000n])
    // The rebase reduces the balances of both pools. The first pool updates its reserves, and the second is refilled.
    await first.send('sync')
    const [reserve0, reserve1] = (await second.readAll('getReserves')) as unknown as readonly [bigint, bigint]
    const reserve = (await second.read<string>('token0')).toLowerCase() === token.address ? reserve0 : reserve1
    await token.send('mint', [second.address, reserve - (await token.read<bigint>('balanceOf', [second.address])) + 2n])
  }),
  tokenTrap('one-block bait', async (_token, pools, attacker) => {
    for (const pair of pools) await withdraw(pair, attacker)
  }),
  tokenTrap('donated price', async (token, [, second], attacker) => {
    // Sells the token to the second pool, which makes UNI more expensive there.
    const amount = tokenUnits((DEPTH_USD * CUT_BPS) / 20_000)
    await token.send('mint', [second.address, amount])
    const reserves = (await second.readAll('getReserves')) as unknown as readonly [bigint, bigint]
    const isToken0 = (await second.read<string>('token0')).toLowerCase() === token.address
    const [reserveIn, reserveOut] = isToken0 ? [reserves[0], reserves[1]] : [reserves[1], reserves[0]]
    const out = (amount * 997n * reserveOut) / (reserveIn * 1000n + amount * 997n)
    await second.send('swap', [isToken0 ? 0n : out, isToken0 ? out : 0n, attacker.address, '0x'])
  }),
  {
    ...tokenTrap('reads the gas price', async () => {}, {
      before: (token) => token.send('setGasPrice', [3n * 10n ** 9n]),
    }),
    gasPriceWei: 5n * 10n ** 9n,
  },
  tokenTrap('reads block.coinbase', (_token, _pools, { chain, devnet }) => setBlockAuthor(devnet.url, chain.from), {
    before: (token) => token.send('setAuthor', [`0x${'00'.repeat(20)}`]),
  }),
  tokenTrap("copy of a hub's symbol", (token) => token.send('setTax', [CUT_BPS]), { symbol: 'USDC' }),
  {
    name: 'hostile ERC-4626 vault',
    async set(attacker) {
      const link = attacker.token('LINK')
      const share = await attacker.deploy('HostileVault', 'Savings LINK', 'SLINK', link.address)
      const wholeTokens = DEPTH_USD / LINK_USD
      await attacker.stablePool([
        { token: link, wholeTokens },
        { token: share, wholeTokens, rate: share.address },
      ])
      await attacker.pair(
        { token: share, wholeTokens },
        { token: attacker.token('UNI'), wholeTokens: (DEPTH_USD / UNI_USD) * BAIT_FACTOR },
      )
      // A higher rate of the share reduces the number of shares that the input buys.
      return { requestedToken: share.address, spring: () => share.send('setRate', [(10n ** 18n * 1_005n) / 1_000n]) }
    },
  },
  poolTrap('rate provider that falls', async (attacker) => {
    const link = attacker.token('LINK')
    const rate = await attacker.deploy('HostileVault', 'Rate', 'RATE', link.address)
    const baitRate = (LINK_USD / UNI_USD) * BAIT_FACTOR
    await rate.send('setRate', [tokenUnits(baitRate)])
    const [first, second] = baitSides(attacker)
    await attacker.stablePool([{ ...first!, rate: rate.address }, second!])
    return () => rate.send('setRate', [tokenUnits(baitRate * (1 - CUT_BPS / 10_000))])
  }),
  poolTrap('fee model that rises', async (attacker) => {
    const pool = await attacker.weightedPool(baitSides(attacker))
    return () => pool.send('setSwapFeePercentage', [BigInt(CUT_BPS) * 10n ** 14n])
  }),
  poolTrap('pool reset by its owner', async (attacker) => {
    const pool = await attacker.hostilePool(baitSides(attacker))
    return () => pool.send('reset', [1_000_000 - CUT_BPS * 100])
  }),
  poolTrap('pool that stops', async (attacker) => {
    const pool = await attacker.hostilePool(baitSides(attacker))
    return () => pool.send('reset', [0])
  }),
]

/** Sets the author of the following blocks. */
async function setBlockAuthor(url: string, address: string): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'anvil_setCoinbase', params: [address] }
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}
