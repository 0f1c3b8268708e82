/** Deploys CoW Protocol's genuine settlement contract, and settles solutions as a driver does. */
import { createRequire } from 'node:module'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Contract, createBuilder, type Devnet, request } from '@sluice/devnet'
import { concat, type InterfaceAbi, MaxUint256, TypedDataEncoder, toBeHex } from 'ethers'

const require = createRequire(import.meta.url)
type ContractArtifact = { readonly abi: InterfaceAbi; readonly bytecode: Hex }
const contractArtifact = (name: string) =>
  require(`@cowprotocol/contracts/lib/contracts/${name}.json`) as ContractArtifact

const ERC20 = [
  'function approve(address,uint256)',
  'function transfer(address,uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address,address) view returns (uint256)',
]
const ORDER_TYPE = {
  Order: [
    { name: 'sellToken', type: 'address' },
    { name: 'buyToken', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'sellAmount', type: 'uint256' },
    { name: 'buyAmount', type: 'uint256' },
    { name: 'validTo', type: 'uint32' },
    { name: 'appData', type: 'bytes32' },
    { name: 'feeAmount', type: 'uint256' },
    { name: 'kind', type: 'string' },
    { name: 'partiallyFillable', type: 'bool' },
    { name: 'sellTokenBalance', type: 'string' },
    { name: 'buyTokenBalance', type: 'string' },
  ],
}
const VALID_TO = 4_000_000_000
const NO_APP_DATA = `0x${'0'.repeat(64)}`
/** Trade flags of an order that was signed with `setPreSignature`. */
const PRESIGNED = 0x60

/** An order of CoW Protocol. */
export type CowOrder = {
  readonly sellToken: string
  readonly buyToken: string
  readonly sellAmount: bigint
  readonly buyAmount: bigint
  readonly kind: 'sell' | 'buy'
  readonly partiallyFillable: boolean
  readonly class: 'market' | 'limit'
}

/** A solution in the format of the solver API. */
export type CowSolution = {
  readonly id: number
  readonly prices: Readonly<Record<string, string>>
  readonly trades: readonly { readonly order: string; readonly executedAmount: string; readonly fee?: string }[]
  readonly interactions: readonly {
    readonly kind: string
    readonly target: string
    readonly value: string
    readonly callData: string
    readonly allowances: readonly { readonly token: string; readonly amount: string; readonly spender: string }[]
    readonly inputs: readonly { readonly token: string; readonly amount: string }[]
    readonly outputs: readonly { readonly token: string; readonly amount: string }[]
  }[]
  readonly gas: number
}

/** Settlement contract on the local chain. */
export class Settlement {
  readonly address: Address
  private readonly devnet: Devnet
  private readonly contract: Contract
  private readonly relayer: Address
  private readonly owner: Address
  /** Counter used as salt, because equal orders need different UIDs. */
  private orders = 0

  private constructor(devnet: Devnet, contract: Contract, relayer: Address, owner: Address) {
    this.devnet = devnet
    this.contract = contract
    this.address = contract.address
    this.relayer = relayer
    this.owner = owner
  }

  /** Deploys the contracts. The second account is their solver; the first owns all orders. */
  static async deploy(devnet: Devnet): Promise<Settlement> {
    const [owner, solver] = devnet.info.accounts.map(({ address }) => toAddress(address)) as [Address, Address]
    const builder = createBuilder(devnet.url, solver)
    const authenticator = await builder.deploy(contractArtifact('GPv2AllowListAuthentication'))
    await authenticator.send('initializeManager', [solver])
    await authenticator.send('addSolver', [solver])
    const contract = await builder.deploy(contractArtifact('GPv2Settlement'), [authenticator.address, solver])
    return new Settlement(devnet, contract, toAddress(await contract.read<string>('vaultRelayer')), owner)
  }

  /** Signs an order on chain and approves its sell token. Returns the order in the format of auctions. */
  async place(order: CowOrder) {
    const builder = createBuilder(this.devnet.url, this.owner)
    await builder.contractAt(ERC20, order.sellToken).send('approve', [this.relayer, 2n ** 250n])
    const salt = toBeHex(++this.orders, 32)
    const uid = this.orderUid(order, salt)
    await builder.contractAt(this.contract.abi.fragments, this.address).send('setPreSignature', [uid, true])
    return { ...this.auctionOrder(order, uid), salt }
  }

  private auctionOrder(order: CowOrder, uid: string) {
    const [sellAmount, buyAmount] = [String(order.sellAmount), String(order.buyAmount)]
    return {
      ...{ uid, ...order, sellAmount, buyAmount, fullSellAmount: sellAmount, fullBuyAmount: buyAmount },
      ...{ feePolicies: [], validTo: VALID_TO, owner: this.owner, preInteractions: [], postInteractions: [] },
      ...{ sellTokenSource: 'erc20', buyTokenDestination: 'erc20', appData: NO_APP_DATA },
      ...{ signingScheme: 'presign', signature: '0x' },
    }
  }

  private orderUid(order: CowOrder, appData: string): string {
    const { chainId } = this.devnet
    const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: this.address }
    const balances = { sellTokenBalance: 'erc20', buyTokenBalance: 'erc20' }
    const fields = { ...order, ...balances, receiver: this.owner, validTo: VALID_TO, appData, feeAmount: 0n }
    const digest = TypedDataEncoder.hash(domain, ORDER_TYPE, fields)
    return concat([digest, this.owner, toBeHex(VALID_TO, 4)])
  }

  /** Settles a solution as the protocol's driver does, with the fee in the clearing prices. Returns the gas used. */
  async settle({ salt, ...order }: CowOrder & { readonly salt: string }, solution: CowSolution): Promise<bigint> {
    const [trade] = solution.trades
    const price = (token: string) => BigInt(solution.prices[token.toLowerCase()]!)
    const fee = BigInt(trade!.fee ?? 0)
    const [sellTokenPrice, buyTokenPrice] = [price(order.sellToken), price(order.buyToken) + fee]
    const executedAmount = BigInt(trade!.executedAmount) + (order.kind === 'sell' ? fee : 0n)
    const flags = (order.kind === 'buy' ? 1 : 0) | (order.partiallyFillable ? 2 : 0) | PRESIGNED
    const { sellAmount, buyAmount } = order
    const trades = [[0, 1, this.owner, sellAmount, buyAmount, VALID_TO, salt, 0n, flags, executedAmount, this.owner]]
    const calls: { target: string; value: bigint; callData: string }[] = []
    for (const { target, value, callData, allowances } of solution.interactions) {
      for (const allowance of allowances) calls.push(...(await this.approval(allowance)))
      calls.push({ target, value: BigInt(value), callData })
    }
    const tokens = [order.sellToken, order.buyToken]
    const receipt = await this.contract.send('settle', [
      tokens,
      [sellTokenPrice, buyTokenPrice],
      trades,
      [[], calls, []],
    ])
    return BigInt(receipt.gasUsed)
  }

  /** Returns an unlimited approval if the contract lacks the allowance; the driver approves each spender once. */
  private async approval(allowance: { readonly token: string; readonly amount: string; readonly spender: string }) {
    const { token, amount, spender } = allowance
    const erc20 = createBuilder(this.devnet.url, this.owner).contractAt(ERC20, token)
    if ((await erc20.read<bigint>('allowance', [this.address, spender])) >= BigInt(amount)) return []
    return [{ target: token, value: 0n, callData: erc20.abi.encodeFunctionData('approve', [spender, MaxUint256]) }]
  }

  balance(token: string, account: Address = this.address): Promise<bigint> {
    return createBuilder(this.devnet.url, this.owner).contractAt(ERC20, token).read<bigint>('balanceOf', [account])
  }

  /** Returns the balance of the orders' owner. */
  balanceOf(token: string): Promise<bigint> {
    return this.balance(token, this.owner)
  }

  /** Runs a step and reverts the chain to its state before. */
  async runAndRevert<T>(step: () => Promise<T>): Promise<T> {
    const snapshotId = await request<string>(this.devnet.url, 'evm_snapshot', [])
    try {
      return await step()
    } finally {
      await request(this.devnet.url, 'evm_revert', [snapshotId])
      await request(this.devnet.url, 'evm_mine', [])
    }
  }
}
