import { type ContractRecord, type Deployment, type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import { ChainContracts, executorInUse } from './contracts.ts'

const record = (status: ContractRecord['status']): ContractRecord => ({
  address: toAddress(`0x${'11'.repeat(20)}`),
  salt: `0x${'00'.repeat(32)}`,
  initCodeHash: `0x${'22'.repeat(32)}`,
  codeHash: `0x${'33'.repeat(32)}`,
  build: 'cancun',
  status,
})
const generation = (version: number, status: ContractRecord['status'], families: readonly string[]) => ({
  ...record(status),
  version,
  families,
})
const deployment = (...executors: Deployment['executors'][number][]): Deployment => ({
  chainId: 1,
  guard: record('deployed'),
  executors,
})
const [old, next] = [['uniswap-v2'], ['uniswap-v2', 'dodo-v2']]

describe('the current Executor', () => {
  test('is the newest with status deployed, and has its families', () => {
    const both = deployment(generation(1, 'deployed', old), generation(2, 'deployed', next))
    expect(executorInUse(both)).toMatchObject({ version: 2, families: next })
  })

  test('stays the previous one until the newer is deployed', () => {
    const coming = deployment(generation(1, 'deployed', old), generation(2, 'predicted', next))
    expect(executorInUse(coming)).toMatchObject({ version: 1, families: old })
  })

  test('is the newest predicted one if none is deployed, and undefined without Executors', () => {
    const predicted = deployment(generation(1, 'predicted', old), generation(2, 'predicted', next))
    expect(executorInUse(predicted)).toMatchObject({ version: 2 })
    expect(executorInUse(deployment())).toBeUndefined()
  })
})

describe('code on chain', () => {
  const code = '0x6001600155'
  const recorded = { codeHash: keccak256(code) as Hex }
  const contracts = new ChainContracts({
    ...deployment({ ...generation(1, 'deployed', old), ...recorded }),
    guard: { ...record('deployed'), ...recorded, address: toAddress(`0x${'44'.repeat(20)}`) },
  })
  const assertDeployed = (codes: Readonly<Record<string, Hex>>) =>
    contracts.assertDeployed(
      { getCode: async (address) => codes[address.slice(2, 4)]! } as Pick<Rpc, 'getCode'>,
      'latest',
    )

  test('is compared with its recorded hash at each block', async () => {
    await expect(assertDeployed({ 11: code, 44: code })).resolves.toBeUndefined()
    await expect(assertDeployed({ 11: code, 44: '0x6001600156' })).rejects.toThrow('the Guard 0x4444')
    await expect(assertDeployed({ 11: '0x', 44: code })).rejects.toThrow('has no code')
    await expect(assertDeployed({ 11: code, 44: code })).resolves.toBeUndefined()
  })

  describe('at an earlier block', () => {
    const [guard, executor] = ['44', '11'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
    const newContracts = (build: ContractRecord['build'] = 'cancun') =>
      new ChainContracts({
        ...deployment({ ...generation(1, 'deployed', old), ...recorded, build }),
        guard: { ...record('deployed'), ...recorded, build, address: guard! },
      })
    const missing = (then: Readonly<Record<string, Hex>>, now: Readonly<Record<string, Hex>>) =>
      newContracts().missingCodes(
        {
          getCode: async (address, block) => (block === 'latest' ? now : then)[address.slice(2, 4)]!,
          // The constructor returns other code.
          call: async () => '0x6002',
        } as Pick<Rpc, 'getCode' | 'call'>,
        7,
      )

    test('is that of the newest block if it did not exist yet', async () => {
      expect(await missing({ 11: code, 44: code }, {})).toEqual({})
      expect(await missing({ 11: '0x', 44: code }, { 11: code })).toEqual({ [executor!]: code })
      expect(await missing({ 11: '0x', 44: '0x' }, { 11: code, 44: code })).toEqual({
        [executor!]: code,
        [guard!]: code,
      })
    })

    test('is missing if the address has other code, or if the code cannot be obtained', async () => {
      const refusal = { code: 'GUARD_NOT_DEPLOYED' }
      await expect(missing({ 11: '0x6002', 44: code }, { 11: code })).rejects.toMatchObject(refusal)
      await expect(missing({ 11: '0x', 44: code }, { 11: '0x6002' })).rejects.toMatchObject(refusal)
      await expect(missing({ 11: '0x', 44: code }, { 11: '0x' })).rejects.toMatchObject(refusal)
    })

    const withoutCode = (call: Rpc['call']) => ({ getCode: async () => '0x' as Hex, call })

    test('is what the constructor returns if it was never deployed', async () => {
      const created: string[] = []
      const call: Rpc['call'] = async ({ to, data }, block) => {
        expect([to, block]).toEqual([null, 7])
        created.push(data!)
        return code
      }
      expect(await newContracts().missingCodes(withoutCode(call), 7)).toEqual({ [executor!]: code, [guard!]: code })
      // The Executor takes the Guard as its argument.
      const argument = `0${guard!.slice(2)}`.padStart(64, '0')
      expect(created.map((data) => data.endsWith(argument))).toEqual([false, true])
      expect(created.every((data) => data.length > 1_000)).toBe(true)
      const ofLondon: string[] = []
      const callLondon: Rpc['call'] = async ({ data }) => {
        ofLondon.push(data!)
        return code
      }
      await newContracts('london').missingCodes(withoutCode(callLondon), 7)
      expect(new Set([...created, ...ofLondon]).size).toBe(4)
    })

    test.each([
      ['REVERTED', 'GUARD_NOT_DEPLOYED'],
      ['REJECTED', 'GUARD_NOT_DEPLOYED'],
      ['TIMEOUT', 'TIMEOUT'],
    ] as const)('cannot be made by a constructor that ends with %s: %s', async (reason, expected) => {
      const failing = withoutCode(() => Promise.reject(new RpcError(reason, 'no')))
      await expect(newContracts().missingCodes(failing, 7)).rejects.toMatchObject({ code: expected })
    })

    test('can run if the Guard was there, or if the EVM has the instructions that it uses', async () => {
      const unasked = { getCode: async () => code as Hex, call: () => Promise.reject(new Error('no call is needed')) }
      expect(await contracts.canRunAt(unasked, 7)).toBe(true)
      const calls: unknown[] = []
      const runs: Rpc['call'] = async ({ to }, block) => {
        calls.push([to, block])
        return '0x'
      }
      expect(await contracts.canRunAt(withoutCode(runs), 7)).toBe(true)
      expect(calls).toEqual([[null, 7]])
      for (const reason of ['REVERTED', 'REJECTED'] as const) {
        const refuses = withoutCode(() => Promise.reject(new RpcError(reason, 'no')))
        expect(await contracts.canRunAt(refuses, 7)).toBe(false)
      }
      const late = withoutCode(() => Promise.reject(new RpcError('TIMEOUT', 'late')))
      await expect(contracts.canRunAt(late, 7)).rejects.toMatchObject({ code: 'TIMEOUT' })
    })
  })
})
