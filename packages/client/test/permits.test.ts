/** Tests swaps with EIP-2612 permits and with the genuine Permit2. See dai.test.ts for DAI's form. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeGuardSwap, encodeGuardSwap } from '@sluice/bindings/guard'
import { compile, PERMIT2, request } from '@sluice/devnet'
import { AbiCoder, concat } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeSwap } from '../src/abi.ts'
import { allowanceOf } from '../src/approve.ts'
import { encodeCall, selectors } from '../src/calls.ts'
import {
  explain,
  fromEip1193,
  gasLimit,
  type Hex,
  type Outgoing,
  signPermit,
  swap,
  verify,
  withPermit,
} from '../src/index.ts'
import type { AddressedOrder } from '../src/order.ts'
import { encodePermitSwap } from '../src/permit-abi.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

/** Source of the local chain's plain token with EIP-2612 added, in the same storage layout. */
const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {Token} from "tokens/Token.sol";

contract PermitToken is Token {
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    mapping(address => uint256) public nonces;

    constructor(uint8 decimals_) Token("", "", decimals_) {}

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256(bytes(name)), keccak256("2"), block.chainid, address(this)
        ));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        require(block.timestamp <= deadline, "late");
        bytes32 hash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        address signer = ecrecover(keccak256(abi.encodePacked("\\x19\\x01", DOMAIN_SEPARATOR(), hash)), v, r, s);
        require(signer != address(0) && signer == owner, "not signed");
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}`

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
  const plain = readFileSync(join(import.meta.dirname, '../../devnet/tokens/Token.sol'), 'utf8')
  const { bytecode } = compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: [] },
    sources: { 'tokens/Token.sol': plain, 'PermitToken.sol': source },
  }).PermitToken!
  const from = stage.devnet.info.accounts[0]!.address
  const data = concat([bytecode, AbiCoder.defaultAbiCoder().encode(['uint8'], [6])])
  const code = await request<string>(stage.devnet.url, 'eth_call', [{ from, data }, 'latest'])
  await request(stage.devnet.url, 'anvil_setCode', [stage.token('USDC'), code])
})
afterAll(() => stage?.stop())

const walletOf = (index: number, refuses?: number) => {
  const [sent, requests]: [Outgoing[], string[]] = [[], []]
  const wallet = fromEip1193(
    {
      request({ method, params }) {
        requests.push(method)
        if (method === 'eth_signTypedData_v4' && refuses) throw Object.assign(new Error('no'), { code: refuses })
        return request(stage.devnet.url, method, params ?? [])
      },
    },
    stage.devnet.info.accounts[index]!.address,
  )
  const send = (transaction: Outgoing) => {
    sent.push(transaction)
    return wallet.send(transaction)
  }
  return { sent, requests, wallet: { ...wallet, send } }
}
const wanted = () => ({ src: stage.token('USDC'), dst: stage.token('DAI'), amount: 10_000_000n })

test('the swap is one transaction, which draws exactly the signed amount', async () => {
  for (const options of [{}, { minToAmount: 1n }]) {
    const { sent, wallet } = walletOf(0)
    const before = await stage.balance(stage.token('DAI'), wallet.address)
    const { route } = await swap(stage.client, wallet, CHAIN, wanted(), { ...stage, ...options })
    expect(sent).toHaveLength(1)
    const data = sent[0]!.data
    expect(explain({ ...route.tx, data })).toMatchObject({
      ...explain(route.tx),
      permit: { kind: 'eip2612', amount: 10_000_000n },
    })
    expect((await stage.balance(stage.token('DAI'), wallet.address)) - before).toBe(BigInt(route.toAmount))
    expect(await allowanceOf(wallet, stage.token('USDC'), stage.guard)).toBe(0n)
  }
})

test('a token without a permit, or whose owner cannot sign, is approved', async () => {
  const { sent, requests, wallet } = walletOf(0)
  await swap(
    stage.client,
    wallet,
    CHAIN,
    { src: stage.token('DAI'), dst: stage.token('USDC'), amount: 10n ** 19n },
    stage,
  )
  expect(sent).toHaveLength(2)
  expect(requests).not.toContain('eth_signTypedData_v4')
  const mute = walletOf(1, -32_601)
  await swap(stage.client, mute.wallet, CHAIN, wanted(), stage)
  expect(mute.sent).toHaveLength(2)
})

test('only the requested ways are tried, in order', async () => {
  const approved = walletOf(0)
  await swap(stage.client, approved.wallet, CHAIN, wanted(), { ...stage, ways: ['approve'] })
  expect(approved.sent).toHaveLength(2)
  expect(approved.requests).not.toContain('eth_signTypedData_v4')
  const noPermit = { src: stage.token('DAI'), dst: stage.token('USDC'), amount: 10n ** 18n }
  const { sent, wallet } = walletOf(0)
  const refused = swap(stage.client, wallet, CHAIN, noPermit, { ...stage, ways: ['permit', 'batch'] })
  await expect(refused).rejects.toMatchObject({ code: 'WALLET' })
  expect(sent).toEqual([])
})

test('the service returns the typed data to sign, and accepts the signature in the request', async () => {
  const { wallet } = walletOf(0)
  const { src, dst, amount } = wanted()
  const [offer] = await stage.client.getPermits(CHAIN, { src, amount, from: wallet.address })
  const signature = (await wallet.request!('eth_signTypedData_v4', [
    wallet.address,
    JSON.stringify(offer!.typedData),
  ])) as string
  const request = { src, dst, amount, from: wallet.address }
  const route = await stage.client.getSwap(CHAIN, { ...request, permit: `${offer!.permit}${signature}` })
  const { permit } = decodeSwap(route.tx.data, 0n)
  expect(verify(CHAIN, route, request, { ...stage, permit }).permit).toMatchObject({ kind: 'eip2612', amount })
  const before = await stage.balance(dst, wallet.address)
  await wallet.succeeded(await wallet.send({ to: route.tx.to, data: route.tx.data, value: 0n, gas: gasLimit(route) }))
  expect((await stage.balance(dst, wallet.address)) - before).toBe(BigInt(route.toAmount))
})

test('a declined signature is not replaced by an approval', async () => {
  const { sent, wallet } = walletOf(1, 4001)
  await expect(swap(stage.client, wallet, CHAIN, wanted(), stage)).rejects.toMatchObject({ code: 'REJECTED' })
  expect(sent).toEqual([])
})

test('if the owner has approved Permit2, a token without a permit is swapped in one transaction with a signature', async () => {
  const { sent, wallet } = walletOf(2)
  const [src, dst] = [stage.token('DAI'), stage.token('USDC')]
  const amount = 10n ** 19n
  await wallet.succeeded(
    await wallet.send({ to: src, data: encodeCall(selectors.approve, PERMIT2, 2n ** 256n - 1n), value: 0n }),
  )
  for (const options of [{}, { minToAmount: 1n }, { direct: true }]) {
    sent.length = 0
    const before = await stage.balance(dst, wallet.address)
    const { route } = await swap(stage.client, wallet, CHAIN, { src, dst, amount }, { ...stage, ...options })
    expect(sent).toHaveLength(1)
    expect(explain({ ...route.tx, data: sent[0]!.data })).toMatchObject({ permit: { kind: 'permit2', amount } })
    expect((await stage.balance(dst, wallet.address)) - before).toBe(BigInt(route.toAmount))
  }
  expect(await allowanceOf(wallet, src, stage.guard)).toBe(0n)
  const remaining = await wallet.call(PERMIT2, encodeCall(selectors.permit2Allowance, wallet.address, src, stage.guard))
  // The remaining amount is zero, because the swap draws the whole signed amount.
  expect(BigInt(remaining.slice(0, 66))).toBe(0n)
})

test('verify requires exactly the signed permit, in both modes', async () => {
  const { wallet } = walletOf(2)
  const request = { src: stage.token('DAI'), dst: stage.token('USDC'), amount: 10n ** 18n, from: wallet.address }
  const route = await stage.client.getSwap(CHAIN, request)
  const missing = { token: request.src, spender: stage.guard, amount: request.amount }
  const permit = (await signPermit(wallet, CHAIN, missing, explain(route.tx).deadline))!
  const signed = { ...route, tx: withPermit(route.tx, permit) }
  expect(verify(CHAIN, signed, request, { ...stage, permit }).permit).toEqual({
    ...{ kind: 'permit2', amount: request.amount, deadline: permit.deadline },
  })
  const refuses = (of: typeof route, terms: object, message: RegExp) =>
    expect(() => verify(CHAIN, of, request, { ...stage, ...terms })).toThrow(message)
  refuses(signed, {}, /not asked for/)
  refuses(route, { permit }, /signature is missing/)
  for (const change of [
    { kind: 'eip2612', nonce: 0n },
    { kind: 'dai', amount: 0n },
    { amount: permit.amount + 1n },
    { nonce: permit.nonce + 1n },
    { deadline: permit.deadline + 1n },
    { signature: `0x${'1b'.repeat(65)}` },
  ] as const) {
    const other = { ...permit, ...change }
    refuses({ ...route, tx: withPermit(route.tx, other) }, { permit }, /signature/)
  }
  const order = decodeSwap(route.tx.data, 0n)
  const direct = {
    ...route.tx,
    data: encodePermitSwap({ ...order, recipient: request.from as Hex, direct: true }, permit),
  }
  refuses({ ...route, tx: direct }, { permit }, /direct mode/)
  expect(verify(CHAIN, { ...route, tx: direct }, request, { ...stage, permit, direct: true }).mode).toBe('direct')
})

test('a signature in the transaction of a service is refused', async () => {
  const request = { ...wanted(), from: stage.devnet.info.accounts[0]!.address }
  const route = await stage.client.getSwap(CHAIN, request)
  const permit = { kind: 'eip2612', amount: 1n, nonce: 0n, deadline: 1n, signature: `0x${'1b'.repeat(65)}` } as const
  const { data } = withPermit(route.tx, permit)
  expect(() => verify(CHAIN, { ...route, tx: { ...route.tx, data } }, request, stage)).toThrow(/a signature/)
})

test('swaps with permits are encoded and decoded like the bindings, and no other bytes are accepted', () => {
  const hex = (length: number) =>
    fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`)
  const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  const order = fc.record({
    ...{
      tokenIn: hex(20),
      tokenOut: hex(20),
      executor: hex(20),
      wrapper: hex(20),
      feeRecipient: hex(20),
      recipient: hex(20),
    },
    ...{ amountIn: uint, minOutput: uint, deadline: uint, direct: fc.boolean() },
    feePpm: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
    program: fc.nat(100).chain(hex),
  })
  const kinds = fc.constantFrom('eip2612', 'dai', 'permit2')
  const small = fc.bigInt({ min: 0n, max: 2n ** 48n - 1n })
  const change = fc.tuple(fc.nat(), fc.nat(2), fc.nat(255))
  fc.assert(
    fc.property(order, kinds, small, hex(64), change, (of, kind, amount, rs, [at, how, byte]) => {
      const zero = `0x${'00'.repeat(20)}` as const
      const none = { wrapper: zero, feePpm: 0n, feeRecipient: zero }
      // A wrapper is valid only with native output.
      const swap = { ...of, ...(of.direct ? none : amount % 2n === 0n ? { wrapper: zero } : { tokenOut: zero }) }
      const nonce = kind === 'eip2612' ? 0n : 7n
      const limit = kind === 'dai' ? 0n : amount
      const permit = { kind, amount: limit, nonce, deadline: amount, signature: `${rs}1b` as const } as const
      const data = encodePermitSwap(swap, permit)
      expect(decodeSwap(data, 0n)).toEqual({ ...swap, permit })
      for (const paid of [
        { feePpm: 0n },
        { feeRecipient: zero },
        { wrapper: of.executor, tokenOut: of.executor },
        { recipient: zero },
      ])
        if (!of.direct)
          expect(
            () => decodeSwap(encodePermitSwap({ ...swap, ...paid }, permit), 0n),
            Object.keys(paid).join(),
          ).toThrow()
      // Compare only by decoding: encoding with the bindings rejects a random signature with an s in the upper half.
      expect(decodeGuardSwap(data, 0n)).toMatchObject({
        ...swap,
        permit: { kind, ...(kind !== 'dai' && { amount }), signature: permit.signature },
      })
      const bytes = [...Buffer.from(data.slice(2), 'hex')]
      bytes.splice(at % (bytes.length + 1), how === 1 ? 0 : 1, ...(how === 2 ? [] : [byte]))
      const near = `0x${Buffer.from(bytes).toString('hex')}` as const
      let decoded: ReturnType<typeof decodeSwap>
      try {
        decoded = decodeSwap(near, 0n)
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNSAFE' })
        return
      }
      expect(
        decoded.permit
          ? encodePermitSwap(decoded as AddressedOrder, decoded.permit)
          : encodeGuardSwap({ ...decoded, value: 0n }),
      ).toBe(near)
    }),
  )
})
