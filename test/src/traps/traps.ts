/** Traps for routes from LINK to UNI: each offers a price above those of all other pools, and withdraws it after the quote. */
import type { Contract } from '@sluice/devnet'
import { type Attacker, units } from './attacker.ts'

/** Factor by which a bait pays more than the list prices. LINK and UNI cost 15 and 8 dollars on the local chain. */
const BAIT = 1.02
const [LINK_USD, UNI_USD] = [15, 8]
/** Dollars on each side of a bait. */
const DEPTH = 4_000_000
/** Reduction after the quote. It is below the default slippage, so that the user's transaction still succeeds. */
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

/** Creates deep pools between a token of the attacker and each end of the trade. */
async function between(attacker: Attacker, token: Contract): Promise<readonly [Contract, Contract]> {
  const first = await attacker.pair(
    { token: attacker.token('LINK'), whole: DEPTH / LINK_USD },
    { token, whole: DEPTH * BAIT },
  )
  const second = await attacker.pair(
    { token, whole: DEPTH },
    { token: attacker.token('UNI'), whole: (DEPTH / UNI_USD) * BAIT ** 0.5 },
  )
  return [first, second]
}

/** Returns a trap in the code of a token. */
const inToken = (
  name: string,
  turn: (token: Contract, pools: readonly [Contract, Contract], attacker: Attacker) => Promise<unknown>,
  { symbol = 'BAIT', before }: { symbol?: string; before?: (token: Contract) => Promise<unknown> } = {},
): Trap => ({
  name,
  async set(attacker) {
    const token = await attacker.deploy('HostileToken', symbol, symbol)
    await before?.(token)
    const pools = await between(attacker, token)
    return { requestedToken: token.address, spring: () => turn(token, pools, attacker) }
  },
})

const sides = (attacker: Attacker) => [
  { token: attacker.token('LINK'), whole: DEPTH / LINK_USD },
  { token: attacker.token('UNI'), whole: (DEPTH / UNI_USD) * BAIT },
]

/** Returns a trap in a pool of the two ends. */
const inPool = (name: string, set: (attacker: Attacker) => Promise<() => Promise<unknown>>): Trap => ({
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
  inToken('tax switched on', (token) => token.send('setTax', [CUT_BPS])),
  inToken('blacklist', (token, [, second]) => token.send('setBlocked', [second.address])),
  inToken('pausing', (token) => token.send('setPaused', [true])),
  inToken('rebase down', async (token, [first, second]) => {
    await token.send('setScale', [(10n ** 18n * (10_000n - BigInt(CUT_BPS))) / 10_000n])
    // Moves what the trap takes from the first pool into the second.
    await first.send('sync')
    const [r0, r1] = (await second.readAll('getReserves')) as unknown as readonly [bigint, bigint]
    const reserve = (await second.read<string>('token0')).toLowerCase() === token.address ? r0 : r1
    await token.send('mint', [second.address, reserve - (await token.read<bigint>('balanceOf', [second.address])) + 2n])
  }),
  inToken('one-block bait', async (_token, pools, attacker) => {
    for (const pair of pools) await withdraw(pair, attacker)
  }),
  inToken('donated price', async (token, [, second], attacker) => {
    // Trades back the donation that set the price.
    const amount = units((DEPTH * CUT_BPS) / 20_000)
    await token.send('mint', [second.address, amount])
    const [r0, r1] = await second.readAll('getReserves')
    const tokenFirst = (await second.read<string>('token0')).toLowerCase() === token.address
    const [reserveIn, reserveOut] = tokenFirst ? [r0 as bigint, r1 as bigint] : [r1 as bigint, r0 as bigint]
    const out = (amount * 997n * reserveOut) / (reserveIn * 1000n + amount * 997n)
    await second.send('swap', [tokenFirst ? 0n : out, tokenFirst ? out : 0n, attacker.address, '0x'])
  }),
  {
    ...inToken('reads the gas price', async () => {}, {
      before: (token) => token.send('setGasPrice', [3n * 10n ** 9n]),
    }),
    gasPriceWei: 5n * 10n ** 9n,
  },
  inToken('reads block.coinbase', (_token, _pools, { chain, devnet }) => author(devnet.url, chain.from), {
    before: (token) => token.send('setAuthor', [`0x${'00'.repeat(20)}`]),
  }),
  inToken("copy of a hub's symbol", (token) => token.send('setTax', [CUT_BPS]), { symbol: 'USDC' }),
  {
    name: 'hostile ERC-4626 vault',
    async set(attacker) {
      const link = attacker.token('LINK')
      const share = await attacker.deploy('HostileVault', 'Savings LINK', 'SLINK', link.address)
      const whole = DEPTH / LINK_USD
      await attacker.stablePool([
        { token: link, whole },
        { token: share, whole, rate: share.address },
      ])
      await attacker.pair({ token: share, whole }, { token: attacker.token('UNI'), whole: (DEPTH / UNI_USD) * BAIT })
      // A higher rate of the share reduces the number of shares that the input buys.
      return { requestedToken: share.address, spring: () => share.send('setRate', [(10n ** 18n * 1_005n) / 1_000n]) }
    },
  },
  inPool('rate provider that falls', async (attacker) => {
    const link = attacker.token('LINK')
    const rate = await attacker.deploy('HostileVault', 'Rate', 'RATE', link.address)
    const fair = (LINK_USD / UNI_USD) * BAIT
    await rate.send('setRate', [units(fair)])
    const [first, second] = sides(attacker)
    await attacker.stablePool([{ ...first!, rate: rate.address }, second!])
    return () => rate.send('setRate', [units(fair * (1 - CUT_BPS / 10_000))])
  }),
  inPool('fee model that rises', async (attacker) => {
    const pool = await attacker.weightedPool(sides(attacker))
    return () => pool.send('setSwapFeePercentage', [BigInt(CUT_BPS) * 10n ** 14n])
  }),
  inPool('pool reset by its owner', async (attacker) => {
    const pool = await attacker.ownPool(sides(attacker))
    return () => pool.send('reset', [1_000_000 - CUT_BPS * 100])
  }),
  inPool('pool that stops', async (attacker) => {
    const pool = await attacker.ownPool(sides(attacker))
    return () => pool.send('reset', [0])
  }),
]

/** Sets the author of the following blocks. */
async function author(url: string, address: string): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'anvil_setCoinbase', params: [address] }
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}
