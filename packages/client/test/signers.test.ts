/** Tests every kind of signer with keys that the node does not have, so that the node cannot sign in their place. */
import { compile, request } from '@sluice/devnet'
import {
  BrowserProvider,
  Wallet as EthersWallet,
  getBytes,
  hexlify,
  Interface,
  JsonRpcProvider,
  randomBytes,
} from 'ethers'
import { Wallet as Ethers5Wallet, providers } from 'ethers5'
import { createPublicClient, createWalletClient, custom, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowanceOf } from '../src/approve.ts'
import {
  explain,
  fromEip1193,
  fromEthers,
  fromViem,
  NATIVE,
  type Outgoing,
  resumeSwap,
  type SwapProgress,
  type SwapState,
  swap,
  type Wallet,
} from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'
import { smartAccount } from './smart-account.ts'

const { StaticJsonRpcProvider, Web3Provider } = providers

type Hex = `0x${string}`
const erc20 = new Interface(['function mint(address to, uint256 amount)'])
/** Sources of contract accounts, and of a minimal ERC-4337 entry point that emits its event. */
const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Account {
    event ExecutionSuccess(bytes32 indexed txHash, uint256 payment);
    event ExecutionFailure(bytes32 indexed txHash, uint256 payment);
    receive() external payable {}
    function run(address to, uint256 value, bytes calldata data) public returns (bool ok) { (ok, ) = to.call{value: value}(data); }
    function execTransaction(address to, uint256 value, bytes calldata data, bytes32 hash) external {
        if (run(to, value, data)) emit ExecutionSuccess(hash, 0);
        else emit ExecutionFailure(hash, 0);
    }
}
contract EntryPoint {
    event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed);
    function handle(Account account, address to, uint256 value, bytes calldata data, bytes32 hash) external {
        bool ok = account.run(to, value, data);
        emit UserOperationEvent(hash, address(account), address(0), 0, ok, 0, 0);
    }
}`
const account = new Interface(['function execTransaction(address to, uint256 value, bytes data, bytes32 hash)'])
const entryPoint = new Interface([
  'function handle(address account, address to, uint256 value, bytes data, bytes32 hash)',
])
const ENTRY_POINT_7 = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'

let stage: Stage
let codes: ReturnType<typeof compile>
const stops: (() => void)[] = []
beforeAll(async () => {
  stage = await startStage()
  codes = compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: [] },
    sources: { 'Account.sol': source },
  })
})
afterAll(async () => {
  for (const stop of stops) stop()
  await stage?.stop()
})

const rpc = <T>(method: string, ...params: readonly unknown[]) => request<T>(stage.devnet.url, method, params)
const relay = () =>
  fromEip1193(
    { request: ({ method, params }) => rpc(method, ...(params ?? [])) },
    stage.devnet.info.accounts[9]!.address,
  )
async function send(to: string, data: string): Promise<void> {
  const transaction = { from: relay().address, to, data, gas: '0x4c4b40' }
  const { status } = await rpc<{ status: string }>('eth_sendTransactionSync', transaction)
  expect(status).toBe('0x1')
}
const fund = async (address: string) => {
  await rpc('anvil_setBalance', address, `0x${(10n ** 20n).toString(16)}`)
  for (const symbol of ['LINK', 'AAVE', 'DAI', 'UNI'])
    await send(stage.token(symbol), erc20.encodeFunctionData('mint', [address, 10n ** 21n]))
}
/** Creates a funded key that no node has. */
async function newKey(): Promise<Hex> {
  const key = hexlify(randomBytes(32)) as Hex
  await fund(new EthersWallet(key).address)
  return key
}
/** Creates a browser wallet that signs with its own key and forwards other methods to the node. */
function keeper(key: Hex) {
  const node = new JsonRpcProvider(stage.devnet.url, CHAIN, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 50,
  })
  stops.push(() => node.destroy())
  const owner = new EthersWallet(key, node)
  return {
    address: owner.address,
    provider: {
      async request({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
        if (method === 'eth_accounts' || method === 'eth_requestAccounts') return [owner.address]
        if (method === 'eth_signTypedData_v4') {
          const { domain, types, message } = JSON.parse(params[1] as string)
          const { EIP712Domain, ...rest } = types
          return owner.signTypedData(domain, rest, message)
        }
        if (method === 'eth_sendTransaction') {
          const { gas, from, ...sent } = params[0] as Record<string, string>
          return (await owner.sendTransaction({ ...sent, ...(gas && { gasLimit: gas }) })).hash
        }
        return rpc(method, ...params)
      },
    },
  }
}
const chain = () =>
  defineChain({
    id: CHAIN,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [stage.devnet.url] } },
  })
const publicClient = () =>
  createPublicClient({ chain: chain(), transport: http(stage.devnet.url), pollingInterval: 50, cacheTime: 0 })

const makers: Record<string, () => Promise<Wallet>> = {
  'viem with a local account': async () => {
    const transport = http(stage.devnet.url)
    return fromViem(
      createWalletClient({ account: privateKeyToAccount(await newKey()), chain: chain(), transport }),
      publicClient(),
    )
  },
  'viem with a JSON-RPC account': async () => {
    const { address, provider } = keeper(await newKey())
    const transport = custom(provider)
    return fromViem(createWalletClient({ account: address as Hex, chain: chain(), transport }), publicClient())
  },
  'viem without a chain': async () => {
    const transport = http(stage.devnet.url)
    return fromViem(createWalletClient({ account: privateKeyToAccount(await newKey()), transport }), publicClient())
  },
  'an ethers wallet': async () => {
    const provider = new JsonRpcProvider(stage.devnet.url, CHAIN, {
      staticNetwork: true,
      cacheTimeout: -1,
      pollingInterval: 50,
    })
    stops.push(() => provider.destroy())
    return fromEthers(new EthersWallet(await newKey(), provider))
  },
  'a wallet of ethers 5': async () => {
    const provider = new StaticJsonRpcProvider(stage.devnet.url, CHAIN)
    provider.pollingInterval = 50
    return fromEthers(new Ethers5Wallet(await newKey(), provider))
  },
  'a signer of ethers 5 of a browser wallet': async () => {
    const provider = new Web3Provider(keeper(await newKey()).provider, CHAIN)
    provider.pollingInterval = 50
    return fromEthers(provider.getSigner())
  },
  'an ethers signer of a browser wallet': async () => {
    const browser = new BrowserProvider(keeper(await newKey()).provider, CHAIN, {
      cacheTimeout: -1,
      pollingInterval: 50,
    })
    stops.push(() => browser.destroy())
    return fromEthers(await browser.getSigner())
  },
  'EIP-1193': async () => {
    const { address, provider } = keeper(await newKey())
    return fromEip1193(provider, address)
  },
  'an account with code by EIP-7702': async () => {
    const { address, provider } = keeper(await newKey())
    const wallet = relay()
    const hash = await wallet.send({
      to: undefined as unknown as string,
      data: codes.Account!.bytecode as Hex,
      value: 0n,
    })
    await wallet.succeeded(hash)
    const { contractAddress } = await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
    await rpc('anvil_setCode', address, `0xef0100${contractAddress.slice(2)}`)
    return fromEip1193(provider, address)
  },
}

/** Records the transactions that a wallet sends. */
function watched(wallet: Wallet): { sent: Outgoing[]; wallet: Wallet } {
  const sent: Outgoing[] = []
  const send = (transaction: Outgoing) => {
    sent.push(transaction)
    return wallet.send(transaction)
  }
  return { sent, wallet: { ...wallet, send } }
}

/** Kinds of signers of the daily profile: one for each library. */
const DAILY = ['viem with a local account', 'an ethers wallet', 'a wallet of ethers 5', 'EIP-1193']

function signerTests(kind: string): void {
  let sent: Outgoing[]
  let wallet: Wallet
  beforeAll(async () => {
    ;({ sent, wallet } = watched(await makers[kind]!()))
  })

  test('the node does not know its key', async () => {
    expect((await rpc<string[]>('eth_accounts')).map((one) => one.toLowerCase())).not.toContain(
      wallet.address.toLowerCase(),
    )
  })

  // One kind signs and trades all in the daily profile.
  const tags = kind === 'EIP-1193' ? [] : ['long']

  // The signature has the same form for both tokens of EIP-2612, so one kind of signer signs for the second one.
  async function expectSigned(
    symbol: string,
    form: 'eip2612' | 'dai',
    options: { readonly unlimitedPermits?: boolean },
  ): Promise<void> {
    sent.length = 0
    const [src, dst] = [stage.token(symbol), stage.token('WETH')]
    const before = await stage.balance(dst, wallet.address)
    const stages: string[] = []
    const onProgress = ({ stage }: SwapProgress) => stages.push(stage)
    const request = { src, dst, amount: 10n ** 19n }
    const { route } = await swap(stage.client, wallet, CHAIN, request, { ...stage, ...options, onProgress })
    expect(sent).toHaveLength(1)
    expect(explain({ ...route.tx, data: sent[0]!.data }).permit?.kind).toBe(form)
    expect((await stage.balance(dst, wallet.address)) - before).toBe(BigInt(route.toAmount))
    expect(await allowanceOf(wallet, src, stage.guard)).toBe(form === 'dai' ? 2n ** 256n - 1n : 0n)
    expect(stages).toEqual(['quoted', 'prompted', 'permit-signed', 'signing', 'prompted', 'sent', 'done'])
  }
  test.each([['LINK', 'eip2612', {}]] as const)('a signature for %s comes with the swap', expectSigned)
  test.each([
    ...(kind === 'EIP-1193' ? ([['AAVE', 'eip2612', {}]] as const) : []),
    ['DAI', 'dai', { unlimitedPermits: true }],
  ] as const)('a signature for %s comes with the swap', { tags }, expectSigned)

  test('a token without a permit is approved, for an exact output too', async () => {
    sent.length = 0
    const [src, dst] = [stage.token('UNI'), stage.token('WETH')]
    const before = [await stage.balance(src, wallet.address), await stage.balance(dst, wallet.address)] as const
    const amountOut = 10n ** 15n
    const { route } = await swap(stage.client, wallet, CHAIN, { src, dst, amountOut }, stage)
    expect(sent).toHaveLength(2)
    expect(before[0] - (await stage.balance(src, wallet.address))).toBe(BigInt(route.fromAmount))
    expect((await stage.balance(dst, wallet.address)) - before[1]).toBeGreaterThanOrEqual(amountOut)
    expect(explain(route.tx).minOutput).toBe(amountOut)
    await expect(
      swap(
        stage.client,
        wallet,
        CHAIN,
        { src, dst, amountOut },
        { ...stage, maxFromAmount: BigInt(route.fromAmount) / 2n },
      ),
    ).rejects.toMatchObject({ code: 'UNSAFE', message: expect.stringContaining('maxFromAmount') })
  })

  test('the native token can be input and output', { tags }, async () => {
    const dst = stage.token('DAI')
    const before = await stage.balance(dst, wallet.address)
    const { route } = await swap(stage.client, wallet, CHAIN, { src: NATIVE, dst, amount: 10n ** 16n }, stage)
    expect((await stage.balance(dst, wallet.address)) - before).toBe(BigInt(route.toAmount))
  })
}

describe.each(DAILY)('%s', signerTests)
describe.each(Object.keys(makers).filter((kind) => !DAILY.includes(kind)))('%s', { tags: 'long' }, signerTests)

test('without state overrides at the node, a signature suffices, and known pools confirm the amount', async () => {
  const { address, provider } = keeper(await newKey())
  const plain = {
    request: ({ method, params }: { method: string; params?: readonly unknown[] }) =>
      method === 'eth_call' && (params?.length ?? 0) > 2
        ? Promise.reject(new Error('no overrides'))
        : provider.request({ method, ...(params && { params }) }),
  }
  const { sent, wallet } = watched(fromEip1193(plain, address))
  const request = { src: stage.token('LINK'), dst: stage.token('WETH'), amount: 10n ** 18n }
  await swap(stage.client, wallet, CHAIN, request, stage)
  expect(sent).toHaveLength(1)
})

test('approval and swap are one transaction with EIP-5792', async () => {
  const { address, provider, stop, signed } = await (async () => {
    const key = await newKey()
    return { address: new EthersWallet(key).address, ...(await smartAccount(stage.devnet.url, key)) }
  })()
  stops.push(stop)
  const states: SwapProgress[] = []
  const request = { src: stage.token('UNI'), dst: stage.token('WETH'), amount: 10n ** 18n }
  await swap(stage.client, fromEip1193(provider, address), CHAIN, request, {
    ...stage,
    onProgress: (one) => states.push(one),
  })
  expect(signed).toEqual(['wallet_sendCalls'])
  expect(states.map(({ stage }) => stage)).toEqual(['quoted', 'signing', 'prompted', 'batching', 'done'])
})

/** Creates a contract account whose wallet returns the hash of a Safe transaction or user operation, and sends later. */
async function contractWallet(kind: 'Safe' | 'ERC-4337', works = true): Promise<{ sent: string[]; wallet: Wallet }> {
  const deploy = await rpc<string>('eth_sendTransaction', { from: relay().address, data: codes.Account!.bytecode })
  await relay().succeeded(deploy)
  const { contractAddress } = await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', deploy)
  if (kind === 'ERC-4337') {
    const data = codes.EntryPoint!.bytecode
    await rpc('anvil_setCode', ENTRY_POINT_7, await rpc<string>('eth_call', { data }, 'latest'))
  }
  await fund(contractAddress)
  const sent: string[] = []
  const wallet: Wallet = {
    ...fromEip1193({ request: ({ method, params }) => rpc(method, ...(params ?? [])) }, contractAddress),
    async send({ to, data, value }) {
      const hash = hexlify(getBytes(randomBytes(32)))
      sent.push(hash)
      const isLate = sent.length > 1 && !works
      const call = isLate ? '0xdeadbeef' : data
      const [at, how] =
        kind === 'Safe'
          ? [contractAddress, account.encodeFunctionData('execTransaction', [to, value, call, hash])]
          : [ENTRY_POINT_7, entryPoint.encodeFunctionData('handle', [contractAddress, to, value, call, hash])]
      // Simulates owners or a bundler that send the transaction after `send` has returned.
      setTimeout(() => send(at, how).catch(() => undefined), 50)
      return hash
    },
  }
  return { sent, wallet }
}

describe.each(['Safe', 'ERC-4337'] as const)('an account of %s', (kind) => {
  test('approves, waits for its own hash, and swaps', async () => {
    const { sent, wallet } = await contractWallet(kind)
    const [src, dst] = [stage.token('UNI'), stage.token('WETH')]
    const { hash, route } = await swap(stage.client, wallet, CHAIN, { src, dst, amount: 10n ** 18n }, stage)
    expect(sent).toHaveLength(2)
    expect(sent).not.toContain(hash)
    expect(await stage.balance(dst, wallet.address)).toBe(BigInt(route.toAmount))
  })

  test('that fails is REVERTED', { tags: kind === 'Safe' ? [] : ['long'] }, async () => {
    const { wallet } = await contractWallet(kind, false)
    const [src, dst] = [stage.token('UNI'), stage.token('WETH')]
    await expect(swap(stage.client, wallet, CHAIN, { src, dst, amount: 10n ** 18n }, stage)).rejects.toMatchObject({
      code: 'REVERTED',
      details: { hash: expect.stringMatching(/^0x/) },
    })
  })
})

describe('a page that is reloaded', () => {
  const request = () => ({ src: stage.token('UNI'), dst: stage.token('WETH'), amount: 10n ** 18n })

  test('resumes at every stage, and sends nothing twice', async () => {
    const { address, provider } = keeper(await newKey())
    const states: SwapState[] = []
    const onProgress = (progress: SwapProgress) => {
      if ('state' in progress) states.push(JSON.parse(JSON.stringify(progress.state)))
    }
    const whole = await swap(stage.client, fromEip1193(provider, address), CHAIN, request(), { ...stage, onProgress })
    expect(states.map(({ stage }) => stage)).toEqual(['approving', 'approved', 'signing', 'sent', 'done'])
    for (const state of states) {
      const { sent, wallet } = watched(fromEip1193(provider, address))
      const resumed = resumeSwap(stage.client, wallet, state, stage)
      if (state.stage === 'signing') {
        await expect(resumed).rejects.toMatchObject({ code: 'PENDING' })
        expect(sent).toEqual([])
      } else if (state.stage === 'sent' || state.stage === 'done') {
        expect((await resumed).hash).toBe(whole.hash)
        expect(sent).toEqual([])
      } else {
        // The mined swap has used the allowance, so the resumed swap approves again.
        expect((await resumed).hash).not.toBe(whole.hash)
        expect(sent).toHaveLength(2)
      }
    }
  })

  test('is refused with the state of another swap, or without one', async () => {
    const { address, provider } = keeper(await newKey())
    const wallet = fromEip1193(provider, address)
    const state = {
      version: 1,
      chainId: CHAIN,
      from: relay().address,
      request: request(),
      stage: 'sent',
      fromBlock: 0,
    } as const
    await expect(resumeSwap(stage.client, wallet, state, stage)).rejects.toMatchObject({ code: 'WALLET' })
    for (const none of [{}, null, { ...state, version: 2 }, { ...state, from: address, hash: '0x1' }])
      await expect(resumeSwap(stage.client, wallet, none as unknown as SwapState, stage)).rejects.toMatchObject({
        name: 'ClientError',
      })
  })
})
