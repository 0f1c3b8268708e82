import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { batchedReads } from '@sluice/liquidity/testing'
import type { RoutePlan } from '@sluice/routing'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import { toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { ContractBalanceReader } from './contract-balances.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [guard, executor, weth, usdc, dai] = [1, 2, 3, 4, 5].map(account) as [Address, Address, Address, Address, Address]
const holders = { guard, executor, wrappedNative: weth }
const batch = ReadBatch__factory.createInterface()

const routeOver = (...tokens: Address[]) =>
  ({
    tokenOut: tokens.at(-1),
    legs: tokens.slice(1).map((tokenOut, k) => ({ tokenIn: tokens[k], tokenOut })),
  }) as unknown as RoutePlan
const at = (number: number) => ({ number, hash: toBeHex(number, 32) }) as BlockHeader

/** A node whose tokens name `holdings` as their holders; a missing token does not answer. */
function nodeOf(holdings: Readonly<Record<Address, readonly Address[]>>) {
  const node = { reads: 0, failure: undefined as Error | undefined }
  const call = async ({ data }: { data: Hex }) => {
    if (node.failure) throw node.failure
    const reads = batchedReads(data)
    node.reads += reads.length
    const answers = reads.map(({ to, data }) => {
      const owners = holdings[to]
      return {
        ok: owners !== undefined,
        data: owners ? toBeHex(owners.includes(toAddress(`0x${data.slice(-40)}`)) ? 1 : 0, 32) : '0x',
      }
    })
    return batch.encodeFunctionResult('run', [answers])
  }
  return Object.assign(node, { rpc: { call } as unknown as Rpc })
}

test('balances are those of the Executor, and of the Guard in the output; a token that does not answer is not held', async () => {
  const { rpc } = nodeOf({ [weth]: [executor], [usdc]: [guard, executor] })
  const balances = await new ContractBalanceReader().heldTokens([routeOver(dai, usdc, weth)], holders, {
    rpc,
    block: at(1),
  })
  expect(balances).toEqual({ guard: new Set(), executor: new Set([usdc, weth]) })
  const other = await new ContractBalanceReader().heldTokens([routeOver(NATIVE, usdc)], holders, { rpc, block: at(1) })
  expect(other).toEqual({ guard: new Set([usdc]), executor: new Set([weth, usdc]) })
})

test('callers share a read, which is repeated after 20 blocks', async () => {
  const reader = new ContractBalanceReader()
  const node = nodeOf({ [weth]: [], [usdc]: [], [dai]: [] })
  const read = (number: number, ...tokens: Address[]) =>
    reader.heldTokens([routeOver(...tokens)], holders, { rpc: node.rpc, block: at(number) })
  await Promise.all([read(1, weth, usdc), read(1, weth, usdc)])
  expect(node.reads).toBe(3)
  await read(21, weth, usdc)
  expect(node.reads).toBe(3)
  await read(21, weth, dai)
  expect(node.reads).toBe(5)
  await read(22, weth, usdc)
  expect(node.reads).toBe(8)
})

test('a failed read is undefined, and is repeated by the next caller', async () => {
  const reader = new ContractBalanceReader()
  const node = nodeOf({ [weth]: [executor], [usdc]: [] })
  const read = () => reader.heldTokens([routeOver(weth, usdc)], holders, { rpc: node.rpc, block: at(1) })
  node.failure = new RpcError('TIMEOUT', 'late')
  expect(await read()).toBeUndefined()
  node.failure = undefined
  expect(await read()).toEqual({ guard: new Set(), executor: new Set([weth]) })
  expect(reader.count.entries).toBe(3)
})
