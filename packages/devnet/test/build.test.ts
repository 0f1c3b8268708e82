/** Tests that builds of the local chain are deterministic and shared. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from 'ethers'
import { afterAll, describe, expect, it } from 'vitest'
import { GENESIS_TIMESTAMP, type PreparedDevnet, prepareDevnet, startDevnet } from '../src/index.ts'
import { request } from '../src/node.ts'

const folders: string[] = []
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-devnet-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Hashes the balances, nonces, code, and storage of all accounts, and the head, which determine all later blocks. */
function fingerprint({ stateFile }: PreparedDevnet): string {
  const { accounts, block } = JSON.parse(readFileSync(stateFile, 'utf8')) as { accounts: object; block: object }
  return createHash('sha256')
    .update(JSON.stringify([accounts, block]))
    .digest('hex')
}

describe('the saved chain', () => {
  it('has the same accounts and addresses when built twice from scratch, once by concurrent processes', {
    tags: 'long',
    timeout: 180_000,
  }, async () => {
    const dir = freshFolder()
    const devnets = await Promise.all([prepareDevnet({ dir }), prepareDevnet({ dir }), prepareDevnet({ dir })])
    expect(devnets.filter(({ fromCache }) => !fromCache)).toHaveLength(1)
    expect(new Set(devnets.map(({ stateFile }) => stateFile)).size).toBe(1)

    // Another process built the chain that the tests share.
    const shared = await prepareDevnet()
    expect(shared.stateFile).not.toBe(devnets[0].stateFile)
    expect(shared.info).toEqual(devnets[0].info)
    expect(fingerprint(shared)).toBe(fingerprint(devnets[0]))
  })
})

type Block = { number: string; timestamp: string; hash: string; baseFeePerGas: string }
const head = (url: string) => request<Block>(url, 'eth_getBlockByNumber', ['latest', false])

describe('nodes on the saved chain', () => {
  it('start at the same head, run concurrently, and are independent', async () => {
    const nodes = await Promise.all([startDevnet(), startDevnet(), startDevnet()])
    try {
      const heads = await Promise.all(nodes.map(({ url }) => head(url)))
      expect(new Set(heads.map(({ hash }) => hash)).size).toBe(1)
      const [first, second] = nodes
      await request(first.url, 'evm_mine', [])
      expect(BigInt((await head(first.url)).number)).toBe(BigInt(heads[0]!.number) + 1n)
      expect((await head(second.url)).number).toBe(heads[0]!.number)
    } finally {
      await Promise.all(nodes.map(({ stop }) => stop()))
    }
  })

  it('mine a block per transaction from an unlocked account, one second after its parent', async () => {
    const { url, info, stop } = await startDevnet()
    try {
      const before = await head(url)
      expect(Number(before.timestamp)).toBe(GENESIS_TIMESTAMP + Number(before.number))
      expect(BigInt(before.baseFeePerGas)).toBe(1_000_000_000n)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const [from, to] = info.accounts
      await request(url, 'eth_sendTransactionSync', [{ from: from?.address, to: to?.address, value: '0x1' }])
      const after = await head(url)
      expect(Number(after.number)).toBe(Number(before.number) + 1)
      expect(Number(after.timestamp)).toBe(Number(before.timestamp) + 1)
    } finally {
      await stop()
    }
  })

  it('carry the Guard and the Executor that the deployment records', async () => {
    const { url, info, stop } = await startDevnet()
    try {
      for (const { address, codeHash } of [info.deployment.guard, ...info.deployment.executors]) {
        expect(keccak256(await request<string>(url, 'eth_getCode', [address, 'latest']))).toBe(codeHash)
      }
    } finally {
      await stop()
    }
  })

  it('return the logs of the blocks that created the pools', async () => {
    const { url, info, stop } = await startDevnet()
    try {
      const logs = await request<unknown[]>(url, 'eth_getLogs', [
        { fromBlock: '0x0', toBlock: 'latest', address: info.routers.uniswapV2Factory },
      ])
      expect(logs).toHaveLength(info.pools.filter(({ dex }) => dex === 'Uniswap V2').length)
    } finally {
      await stop()
    }
  })
})
