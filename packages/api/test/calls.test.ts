/** Tests `calls=1` on the local chain: the batch has exactly the approvals that the sender lacks. */
import { NATIVE } from '@sluice/chains'
import { compile, createBuilder } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken, pairWithWeth } from './src/tokens.ts'

const local = localService()

type Call = { readonly to: string; readonly data: string; readonly value: string }
const APPROVE = '0x095ea7b3'
const token = (symbol: string) => local.devnet.info.tokens[symbol]!.address
const word = (value: bigint | string) =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')

type Swap = { calls: Call[]; tx: Call; toAmount: string; warnings: string[] }
async function swap(src: string, from: string, amount: bigint): Promise<Swap> {
  const query = new URLSearchParams({ src, dst: token('DAI'), from, amount: `${amount}`, calls: '1' })
  const { status, text } = await ask(`${local.server.url}/aggregator/31337?${query}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

async function make(from: string, { to, data, value }: Call): Promise<void> {
  const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}`, gas: '0x1c9c380' }
  const { status } = await request<{ status: string }>(local.devnet.url, 'eth_sendTransactionSync', transaction)
  expect(status).toBe('0x1')
}

const balance = async (token: string, owner: string) =>
  BigInt(await request<string>(local.devnet.url, 'eth_call', { to: token, data: `0x70a08231${word(owner)}` }, 'latest'))

test.each(['USDC', 'USDT', 'WETH', 'STETH'])(
  '%s: approves the exact amount, resets the allowance if the token requires it, and swaps',
  async (symbol) => {
    const from = local.devnet.info.accounts[0]!.address
    const amount = 10n ** BigInt(local.devnet.info.tokens[symbol]!.decimals)
    const first = await swap(token(symbol), from, amount)
    expect(first.calls).toHaveLength(2)
    const [approval, last] = first.calls as [Call, Call]
    const { to: guard, data, value } = first.tx
    expect(last).toEqual({ to: guard, data, value })
    expect(approval).toEqual({
      to: token(symbol),
      data: `${APPROVE}${word(guard.toLowerCase())}${word(amount)}`,
      value: '0',
    })
    const before = await balance(token('DAI'), from)
    for (const call of first.calls) await make(from, call)
    expect(await balance(token('DAI'), from)).toBe(before + BigInt(first.toAmount))

    // Tokens such as USDT refuse to change a non-zero allowance before a reset.
    await make(from, { to: token(symbol), data: `${APPROVE}${word(guard.toLowerCase())}${word(1n)}`, value: '0' })
    const second = await swap(token(symbol), from, amount)
    expect(second.calls).toHaveLength(symbol === 'USDT' ? 3 : 2)
    for (const call of second.calls) await make(from, call)

    await make(from, {
      to: token(symbol),
      data: `${APPROVE}${word(guard.toLowerCase())}${word(amount * 5n)}`,
      value: '0',
    })
    expect((await swap(token(symbol), from, amount)).calls).toHaveLength(1)
  },
)

test('the native token needs no approval, and without a sender there are no calls', async () => {
  const { calls } = await swap(NATIVE, local.devnet.info.accounts[0]!.address, 10n ** 18n)
  expect(calls).toHaveLength(1)
  expect(calls[0]!.value).toBe(`${10n ** 18n}`)
  const query = new URLSearchParams({ src: token('USDC'), dst: token('DAI'), amount: '1000000', calls: '1' })
  const { status, text } = await ask(`${local.server.url}/quote/31337?${query}`)
  expect(status).toBe(200)
  expect(JSON.parse(text).calls).toBeUndefined()
})

/** Token that refuses a transfer in the block of its approval. */
const slow = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
contract Slow is ERC20 {
    mapping(address => uint256) private since;
    constructor() ERC20("Slow", "SLOW") {}
    function mint(address to, uint256 amount) external { _mint(to, amount); }
    function approve(address spender, uint256 amount) public override returns (bool) {
        since[msg.sender] = block.number;
        return super.approve(spender, amount);
    }
    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        require(since[from] != block.number, "not yet");
        return super.transferFrom(from, to, amount);
    }
}`

test('approvals and swap are simulated together: calls that only work separately are refused', async () => {
  const builder = createBuilder(local.devnet.url, local.devnet.info.accounts[7]!.address)
  const compiled = compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: ['@openzeppelin/contracts'] },
    sources: { 'Slow.sol': slow },
  })
  const coin = await builder.deploy(compiled.Slow!)
  await pairWithWeth(local.devnet, builder, coin, 10n)
  const from = local.devnet.info.accounts[1]!.address
  await coin.send('mint', [from, 10n ** 20n])
  const query = { src: coin.address, dst: token('DAI'), from, amount: `${10n ** 18n}` }
  const get = (overrides = {}) =>
    ask(`${local.server.url}/aggregator/31337?${new URLSearchParams({ ...query, ...overrides })}`)
  const { status, text } = await get()
  expect(status, text).toBe(200)
  const together = await get({ calls: '1' })
  expect(together.status, together.text).toBe(422)
  expect(JSON.parse(together.text)).toMatchObject({ code: 'ROUTE_REVERTED', error: expect.stringContaining('not yet') })
  await make(from, {
    to: coin.address,
    data: `${APPROVE}${word(local.devnet.info.guard.toLowerCase())}${word(10n ** 18n)}`,
    value: '0',
  })
  await request(local.devnet.url, 'evm_mine')
  expect(JSON.parse((await get({ calls: '1' })).text).calls).toHaveLength(1)
})

test('for a token that refuses accounts with code, the calls are separate transactions, with a warning', async () => {
  const picky = await deployToken(local.devnet, 'PickyToken')
  const from = local.devnet.info.accounts[1]!.address
  await picky.send('mint', [from, 10n ** 20n])
  const { calls, warnings, toAmount } = await swap(picky.address, from, 10n ** 18n)
  expect(calls).toHaveLength(2)
  expect(warnings.join()).toContain('one by one')
  const before = await balance(token('DAI'), from)
  for (const call of calls) await make(from, call)
  expect(await balance(token('DAI'), from)).toBe(before + BigInt(toAmount))
})
