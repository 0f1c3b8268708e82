/** Tests deployments without a key, to many chains, and despite faults of chains and nodes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDeployment } from '@sluice/chains'
import {
  currentPlan,
  deployContracts,
  deployMany,
  KEYLESS_DEPLOYER,
  resultTable,
  type SafeBatch,
  safeChecksum,
  safeDeployment,
  type unsignedDeployment,
} from '@sluice/contracts'
import { type Anvil, compile, type Interceptor, NodeProxy, request, startAnvil } from '@sluice/devnet'
import { Interface, keccak256, Wallet } from 'ethers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const CHAIN = 424_300
const KEY = `0x${'5a'.repeat(32)}` as const
/** Account without funds on a new chain. */
const POOR = new Wallet(KEY).address
const NO_DEPLOYER = ['--disable-default-create2-deployer']
const TEN_ETHER = '0x8ac7230489e80000'

let dir: string
let running: { stop(): Promise<void> }[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-teams-'))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((service) => service.stop()))
  rmSync(dir, { recursive: true, force: true })
})

async function node(args: readonly string[] = [], chainId = CHAIN): Promise<Anvil> {
  const anvil = await startAnvil({ chainId, args })
  running.push(anvil)
  return anvil
}
async function proxyTo({ url }: Anvil, answer?: Interceptor): Promise<NodeProxy> {
  const proxy = await NodeProxy.start(url, answer)
  running.push(proxy)
  return proxy
}
const deploy = (url: string, overrides: object = {}) =>
  deployContracts({ rpcUrl: url, chainId: CHAIN, deploymentsDir: dir, ...overrides })
const codeOf = (url: string, address: string) => request<string>(url, 'eth_getCode', [address, 'latest'])
const balanceOf = async (url: string, address: string) =>
  BigInt(await request<string>(url, 'eth_getBalance', [address, 'latest']))
const blockOf = async (url: string) => Number(await request<string>(url, 'eth_blockNumber', []))
const accountsOf = (url: string) => request<string[]>(url, 'eth_accounts', [])

async function sendFrom(url: string, from: string, transaction: object) {
  return receiptOf(url, await request<string>(url, 'eth_sendTransaction', [{ from, ...transaction }]))
}

/** Waits for a receipt, since anvil returns the hash before it mines. */
async function receiptOf(url: string, hash: string): Promise<{ status: string; contractAddress: string }> {
  let receipt: { status: string; contractAddress: string } | null = null
  await until(async () => {
    receipt = await request(url, 'eth_getTransactionReceipt', [hash])
    return receipt !== null
  })
  return receipt!
}

/** Polls a condition that another process fulfills. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come about')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function command(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { DEPLOYER_KEY: _, ...outside } = process.env
  const script = join(import.meta.dirname, 'deploy.ts')
  const child = spawn(process.execPath, [script, '--deployments', dir, ...args], { env: { ...outside, ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

async function expectDeployed(url: string): Promise<void> {
  const { guard, executor } = await currentPlan('cancun')
  for (const { address, codeHash } of [guard, executor]) expect(keccak256(await codeOf(url, address))).toBe(codeHash)
}

describe('an unsigned deployment', () => {
  test('printed by the command and replayed by another account gives the frozen Guard, and is recorded without a key', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    const { url } = await node(NO_DEPLOYER)
    const args = ['--chain', String(CHAIN), '--rpc', url]
    const { code, stdout, stderr } = await command([...args, '--unsigned'])
    expect(code, stderr).toBe(0)
    expect(readdirSync(dir)).toEqual([])
    const transactions = JSON.parse(stdout) as Awaited<ReturnType<typeof unsignedDeployment>>
    expect(transactions).toHaveLength(4)
    const other = (await accountsOf(url))[3]!
    for (const transaction of transactions) {
      if ('raw' in transaction) {
        await receiptOf(url, await request(url, 'eth_sendRawTransaction', [transaction.raw]))
        continue
      }
      const { to, value, data, gas, chainId } = transaction
      expect(chainId).toBe(CHAIN)
      const fields = { to, data, value: `0x${BigInt(value).toString(16)}`, gas: `0x${BigInt(gas).toString(16)}` }
      expect((await sendFrom(url, other, fields)).status).toBe('0x1')
    }
    await expectDeployed(url)
    const frozen = JSON.parse(readFileSync(join(root, 'contracts/frozen-guards.json'), 'utf8')).cancun
    const { guard } = await currentPlan('cancun')
    expect({ address: guard.address, initCodeHash: guard.initCodeHash }).toEqual(frozen)
    const created = transactions.flatMap((transaction) =>
      'data' in transaction && transaction.data.length > 2 ? [transaction.data] : [],
    )
    expect(keccak256(`0x${created[0]!.slice(66)}`)).toBe(frozen.initCodeHash)

    expect((await command(args)).code).toBe(0)
    expect(readDeployment(dir, CHAIN)!.guard.block).toBe(3)
    const again = await command([...args, '--unsigned'])
    expect(JSON.parse(again.stdout)).toEqual([])
  })

  test('as a batch for a Safe funds the keyless deployer first, then creates both, executed by a contract', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    const anvil = await node(NO_DEPLOYER)
    const { url } = anvil
    const [owner] = (await accountsOf(url)) as [string]
    const { BatchWallet } = compile({
      compiler: 'solc',
      evmVersion: 'cancun',
      runs: 200,
      packages: [],
      sources: {
        'BatchWallet.sol': `contract BatchWallet {
          receive() external payable {}
          function execute(address[] calldata to, uint256[] calldata value, bytes[] calldata data) external {
            for (uint256 k; k < to.length; ++k) {
              (bool done,) = to[k].call{value: value[k]}(data[k]);
              require(done);
            }
          }
        }`,
      },
    })
    const creation = await request<string>(url, 'eth_sendTransaction', [{ from: owner, data: BatchWallet!.bytecode }])
    const { contractAddress: safe } = await receiptOf(url, creation)
    await request(url, 'anvil_setBalance', [safe, TEN_ETHER])
    const execute = async ({ transactions }: SafeBatch) => {
      const list = transactions.map(({ to, value, data }) => [to, BigInt(value), data] as const)
      const batch = [list.map(([to]) => to), list.map(([, value]) => value), list.map(([, , data]) => data)]
      const abi = new Interface(['function execute(address[], uint256[], bytes[])'])
      expect((await sendFrom(url, owner, { to: safe, data: abi.encodeFunctionData('execute', batch) })).status).toBe(
        '0x1',
      )
    }
    const notes: string[] = []
    const options = { rpcUrl: url, chainId: CHAIN, safe, onProgress: (text: string) => notes.push(text) }

    const funding = (await safeDeployment(options))!
    expect(funding.transactions).toMatchObject([{ value: String(KEYLESS_DEPLOYER.cost), data: '0x' }])
    expect(notes.join()).toContain(KEYLESS_DEPLOYER.transaction)
    await execute(funding)
    await expect(safeDeployment(options)).rejects.toMatchObject({ code: 'KEYLESS_DEPLOYER' })
    await receiptOf(url, await request(url, 'eth_sendRawTransaction', [KEYLESS_DEPLOYER.transaction]))

    const { code, stdout } = await command(['--chain', String(CHAIN), '--rpc', url, '--unsigned', '--safe', safe])
    expect(code).toBe(0)
    const batch = JSON.parse(stdout) as SafeBatch
    const { checksum, ...meta } = batch.meta
    expect(safeChecksum({ ...batch, meta })).toBe(checksum)
    // The importer rejects a batch whose values are not strings.
    expect(batch).toMatchObject({
      version: '1.0',
      chainId: String(CHAIN),
      meta: { createdFromSafeAddress: expect.stringMatching(new RegExp(safe, 'i')) },
    })
    expect(batch.transactions.map(({ value }) => value)).toEqual(['0', '0'])
    await execute(batch)
    await expectDeployed(url)
    expect(await safeDeployment(options)).toBeUndefined()
  })

  test('for a Safe of another chain, or an invalid address, is refused', async () => {
    const { url } = await node()
    const options = { rpcUrl: url, chainId: CHAIN }
    await expect(safeDeployment({ ...options, safe: POOR })).rejects.toMatchObject({ code: 'NO_ACCOUNT' })
    const flipped = POOR.replace(/[a-f]/, (letter) => letter.toUpperCase())
    await expect(safeDeployment({ ...options, safe: flipped })).rejects.toMatchObject({ code: 'NO_ACCOUNT' })
  })

  /**
   * Repeats the Transaction Builder's own checksum test.
   *
   * @see safe-global/safe-react-apps, apps/tx-builder/src/lib/checksum.test.js
   */
  test("has the checksum of the Transaction Builder's own example", () => {
    const owner = '0x49d4450977E2c95362C13D3a31a09311E0Ea26A6'
    const call = (name: string, type: string, parameter: string, values: object) => ({
      to: owner,
      value: '0',
      contractMethod: { inputs: [{ internalType: type, name: parameter, type }], name, payable: false },
      contractInputsValues: values,
    })
    const batch = {
      version: '1.0',
      chainId: '4',
      createdAt: 1646321521061,
      meta: {
        name: 'test batch file',
        txBuilderVersion: '1.4.0',
        checksum: '',
        createdFromSafeAddress: '0xDF8a1Ce35c9a6ACE153B4e0767942f1E2291a1Aa',
        createdFromOwnerAddress: owner,
      },
      transactions: [
        call('testAddress', 'address', 'paramAddress', { paramAddress: owner }),
        call('testBool', 'bool', 'paramBool', { paramAddress: '', paramBool: 'false' }),
        {
          to: owner,
          value: '2000000000000000000',
          data: '0x42f4579000000000000000000000000049d4450977e2c95362c13d3a31a09311e0ea26a6',
        },
      ],
    }
    const expected = '0x832ecdb6653751ed00b79dede73864163e46e71815b72e11e506d6399bedffc9'
    expect(safeChecksum(batch)).toBe(expected)
    expect(safeChecksum({ ...batch, transactions: batch.transactions.toReversed() })).not.toBe(expected)
  })
})

describe('a deployment to many chains', () => {
  test('continues after a failing chain, accepts a front-run creation, and resumes', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const [dying, contested, easy] = await Promise.all([
      node(NO_DEPLOYER, 424_301),
      node([], 424_302),
      node([], 424_303),
    ])
    // The connection drops when the Executor would be sent, after the keyless deployer and the Guard.
    let sends = 0
    const wire = await proxyTo(dying!)
    wire.injectFault = (calls) => {
      sends += calls.filter(({ method }) => method === 'eth_sendTransaction').length
      return sends > 2 ? 'drop' : undefined
    }
    const { guard } = await currentPlan('cancun')
    const data = `0x${'00'.repeat(32)}${guard.initCode.slice(2)}`
    let isFrontRun = false
    // A hostile account deploys the same Guard just before ours is sent.
    const raced = await proxyTo(contested!, async ({ method }) => {
      if (isFrontRun || method !== 'eth_sendTransaction') return undefined
      isFrontRun = true
      await sendFrom(contested!.url, (await accountsOf(contested!.url))[7]!, { to: KEYLESS_DEPLOYER.address, data })
      return undefined
    })
    const targets = [
      { chainId: 424_301, rpcUrl: `${wire.url}/v3/secret-api-key` },
      { chainId: 424_302, rpcUrl: raced.url },
      { chainId: 424_303, rpcUrl: easy!.url },
    ]
    const output: string[] = []
    const first = await deployMany({
      targets,
      deploymentsDir: dir,
      timeoutMs: 3_000,
      onProgress: (text) => output.push(text),
    })
    expect(first.map(({ status }) => status)).toEqual(['failed', 'deployed', 'deployed'])
    expect(isFrontRun).toBe(true)
    expect(readDeployment(dir, 424_302)!.guard).toMatchObject({ status: 'deployed', address: guard.address })
    expect(
      readdirSync(dir)
        .filter((name) => /^\d/.test(name))
        .sort(),
    ).toEqual(['424302.json', '424303.json'])
    expect(first.every(({ estimateWei }) => estimateWei! > 0n)).toBe(true)
    expect(output.join('\n')).toContain('estimated cost\nchain')
    expect(output.join('\n') + resultTable(first)).not.toContain('secret')
    expect(resultTable(first)).toMatch(/^424301 .* failed .*NODE_FAILED|TRANSACTION_FAILED/m)

    wire.injectFault = () => undefined
    const heights = await Promise.all([contested!, easy!].map(({ url }) => blockOf(url)))
    const env = Object.fromEntries(targets.map(({ chainId, rpcUrl }) => [`RPC_URL_${chainId}`, rpcUrl]))
    const second = await command(['--all'], env)
    expect(second.code, second.stdout + second.stderr).toBe(0)
    const rows = second.stdout.trim().split('\n').slice(-3)
    expect(rows.map((row) => row.split(/\s+/).slice(0, 2))).toEqual([
      ['424301', 'deployed'],
      ['424302', 'stood'],
      ['424303', 'stood'],
    ])
    expect(await Promise.all([contested!, easy!].map(({ url }) => blockOf(url)))).toEqual(heights)
    // Two for the keyless deployer and one per contract, so nothing was sent twice.
    expect(await blockOf(dying!.url)).toBe(4)
    expect(readDeployment(dir, 424_301)).toMatchObject({ guard: { block: 3 }, executors: [{ block: 4 }] })
  })

  test('by the command names its chains, prints estimates only in a dry run, and ends with 1 when a chain failed', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    const { url } = await node()
    const env = { RPC_URL_424300: `${url},http://127.0.0.1:1`, RPC_URL_424399: 'http://127.0.0.1:1' }
    const { code, stdout, stderr } = await command(['--chains', '424300,424399,424300', '--dry-run'], env)
    expect(code).toBe(1)
    expect(stderr).toContain('1 of 2 chains failed')
    expect(stdout).toMatch(/^424300 +estimated +cancun +0x\w{40} +0x\w{40} +0\.\d+$/m)
    expect(stdout).toMatch(/^424399 .*failed.*UNREACHABLE/m)
    expect(await blockOf(url)).toBe(0)
    expect(readdirSync(dir)).toEqual([])
    for (const args of [
      ['--all', '--chain', '1'],
      ['--chains', '1,x'],
      ['--chain', '1', '--safe', POOR],
    ])
      expect((await command(args)).code, args.join(' ')).toBe(1)
  })
})

describe('an account', () => {
  test('without funds gets an error with the missing amount, which is enough', async () => {
    const { url } = await node(NO_DEPLOYER)
    const refusal = await deploy(url, { privateKey: KEY }).catch((error: Error) => error.message)
    const lacking = BigInt(/it lacks [\d.]+ \((\d+) wei\)/.exec(refusal as string)![1]!)
    const [rich] = (await accountsOf(url)) as [string]
    await sendFrom(url, rich, { to: POOR, value: `0x${lacking.toString(16)}` })
    // The keyless deployer's creation at 100 gwei raises the node's suggested gas price for later transactions.
    await deploy(url, { privateKey: KEY })
    await expectDeployed(url)
  }, 120_000)

  test('whose funding is pending is waited for', async () => {
    const { url } = await node(['--no-mining'])
    const [rich] = (await accountsOf(url)) as [string]
    await request(url, 'eth_sendTransaction', [{ from: rich, to: POOR, value: TEN_ETHER }])
    const output: string[] = []
    const deployment = deploy(url, { privateKey: KEY, onProgress: (text: string) => output.push(text) })
    await until(() => output.some((text) => text.includes('pending funds')))
    expect(await blockOf(url)).toBe(0)
    await request(url, 'evm_setAutomine', [true])
    await request(url, 'evm_mine', [])
    await deployment
    await expectDeployed(url)
  }, 240_000)

  test('whose funding stays pending gets an error at the deadline, and sends nothing', async () => {
    const { url } = await node(['--no-mining'])
    const [rich] = (await accountsOf(url)) as [string]
    await request(url, 'eth_sendTransaction', [{ from: rich, to: POOR, value: TEN_ETHER }])
    await expect(deploy(url, { privateKey: KEY, timeoutMs: 1_500 })).rejects.toMatchObject({
      code: 'FUNDS_SHORT',
      message: expect.stringMatching(/still pending after 1\.5 s.*it lacks [\d.]+ \(\d+ wei\)/),
    })
    expect(readdirSync(dir)).toEqual([])
  }, 120_000)

  test('whose own transactions are pending waits for them instead of paying twice', async () => {
    const { url } = await node(['--no-mining'])
    const [account] = (await accountsOf(url)) as [string]
    const { guard, executor } = await currentPlan('cancun')
    // Transactions that a killed run left in the pool.
    for (const { initCode } of [guard, executor])
      await request(url, 'eth_sendTransaction', [
        {
          from: account,
          to: KEYLESS_DEPLOYER.address,
          data: `0x${'00'.repeat(32)}${initCode.slice(2)}`,
          gas: '0x7a1200',
        },
      ])
    await expect(deploy(url, { timeoutMs: 1_500 })).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    const output: string[] = []
    const deployment = deploy(url, { onProgress: (text: string) => output.push(text) })
    await until(() => output.some((text) => text.includes('2 pending transactions')))
    await request(url, 'evm_mine', [])
    await deployment
    await expectDeployed(url)
    expect(Number(await request<string>(url, 'eth_getTransactionCount', [account, 'pending']))).toBe(2)
  }, 240_000)
})

describe('a node', () => {
  test('that reports other code at the address is refused, and nothing is sent', async () => {
    const anvil = await node()
    const { guard } = await currentPlan('cancun')
    const liar = await proxyTo(anvil, ({ method, params }) =>
      method === 'eth_getCode' && String(params[0]).toLowerCase() === guard.address ? { result: '0x6001' } : undefined,
    )
    await expect(deploy(liar.url)).rejects.toMatchObject({ code: 'CODE_MISMATCH' })
    expect(await blockOf(anvil.url)).toBe(0)
    expect(readdirSync(dir)).toEqual([])
  })

  test('that reports the right code without having it is caught by running EXTCODEHASH', async () => {
    const honest = await node()
    const { guard, executors } = await deploy(honest.url)
    const codes = new Map<string, string>()
    for (const { address } of [guard, executors[0]!]) codes.set(address, await codeOf(honest.url, address))
    rmSync(join(dir, `${CHAIN}.json`))
    const liar = await proxyTo(await node(), ({ method, params }) => {
      const code = method === 'eth_getCode' ? codes.get(String(params[0]).toLowerCase()) : undefined
      return code ? { result: code } : undefined
    })
    await expect(deploy(liar.url, { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'CODE_MISMATCH',
      message: expect.stringContaining('contradicts itself'),
    })
    expect(readdirSync(dir).filter((name) => /^\d/.test(name))).toEqual([])
  }, 120_000)

  test('that denies existing code leads to no record', async () => {
    const anvil = await node()
    const { guard } = await deploy(anvil.url)
    rmSync(join(dir, `${CHAIN}.json`))
    const liar = await proxyTo(anvil, ({ method, params }) =>
      method === 'eth_getCode' && String(params[0]).toLowerCase() === guard.address ? { result: '0x' } : undefined,
    )
    await expect(deploy(liar.url, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'TRANSACTION_FAILED' })
    expect(readdirSync(dir).filter((name) => /^\d/.test(name))).toEqual([])
  }, 120_000)

  /** See NomicFoundation/hardhat-ignition#664: nodes behind one endpoint lag behind the node that mined. */
  test('that lags some blocks behind the receipt is waited for', async () => {
    const anvil = await node()
    const { guard } = await currentPlan('cancun')
    let denials = 0
    const lagging = await proxyTo(anvil, ({ method, params }) => {
      if (method !== 'eth_getCode' || String(params[0]).toLowerCase() !== guard.address || denials >= 3)
        return undefined
      denials++
      return { result: '0x' }
    })
    await deploy(lagging.url)
    expect(denials).toBe(3)
    await expectDeployed(anvil.url)
  }, 120_000)
})

describe('the keyless deployer', () => {
  const { signer } = KEYLESS_DEPLOYER
  /** Expects the deployment to be rejected before anything is paid. */
  async function expectRefused(url: string, chain: string, message: RegExp): Promise<void> {
    const before = await blockOf(chain)
    await expect(deploy(url)).rejects.toMatchObject({
      code: 'KEYLESS_DEPLOYER',
      message: expect.stringMatching(message),
    })
    expect(await balanceOf(chain, signer)).toBe(0n)
    expect(await blockOf(chain)).toBe(before)
  }

  /** See wighawag/hardhat-deploy#544, mds1/multicall3#239: "nonce has already been used". */
  test('whose signer used its transaction without leaving code is not funded', async () => {
    const { url } = await node(NO_DEPLOYER)
    await request(url, 'anvil_setNonce', [signer, '0x1'])
    await expectRefused(url, url, /used its only signed transaction/)
  })

  /**
   * See Zoltu/deterministic-deployment-proxy#18, pcaversaccio/createx#287: the signed gas price is below the base fee.
   */
  test('whose price is below the base fee is not funded', async () => {
    const { url } = await node([...NO_DEPLOYER, '--base-fee', '150000000000'])
    await expectRefused(url, url, /signed for 100 gwei and the base fee is 1\d\d(\.\d+)? gwei/)
  })

  /**
   * See safe-fndn/safe-singleton-factory#302, pcaversaccio/createx#336: the signed gas limit is too low, and the
   * address is lost.
   */
  test('whose gas does not suffice is not sent', async () => {
    const anvil = await node(NO_DEPLOYER)
    const expensive = await proxyTo(anvil, ({ method }) =>
      method === 'eth_estimateGas' ? { result: '0x1e8480' } : undefined,
    )
    await expectRefused(expensive.url, anvil.url, /needs 2000000 gas here and is signed for 100000/)
  })

  /**
   * See wighawag/hardhat-deploy#237, safe-fndn/safe-smart-account#344: "only replay-protected (EIP-155) transactions
   * allowed over RPC".
   */
  test('that the endpoint does not accept is not funded', async () => {
    const anvil = await node(NO_DEPLOYER)
    const strict = await proxyTo(anvil, ({ method }) =>
      method === 'eth_sendRawTransaction'
        ? { error: { code: -32_000, message: 'only replay-protected (EIP-155) transactions allowed over RPC' } }
        : undefined,
    )
    await expectRefused(strict.url, anvil.url, /names no chain id: only replay-protected/)
  })
})
