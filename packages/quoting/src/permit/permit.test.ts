/** Tests the forms of signatures by their owners, and reads of contracts that nobody trusts. */
import { type Hex, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import { normalizePermit, type Permit, readerAt, tokenAbi } from './permit.ts'

const [r, s] = ['11'.repeat(32), '22'.repeat(32)]
const permitOf = (signature: string, kind: Permit['kind'] = 'eip2612') =>
  ({ kind, amount: 1n, nonce: 0n, deadline: 9n, signature: `0x${signature}` }) as Permit
const signed = permitOf(`${r}${s}1b`)
const contractCode = '0x6001'
const delegated: Hex = `0xef0100${'ab'.repeat(20)}`

describe('a signature', () => {
  test('of a key gets the form that tokens accept', () => {
    expect(normalizePermit(signed, '0x')).toEqual(signed)
    // With 0 instead of 27, and compact (EIP-2098).
    expect(normalizePermit(permitOf(`${r}${s}00`), '0x')).toEqual(signed)
    expect(normalizePermit(permitOf(`${r}${s}`), '0x')).toEqual(signed)
    expect(normalizePermit(permitOf(`${r}${s}`, 'permit2'), '0x')).toEqual({ ...signed, kind: 'permit2' })
  })

  test('that no key can have made is refused if the owner has no code', () => {
    for (const kind of ['eip2612', 'dai', 'permit2'] as const)
      expect(normalizePermit(permitOf('1234', kind), '0x')).toBeUndefined()
  })

  test('of a contract is left as it is: of any length for Permit2, of 65 bytes for tokens', () => {
    expect(normalizePermit(permitOf('1234', 'permit2'), contractCode)).toEqual({
      ...permitOf('1234', 'permit2'),
      asIs: true,
    })
    expect(normalizePermit(signed, contractCode)).toEqual({ ...signed, asIs: true })
    expect(normalizePermit(permitOf(`${r}${s}00`), contractCode)).toEqual({ ...permitOf(`${r}${s}00`), asIs: true })
    expect(normalizePermit(permitOf('1234'), contractCode)).toBeUndefined()
    // A token does not accept the compact form of a key, which a contract cannot have signed either.
    expect(normalizePermit(permitOf(`${r}${s}`), contractCode)).toEqual(signed)
  })

  test('of an account that delegates its code is that of its key, or else of the code', () => {
    expect(normalizePermit(permitOf(`${r}${s}00`), delegated)).toEqual(signed)
    const other = permitOf('1234', 'permit2')
    expect(normalizePermit(other, delegated)).toEqual({ ...other, asIs: true })
    expect(normalizePermit(permitOf('1234'), delegated)).toBeUndefined()
    // Code that only begins or ends like a delegation is a contract.
    for (const code of [`${delegated}00`, `0x00${delegated.slice(2)}`] as const)
      expect(normalizePermit(permitOf(`${r}${s}00`, 'permit2'), code)).toMatchObject({ asIs: true })
  })
})

describe('a reader', () => {
  const token = toAddress(`0x${'3'.repeat(40)}`)
  const owner = toAddress(`0x${'4'.repeat(40)}`)
  function readerOf(answer: () => Hex) {
    const calls: unknown[][] = []
    const call = async (...args: [CallRequest, ...unknown[]]) => {
      calls.push(args)
      return answer()
    }
    return { calls, reader: readerAt({ call } as unknown as Rpc, 7, { priority: 'lookup' }) }
  }
  const fail = (code: RpcError['code']) => () => {
    throw new RpcError(code, 'no')
  }

  test('returns the values of a function, with limited gas', async () => {
    const { reader, calls } = readerOf(() => tokenAbi.encodeFunctionResult('nonces', [5n]) as Hex)
    expect(await reader.read(tokenAbi, token, 'nonces', owner)).toEqual([5n])
    const data = tokenAbi.encodeFunctionData('nonces', [owner])
    expect(calls).toEqual([[{ to: token, data, gas: 1_000_000n }, 7, { priority: 'lookup' }]])
  })

  test('returns nothing of a function that reverts or answers with other bytes', async () => {
    for (const answer of [fail('REVERTED'), () => '0x' as const, () => '0x12' as const])
      expect(await readerOf(answer).reader.read(tokenAbi, token, 'nonces', owner)).toBeUndefined()
  })

  test('tries a call of an account', async () => {
    const { reader, calls } = readerOf(() => '0x')
    expect(await reader.succeeds(owner, token, '0x1234')).toBe(true)
    expect(calls[0]![0]).toEqual({ from: owner, to: token, data: '0x1234', gas: 3_000_000n })
    expect(await readerOf(fail('REVERTED')).reader.succeeds(owner, token, '0x1234')).toBe(false)
  })

  test('fails with the node', async () => {
    const { reader } = readerOf(fail('TIMEOUT'))
    await expect(reader.read(tokenAbi, token, 'nonces', owner)).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(reader.succeeds(owner, token, '0x')).rejects.toMatchObject({ code: 'TIMEOUT' })
  })
})
