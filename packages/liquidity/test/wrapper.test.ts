/** wstETH and stETH of Ethereum, with their own bytecode: quotes against what wrapping and unwrapping pay. */
import { IERC20__factory, IRateWrapper__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, Interface, id, keccak256 } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rateWrapper } from '../src/dexes/rate-wrapper/index.ts'
import type { RateWrapperState } from '../src/dexes/rate-wrapper/math.ts'
import { type Pool, PoolRefusal } from '../src/index.ts'
import { type Log, type Mainnet, onMainnet } from './mainnet.ts'
import { random } from './random.ts'

const QUOTES = process.env.LONG ? 5_000 : 60

const WSTETH = toAddress('0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0')
const STETH = toAddress('0xae7ab96520de3a18e5e111b5eaab095312d7fe84')
const row = { family: 'rate-wrapper', brand: 'Lido', role: 'wrapper', address: WSTETH }
const erc20 = IERC20__factory.createInterface()
const steth = new Interface(['function getPooledEthByShares(uint256) view returns (uint256)'])
const wrapper = IRateWrapper__factory.createInterface()

let mainnet: Mainnet
beforeAll(async () => {
  mainnet = await onMainnet()
  // What no recorded transaction read: what wstETH wraps, its supply, and shares of stETH.
  const plenty = 10n ** 24n
  await mainnet.setSlot(WSTETH, '0x7', BigInt(STETH))
  await mainnet.setSlot(WSTETH, '0x2', plenty)
  for (const holder of [mainnet.me, WSTETH]) {
    const slot = keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [holder, 0])) as Hex
    await mainnet.setSlot(STETH, slot, plenty)
  }
  await mainnet.give(WSTETH, WSTETH)
  await mainnet.send(STETH, erc20.encodeFunctionData('approve', [WSTETH, 1n << 200n]) as Hex)
})
afterAll(() => mainnet?.stop())

test('wstETH is found by its underlying token, and pays the quoted amount', async () => {
  const [pool] = await mainnet.read(rateWrapper.findPools!(row, [[STETH, WSTETH]]))
  expect(pool?.tokens).toEqual([STETH, WSTETH])
  const r = random(29)
  let quoted = 0
  for (let i = 0; i < QUOTES; i++) {
    const [state] = await mainnet.read(rateWrapper.readStates(row, [pool!]))
    const wrap = r.integer(2) === 0
    const amountIn = r.amount(1, 76)
    const label = `${wrap ? 'wrap' : 'unwrap'} ${amountIn}`
    const ours = quote({ ...pool!, state: state! }, wrap, amountIn)
    const logs = await mainnet.send(WSTETH, encode(wrap, amountIn))
    const paid = wrap ? numberIn(logs, WSTETH, TRANSFER) : await worth(numberIn(logs, STETH, TRANSFER_SHARES))
    expect(`${label}: ${paid}`).toBe(`${label}: ${ours}`)
    if (ours > 0n) quoted++
  }
  expect(quoted).toBeGreaterThan(QUOTES * 0.8)
})

const TRANSFER = id('Transfer(address,address,uint256)')
const TRANSFER_SHARES = id('TransferShares(address,address,uint256)')

const encode = (wrap: boolean, amount: bigint) =>
  (wrap ? wrapper.encodeFunctionData('wrap', [amount]) : wrapper.encodeFunctionData('unwrap', [amount])) as Hex

/** Quotes by the model; zero if it refuses dust. */
function quote(pool: Pool<RateWrapperState>, wrap: boolean, amountIn: bigint): bigint {
  const [tokenIn, tokenOut] = wrap ? [STETH, WSTETH] : [WSTETH, STETH]
  try {
    return rateWrapper.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut
  } catch (error) {
    if (error instanceof PoolRefusal && error.code === 'TOO_SMALL') return 0n
    throw error
  }
}

const numberIn = (logs: readonly Log[], address: Address, topic: string) =>
  BigInt(logs.findLast((log) => toAddress(log.address) === address && log.topics[0] === topic)!.data)

/** The value of so many shares to a holder of no others. */
async function worth(shares: bigint): Promise<bigint> {
  return BigInt((await mainnet.call(STETH, steth.encodeFunctionData('getPooledEthByShares', [shares]) as Hex))!)
}
