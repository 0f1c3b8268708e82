/** Curve pools of Ethereum, with their own bytecode: quotes against what `exchange` pays, for any amount and state. */
import { CurveCryptoLens__factory, CurveLens__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as crypto from '../src/dexes/curve-crypto/state.ts'
import * as stable from '../src/dexes/curve-stable/state.ts'
import { familyOf, type HopQuote, type Pool, PoolRefusal } from '../src/index.ts'
import { CURVE_CRYPTO_LENS, CURVE_LENS } from '../src/lenses.ts'
import { CRV, CRVUSD, USDC, USDE, USDT, WBTC, WETH } from './ethereum-tokens.ts'
import { type Mainnet, onMainnet } from './mainnet.ts'
import { type Random, random } from './random.ts'

const SWAPS_PER_POOL = process.env.LONG ? 2_500 : 20
/** A test that times out goes on in the background and would change the next one's chain. */
const TIMEOUT_MS = process.env.LONG ? 1_800_000 : 60_000
/** After so many swaps a pool starts afresh: a drained one refuses all but a few amounts. */
const WALK = 20

let mainnet: Mainnet
beforeAll(async () => {
  mainnet = await onMainnet()
  // The decimals of WETH.
  await mainnet.setSlot(WETH, '0x2', 18n)
})
afterAll(() => mainnet?.stop())

type Case = {
  readonly name: string
  readonly family: string
  readonly address: Address
  readonly tokens: readonly Address[]
  readonly exchange: Interface
  /**
   * True if the model can know the pool after a swap: stable pools, and crypto pools that report when they move
   * their price.
   */
  readonly knowsNext: boolean
  readonly read: (address: Address, coins: number) => Promise<unknown>
}

const exchangeOf = (index: string) =>
  new Interface([`function exchange(${index} i, ${index} j, uint256 amountIn, uint256 minOut)`])
/** The state as the lens reads it: the contracts that answer `get_dy` of these pools are not in the fixture. */
async function readLens({ to, code }: { to: Address; code: Hex }, data: string): Promise<Hex> {
  return mainnet.rpc.call({ to, data: data as Hex }, 'latest', { overrides: { [to]: { code } } })
}
const cryptoLens = CurveCryptoLens__factory.createInterface()
const stableLens = CurveLens__factory.createInterface()
const cryptoCase = (name: string, knowsNext: boolean, address: Hex, tokens: readonly Address[]): Case => ({
  name,
  knowsNext,
  family: 'curve-crypto',
  address: toAddress(address),
  tokens,
  exchange: exchangeOf('uint256'),
  read: async (pool, coins) =>
    crypto.toState(
      crypto.decodeStateRead(await readLens(CURVE_CRYPTO_LENS, cryptoLens.encodeFunctionData('read', [pool, coins]))),
    ),
})
const stableCase = (name: string, rounding: 'each' | 'end', address: Hex, tokens: readonly Address[]): Case => ({
  name,
  knowsNext: true,
  family: 'curve-stable',
  address: toAddress(address),
  tokens,
  exchange: exchangeOf('int128'),
  read: async (pool) =>
    stable.toState(
      stable.decodeStateRead(await readLens(CURVE_LENS, stableLens.encodeFunctionData('read', [pool]))),
      rounding,
    ),
})

const CASES: readonly Case[] = [
  cryptoCase('tricrypto2', false, '0xd51a44d3fae010294c616388b506acda1bfaae46', [USDT, WBTC, WETH]),
  cryptoCase('TricryptoUSDC (NG)', true, '0x7f86bf177dd4f3494b841a37e810a34dd56c829b', [USDC, WBTC, WETH]),
  // It has profits enough to move its price at every swap.
  cryptoCase('TriCRV (NG)', false, '0x4ebdf703948ddcea3b11f675b4d1fba9d2414a14', [CRVUSD, WETH, CRV]),
  stableCase('crvUSD/USDC', 'end', '0x4dece678ceceb27446b35c672dc7d61f30bad69e', [USDC, CRVUSD]),
  stableCase('USDe/USDC (NG)', 'each', '0x02950460e2b9529d0e00284a5fa2d7bdf3fa4d72', [USDE, USDC]),
]

test.each(CASES)(
  '$name pays the quoted amount, swap after swap, and reverts if the quote is refused',
  async (pool) => {
    const { knowsNext } = pool
    for (const token of pool.tokens) {
      await mainnet.give(token, pool.address)
      // Pool and token may come from different blocks. Some stable pools take their balance for what they hold.
      if (pool.family === 'curve-crypto') await mainnet.deal(token, pool.address)
    }
    const r = random(23)
    const count = { quoted: 0, refused: 0, known: 0 }
    for (let done = 0; done < SWAPS_PER_POOL; done += WALK) {
      const undo = await mainnet.snapshot()
      for (let step = 0; step < WALK; step++) await swap(pool, r, count)
      await undo()
    }
    expect(count.quoted).toBeGreaterThan(SWAPS_PER_POOL / 3)
    expect(count.refused).toBeGreaterThan(0)
    expect(count.known > 0).toBe(knowsNext)
  },
  TIMEOUT_MS,
)

async function swap({ family, address, tokens, exchange, read }: Case, r: Random, count: Record<string, number>) {
  const state = await read(address, tokens.length)
  const pool: Pool = { id: address, family, dex: 'Curve', address, tokens, state }
  const i = r.integer(tokens.length)
  const j = (i + 1 + r.integer(tokens.length - 1)) % tokens.length
  const reserve = familyOf(family)!.reserves(pool)[i]!
  // Now and then far more than the pool can take.
  const amountIn = r.amount(1, reserve.toString(2).length + (r.integer(6) === 0 ? 9 : -3))
  const label = `${amountIn} of ${i} for ${j}`
  const data = exchange.encodeFunctionData('exchange', [i, j, amountIn, 0n]) as Hex
  const ours = quote(pool, tokens[i]!, tokens[j]!, amountIn)
  const possible = (await mainnet.call(address, data)) !== null
  if (ours instanceof PoolRefusal && !possible) {
    count.refused!++
    return
  }
  expect(`${label}: ${possible}`).toBe(`${label}: true`)
  const bought = boughtIn(await mainnet.send(address, data), address)
  if (ours instanceof PoolRefusal) {
    // A pool may take dust and pay nothing for it.
    expect(`${label}: ${ours.code} ${bought}`).toBe(`${label}: TOO_SMALL 0`)
    count.refused!++
    return
  }
  expect(`${label}: ${bought}`).toBe(`${label}: ${ours.amountOut}`)
  count.quoted!++
  if ((ours.state as { settled?: boolean }).settled === false) return
  expect(await read(address, tokens.length)).toEqual(ours.state)
  count.known!++
}

function quote(pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint): HopQuote | PoolRefusal {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}

/** Returns the fourth word of the pool's TokenExchange, for any version of the event. */
function boughtIn(logs: readonly { readonly address: Hex; readonly data: Hex }[], pool: Address): bigint {
  const { data } = logs.find(({ address, data }) => toAddress(address) === pool && data.length >= 2 + 4 * 64)!
  return BigInt(`0x${data.slice(2 + 3 * 64, 2 + 4 * 64)}`)
}
