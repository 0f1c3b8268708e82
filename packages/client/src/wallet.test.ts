/** Tests the calls of the wallet adapters and the checks of a wallet's responses, without a node. */
import { BrowserProvider, JsonRpcSigner } from 'ethers'
import { createPublicClient, custom } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { MemoryNode, word } from '../test/memory-node.ts'
import { at } from '../test/routes.ts'
import { checkedWallet } from './checked-wallet.ts'
import { type EthersSigner, fromEip1193, fromEthers, fromViem, type Outgoing, privately } from './index.ts'
import { keccak256 } from './keccak.ts'
import { waitForReceipt } from './receipt.ts'
import type { TypedData } from './typed-data.ts'

const address = at('55')
const transaction: Outgoing = { to: at('66'), data: '0x1234', value: 255n, gas: 21_000n, chainId: 1 }
const minimalTransaction: Outgoing = { to: at('66'), data: '0x1234', value: 255n }

describe('an EIP-1193 provider', () => {
  test('is asked in its own format', async () => {
    const node = new MemoryNode(address)
    await node.wallet.send(transaction)
    await node.wallet.send(minimalTransaction)
    const common = { from: address, to: at('66'), data: '0x1234', value: '0xff' }
    expect(node.sent).toEqual([{ ...common, gas: '0x5208', chainId: '0x1' }, common])
    node.answers.set('eth_call', (params) => params)
    expect(await node.wallet.call(at('66'), '0x12')).toEqual([
      { from: address, to: at('66'), data: '0x12', value: '0x0' },
      'latest',
    ])
    expect(await node.wallet.call(at('66'), '0x12', 7n)).toMatchObject([{ value: '0x7' }, 'latest'])
    expect([await node.wallet.chainId(), await node.wallet.blockNumber()]).toEqual([1, 100])
    expect(await node.wallet.estimateGas!(minimalTransaction)).toBe(100_000n)
  })

  test('has receipts with the hash of the mined transaction', async () => {
    const node = new MemoryNode(address)
    for (const [status, succeeded] of [
      ['0x1', true],
      [1, true],
      ['0x0', false],
      [undefined, false],
    ] as const) {
      node.answers.set('eth_getTransactionReceipt', () => ({ status, transactionHash: word(8) }))
      expect(await node.wallet.receipt!(word(7))).toEqual({ hash: word(8), succeeded })
      expect(await node.wallet.succeeded(word(7))).toBe(succeeded)
    }
    node.answers.set('eth_getTransactionReceipt', () => ({ status: '0x1' }))
    expect(await node.wallet.receipt!(word(7))).toEqual({ hash: word(7), succeeded: true })
    node.answers.set('eth_getTransactionReceipt', () => null)
    expect(await node.wallet.receipt!(word(7))).toBeUndefined()
  })

  test('is polled for a receipt until five minutes have passed', async () => {
    vi.useFakeTimers()
    try {
      const node = new MemoryNode(address)
      let polls = 0
      node.answers.set('eth_getTransactionReceipt', () => (++polls === 3 ? { status: '0x1' } : null))
      const waiting = node.wallet.succeeded(word(7))
      await vi.runAllTimersAsync()
      expect([await waiting, polls]).toEqual([true, 3])
      const pendingAssertion = expect(node.wallet.succeeded(word(7))).rejects.toMatchObject({
        code: 'PENDING',
        message: `transaction ${word(7)} was not mined within 300 s`,
        details: { hash: word(7) },
      })
      const from = Date.now()
      await vi.runAllTimersAsync()
      await pendingAssertion
      // The last pause of 500 ms began before the deadline.
      expect(Date.now() - from).toBe(300_250)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a signer of ethers', () => {
  const signerOf = (change: object = {}, provider: object = {}) => {
    const calls: unknown[] = []
    const signer = {
      getAddress: async () => address,
      sendTransaction: async (of: unknown) => ({ hash: word(calls.push(of)) }),
      provider: {
        getNetwork: async () => ({ chainId: 5n }),
        getTransactionReceipt: async () => ({ hash: word(8), status: 1 }),
        call: async (of: unknown) => of,
        ...provider,
      },
      ...change,
    } as unknown as EthersSigner
    return { signer, calls }
  }

  test('gets gas as gasLimit and the chain', async () => {
    const { signer, calls } = signerOf()
    const wallet = await fromEthers(signer)
    expect(await wallet.send(transaction)).toBe(word(1))
    await wallet.send(minimalTransaction)
    const common = { to: at('66'), data: '0x1234', value: 255n }
    expect(calls).toEqual([{ ...common, gasLimit: 21_000n, chainId: 1 }, common])
    expect(await wallet.call(at('66'), '0x12')).toEqual({ from: address, to: at('66'), data: '0x12', value: 0n })
    expect([await wallet.chainId(), wallet.request, wallet.sign, wallet.estimateGas]).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('reads receipts of ethers 5 and 6', async () => {
    for (const [receipt, expected] of [
      [
        { hash: word(8), status: 1 },
        { hash: word(8), succeeded: true },
      ],
      [
        { transactionHash: word(8), status: 0 },
        { hash: word(8), succeeded: false },
      ],
      [{ status: 1 }, { hash: word(7), succeeded: true }],
      [null, undefined],
    ] as const) {
      const wallet = await fromEthers(signerOf({}, { getTransactionReceipt: async () => receipt }).signer)
      expect(await wallet.receipt!(word(7))).toEqual(expected)
    }
  })

  test('reads the chain from the node, signs typed data without the domain type, and signs whole transactions', async () => {
    const typedData = {
      domain: { name: 'x' },
      types: { EIP712Domain: [], Permit: [] },
      message: { a: '1' },
    } as unknown as TypedData
    const gasCalls: unknown[] = []
    const { signer } = signerOf(
      {
        _signTypedData: async (...of: unknown[]) => of,
        populateTransaction: async (of: object) => ({ ...of, nonce: 3 }),
        signTransaction: async (of: unknown) => of,
      },
      {
        send: async (method: string) => (method === 'eth_chainId' ? '0x2' : method),
        estimateGas: async (call: unknown) => {
          gasCalls.push(call)
          return { toString: () => '9' }
        },
      },
    )
    const wallet = await fromEthers(signer)
    expect([
      await wallet.chainId(),
      await wallet.request!('x', []),
      await wallet.estimateGas!(minimalTransaction),
    ]).toEqual([2, 'x', 9n])
    expect(gasCalls).toEqual([{ from: address, ...minimalTransaction }])
    expect(await wallet.signTypedData!(typedData)).toEqual([{ name: 'x' }, { Permit: [] }, { a: '1' }])
    expect(await wallet.sign!(transaction)).toEqual({
      to: at('66'),
      data: '0x1234',
      value: 255n,
      gasLimit: 21_000n,
      chainId: 1,
      nonce: 3,
    })
  })

  test('of a wallet that returns a hash which no node knows does not wait for that transaction', async () => {
    const node = new MemoryNode(address)
    node.answers.set('eth_sendTransaction', () => word(7))
    node.answers.set('eth_getTransactionByHash', () => null)
    const request = ({ method, params = [] }: { method: string; params?: unknown }) =>
      node.wallet.request!(method, params as readonly unknown[])
    const provider = new BrowserProvider({ request }, 1)
    const wallet = await fromEthers(new JsonRpcSigner(provider, address))
    expect(await wallet.send(transaction)).toBe(word(7))
    expect(node.methods()).not.toContain('eth_getTransactionByHash')
    provider.destroy()
  })

  test('needs a provider', () =>
    expect(fromEthers(signerOf({ provider: null }).signer)).rejects.toMatchObject({ code: 'WALLET' }))
})

describe('the clients of viem', () => {
  const account = { address }
  const clients = (wallet: object = {}, node: object = {}) =>
    fromViem(
      { account, chain: { id: 1 }, sendTransaction: async (of: unknown) => of, ...wallet } as never,
      { getBlockNumber: async () => 7n, getCode: async () => undefined, call: async () => ({}), ...node } as never,
    )

  test('get gas, and the chain of the transaction', async () => {
    const common = { account, to: at('66'), data: '0x1234', value: 255n }
    expect(await clients().send(transaction)).toEqual({ ...common, chain: { id: 1 }, gas: 21_000n, chainId: 1 })
    expect(await clients().send({ ...transaction, chainId: 10 })).toMatchObject({
      chain: { id: 10, name: 'chain 10' },
      chainId: 10,
    })
    expect(await clients().send(minimalTransaction)).toEqual({ ...common, chain: { id: 1 } })
    expect(await clients({ chain: undefined }).send(minimalTransaction)).toEqual({ ...common, chain: null })
  })

  test('return 0x for no code and no data', async () => {
    const wallet = clients()
    expect([await wallet.blockNumber(), await wallet.code(address), await wallet.call(address, '0x')]).toEqual([
      7,
      '0x',
      '0x',
    ])
    const node = {
      getCode: async () => '0x60',
      call: async (of: object) => ({ data: of }),
      estimateGas: async (of: object) => of,
    }
    const walletWithNode = clients({}, node)
    expect(await walletWithNode.code(address)).toBe('0x60')
    expect(await walletWithNode.call(at('66'), '0x12')).toEqual({
      account: address,
      to: at('66'),
      data: '0x12',
      value: 0n,
    })
    expect(await walletWithNode.estimateGas!(transaction)).toEqual({
      account: address,
      to: at('66'),
      data: '0x1234',
      value: 255n,
    })
  })

  test('read the block number again each time', async () => {
    const node = new MemoryNode(address)
    const publicClient = createPublicClient({
      transport: custom({ request: ({ method, params }) => node.wallet.request!(method, params ?? []) }),
    })
    const wallet = fromViem({ account, sendTransaction: async () => '0x' } as never, publicClient as never)
    expect(await wallet.blockNumber()).toBe(100)
    node.block = 104
    expect(await wallet.blockNumber()).toBe(104)
  })

  test('send the methods of the wallet to the wallet, and the others to the node', async () => {
    const request = (target: string) => ({ request: async ({ method }: { method: string }) => `${target} ${method}` })
    const wallet = clients(request('wallet'), request('node'))
    for (const method of [
      'wallet_sendCalls',
      'eth_signTypedData_v4',
      'personal_sign',
      'eth_sendTransaction',
      'eth_sendCalls',
    ])
      expect(await wallet.request!(method, [])).toBe(`wallet ${method}`)
    for (const method of ['eth_call', 'eth_getLogs', 'eth_sendRawTransaction'])
      expect(await wallet.request!(method, [])).toBe(`node ${method}`)
    expect(clients().request).toBeUndefined()
  })

  test('sign decimal text as numbers', async () => {
    const wallet = clients({ signTypedData: async (of: unknown) => of })
    const message = { details: { amount: '12', token: at('66') }, deadline: '7', allowed: true, text: '7x' }
    const typedData = { domain: {}, types: {}, primaryType: 'P', message } as unknown as TypedData
    expect(await wallet.signTypedData!(typedData)).toMatchObject({
      message: { details: { amount: 12n, token: at('66') }, deadline: 7n, allowed: true, text: '7x' },
    })
  })

  test('report the outcome, and need an account', async () => {
    for (const status of ['success', 'reverted'])
      expect(await clients({}, { waitForTransactionReceipt: async () => ({ status }) }).succeeded(word(1))).toBe(
        status === 'success',
      )
    expect(() => clients({ account: undefined })).toThrow('the wallet client has no account')
  })
})

describe('a checked wallet', () => {
  const walletAnswering = (method: string, answer: unknown) => {
    const node = new MemoryNode(address)
    node.answers.set(method, () => answer)
    return checkedWallet(node.wallet, 1)
  }
  const expectWalletError = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: 'WALLET' })

  test('refuses responses of another type or size', async () => {
    for (const answer of ['0xzz', '-0x1', '-1', '0x20000000000000'])
      await expectWalletError(walletAnswering('eth_blockNumber', answer).blockNumber())
    for (const answer of [null, 7, 'abc', '0xg', `0x${'0'.repeat(4 * 1024 * 1024)}`]) {
      await expectWalletError(walletAnswering('eth_call', answer).call(address, '0x'))
      await expectWalletError(walletAnswering('eth_getCode', answer).code(address))
    }
    for (const answer of [null, '', 7, 'x'.repeat(4_097)])
      await expectWalletError(walletAnswering('eth_sendTransaction', answer).send(minimalTransaction))
    for (const answer of ['0x0', 'x'])
      await expectWalletError(walletAnswering('eth_estimateGas', answer).estimateGas!(minimalTransaction))
    await expectWalletError(
      walletAnswering('eth_getTransactionReceipt', { status: '0x1', transactionHash: '' }).receipt!(word(1)),
    )
    expect(await walletAnswering('eth_sendTransaction', 'x'.repeat(4_096)).send(minimalTransaction)).toHaveLength(4_096)
  })

  test('sends and signs on its chain only, and names the chain in the transaction', async () => {
    const node = new MemoryNode(address)
    await checkedWallet(node.wallet, 1).send(minimalTransaction)
    expect(node.sent[0]).toMatchObject({ chainId: '0x1' })
    node.chain = 2
    const walletOnChain1 = checkedWallet(node.wallet, 1)
    await expect(walletOnChain1.send(minimalTransaction)).rejects.toThrow('the wallet is on chain 2, not 1')
    await expect(walletOnChain1.signTypedData!({} as never)).rejects.toThrow('the wallet is on chain 2, not 1')
    expect([node.sent.length, node.methods().includes('eth_signTypedData_v4')]).toEqual([1, false])
  })
})

describe('a private wallet', () => {
  const wallet = (bodies: unknown[], answer: object) =>
    privately({ ...new MemoryNode(address).wallet, sign: async () => '0x02ab' }, 'https://rpc.example', {
      fetch: async (_, init) => {
        bodies.push(JSON.parse(String(init!.body)))
        return Response.json(answer)
      },
    })

  test('sends the signed transaction only to its RPC', async () => {
    const bodies: unknown[] = []
    expect(await wallet(bodies, { result: word(3) }).send(minimalTransaction)).toBe(word(3))
    expect(bodies).toEqual([{ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: ['0x02ab'] }])
    await expect(wallet([], { error: { message: 'too low' } }).send(minimalTransaction)).rejects.toThrow(
      'refused the transaction: too low',
    )
  })

  test('may have sent a transaction if the answer of its RPC is unknown', async () => {
    const sendTo = (answer: () => Response) =>
      privately({ ...new MemoryNode(address).wallet, sign: async () => '0x02ab' }, 'https://rpc.example', {
        fetch: async () => answer(),
      }).send(minimalTransaction)
    const failing = () => {
      throw new TypeError('reset')
    }
    for (const answer of [failing, () => new Response('', { status: 504 }), () => new Response('no JSON')])
      await expect(sendTo(answer)).rejects.toMatchObject({
        ...{ code: 'PENDING', retryable: false, details: { hash: keccak256('0x02ab') } },
      })
    await expect(sendTo(() => new Response('', { status: 403 }))).rejects.toMatchObject({ code: 'HTTP' })
    const nowhere = privately({ ...new MemoryNode(address).wallet, sign: async () => '0x02ab' }, 'no URL')
    await expect(nowhere.send(minimalTransaction)).rejects.toMatchObject({ code: 'INVALID' })
  })

  test('sends only once, because nodes refuse a second attempt as already known', async () => {
    let attempts = 0
    const fetch = async () => {
      attempts++
      return new Response('', { status: 503 })
    }
    const signing = { ...new MemoryNode(address).wallet, sign: async () => '0x02ab' as const }
    await expect(privately(signing, 'https://rpc.example', { fetch }).send(minimalTransaction)).rejects.toThrow()
    expect(attempts).toBe(1)
  })

  test('refuses methods that would send by another way', async () => {
    const wallet1 = wallet([], {})
    for (const method of ['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendRawTransaction'])
      await expect(wallet1.request!(method, [])).rejects.toMatchObject({ code: 'WALLET' })
    expect(await wallet1.request!('eth_blockNumber', [])).toBe('0x64')
    expect(() => privately(new MemoryNode(address).wallet, 'https://rpc.example')).toThrow('signs nothing')
  })
})

describe('the outcome of a hash', () => {
  const SUCCESS = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e'
  const FAILURE = '0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23'
  const OPERATION = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'
  /** Entry points 0.6, 0.7 and 0.8 of ERC-4337, the same on every chain. */
  const entryPoints = [
    '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  ]
  const nodeWithLog = (log: object, isSafe: boolean) => {
    const node = new MemoryNode(address)
    node.answers.set('eth_getTransactionReceipt', () => null)
    node.answers.set('eth_getLogs', ([filter]) =>
      ((filter as { address: unknown }).address === address) === isSafe ? [{ transactionHash: word(9), ...log }] : [],
    )
    return node
  }

  test('of a Safe is in its event, by topic or data', async () => {
    for (const [topic, succeeded] of [
      [SUCCESS, true],
      [FAILURE, false],
    ] as const) {
      for (const log of [{ topics: [topic, word(7)] }, { topics: [topic], data: `${word(7)}${'0'.repeat(64)}` }])
        expect(await waitForReceipt(nodeWithLog(log, true).wallet, word(7), 90)).toEqual({ hash: word(9), succeeded })
    }
  })

  test('of a user operation is in the event of an entry point', async () => {
    for (const succeeded of [true, false]) {
      const data = `${word(4)}${word(succeeded ? 1 : 0).slice(2)}${word(1).slice(2)}`
      const node = nodeWithLog({ topics: [OPERATION, word(7)], data }, false)
      expect(await waitForReceipt(node.wallet, word(7), 90)).toEqual({ hash: word(9), succeeded })
      const filters = node.requests.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0])
      expect(filters).toMatchObject([
        { fromBlock: '0x5a', toBlock: 'latest', address, topics: [[SUCCESS, FAILURE]] },
        { fromBlock: '0x5a', toBlock: 'latest', address: entryPoints, topics: [OPERATION, word(7)] },
      ])
    }
  })

  test('is PENDING without an event of this hash, after twenty failures, and after an abort', async () => {
    vi.useFakeTimers()
    try {
      const pending = async (node: MemoryNode, polls: number, signal?: AbortSignal) => {
        const waiting = expect(waitForReceipt(node.wallet, word(7), 90, signal)).rejects.toMatchObject({
          code: 'PENDING',
          details: { hash: word(7) },
        })
        await vi.runAllTimersAsync()
        await waiting
        expect(node.methods().filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(polls)
      }
      await pending(nodeWithLog({ topics: [SUCCESS, word(8)] }, true), 603)
      const failing = new MemoryNode(address)
      failing.answers.set('eth_getTransactionReceipt', () => {
        throw new Error('down')
      })
      await pending(failing, 20)
      await pending(nodeWithLog({}, true), 0, AbortSignal.abort())
    } finally {
      vi.useRealTimers()
    }
  })
})

test('fromEip1193 signs typed data as JSON', async () => {
  const wallet = fromEip1193({ request: async ({ params }: { params: unknown }) => params }, address)
  expect(await wallet.signTypedData!({ a: 1 } as never)).toEqual([address, '{"a":1}'])
})

test('requests go to the wallet only if their names begin with its methods', async () => {
  const wallet = fromViem(
    { account: { address }, request: async () => 'wallet', sendTransaction: async () => '0x' } as never,
    { request: async () => 'node' } as never,
  )
  const targetOf = (method: string) => wallet.request!(method, [])
  const ofWallet = ['wallet_sendCalls', 'eth_signTypedData_v4', 'personal_sign', 'eth_sendTransaction', 'eth_sendCalls']
  for (const method of ofWallet) expect([method, await targetOf(method)]).toEqual([method, 'wallet'])
  const ofNode = ['eth_call', 'eth_sendRawTransaction', 'debug_wallet_state', 'x_eth_sign', 'txpool_personal_']
  for (const method of ofNode) expect([method, await targetOf(method)]).toEqual([method, 'node'])
})

test('a chain id and a block number of zero are valid, and negative or broken ones are not', async () => {
  const answering = (value: number) =>
    checkedWallet({ ...new MemoryNode(address).wallet, chainId: async () => value, blockNumber: async () => value }, 0)
  expect([await answering(0).chainId(), await answering(0).blockNumber()]).toEqual([0, 0])
  for (const value of [-1, 0.5, Number.NaN, 2 ** 53]) {
    await expect(answering(value).chainId()).rejects.toMatchObject({ code: 'WALLET' })
    await expect(answering(value).blockNumber()).rejects.toMatchObject({ code: 'WALLET' })
  }
})

test('a private wallet estimates gas and reads receipts as the wallet does, if it can', async () => {
  const node = new MemoryNode(address)
  const whole = privately({ ...node.wallet, sign: async () => '0x02ab' }, 'https://rpc.example')
  expect(await whole.estimateGas!(minimalTransaction)).toBe(100_000n)
  expect(await whole.receipt!(word(7))).toEqual(await node.wallet.receipt!(word(7)))
  const { estimateGas: _, receipt: __, signTypedData: ___, request: ____, ...small } = node.wallet
  expect(Object.keys(privately({ ...small, sign: async () => '0x02ab' }, 'https://rpc.example')).toSorted()).toEqual(
    ['address', 'blockNumber', 'call', 'chainId', 'code', 'send', 'succeeded'].toSorted(),
  )
})

test('a private wallet reads by the wallet that it wraps', async () => {
  const node = new MemoryNode(address)
  const wallet = privately({ ...node.wallet, sign: async () => '0x' }, 'https://private.example')
  node.answers.set('eth_getCode', (params) => `0x${String((params as readonly string[])[0]).slice(2, 6)}`)
  node.answers.set('eth_call', () => '0x1234')
  node.answers.set('eth_getTransactionReceipt', () => ({ status: '0x1', transactionHash: word(8) }))
  expect([await wallet.chainId(), await wallet.blockNumber()]).toEqual([1, 100])
  expect([await wallet.code(at('66')), await wallet.call(at('66'), '0x12')]).toEqual(['0x6666', '0x1234'])
  expect([await wallet.succeeded(word(7)), await wallet.receipt!(word(7))]).toEqual([
    ...[true, { hash: word(8), succeeded: true }],
  ])
  expect(await wallet.estimateGas!(minimalTransaction)).toBe(100_000n)
  for (const method of ['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendRawTransaction'])
    await expect(wallet.request!(method, [])).rejects.toMatchObject({ code: 'WALLET' })
  expect(await wallet.request!('eth_getCode', [at('77')])).toBe('0x7777')
})
