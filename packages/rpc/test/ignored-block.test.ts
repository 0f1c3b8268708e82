/** Tests endpoints that run each call at their newest block, such as public ones of HyperEVM. */
import { toAddress } from '@sluice/chains'
import { type Anvil, NodeProxy, request, startAnvil } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpc } from '../src/client.ts'

const contract = toAddress('0x00000000000000000000000000000000000c0de0')
/** Returns the number of the block: NUMBER PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN. */
const overrides = { [contract]: { code: '0x4360005260206000f3' as const } }

let anvil: Anvil
let proxy: NodeProxy
beforeAll(async () => {
  anvil = await startAnvil()
  for (let block = 0; block < 20; block++) await request(anvil.url, 'evm_mine', [])
  proxy = await NodeProxy.start(anvil.url, (call) => {
    if (call.method === 'eth_call') call.params[1] = 'latest'
    return undefined
  })
})
afterAll(async () => {
  await proxy?.stop()
  await anvil?.stop()
})

test('a past block is refused instead of answered from the newest one, and read at another endpoint', async () => {
  const numberAt = (urls: string[], block: number) =>
    createRpc({ chainId: 31337, urls }).call({ to: contract, data: '0x' }, block, { overrides })
  expect(Number(await numberAt([anvil.url], 3))).toBe(3)
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url, anvil.url] })
  const alone = createRpc({ chainId: 31337, urls: [proxy.url] })
  for (const client of [rpc, alone]) expect((await client.getBlock('latest'))?.number).toBe(20)
  const call = { to: contract, data: '0x' } as const
  await expect(alone.call(call, 3, { overrides })).rejects.toMatchObject({ code: 'PRUNED' })
  expect(Number(await alone.call(call, 20, { overrides }))).toBe(20)
  expect(Number(await rpc.call(call, 3, { overrides }))).toBe(3)
})
