/** Test fixture: a node and wallet of one account in memory, and a service that answers with given routes. */
import type { Wallet as EthersWallet } from 'ethers'
import { encodeCall, selectors } from '../src/calls.ts'
import { fromEip1193, type Hex, type Route, SluiceClient, type SwapParameters, type Wallet } from '../src/index.ts'
import { guard, sender } from './routes.ts'

type Call = { readonly to: string; readonly data: Hex; readonly value?: string; readonly gas?: string }
type Answer = (params: readonly unknown[]) => unknown

export const word = (value: bigint | number): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`
/** Encodes text as a contract returns it. */
export const text = (value: string): Hex => {
  const bytes = Buffer.from(value).toString('hex')
  return `${word(32)}${word(value.length).slice(2)}${bytes.padEnd(64, '0')}` as Hex
}
export const approval = (amount: bigint, spender: string = guard) => encodeCall(selectors.approve, spender, amount)

/** Node of one account. Each sent transaction is mined at once. */
export class MemoryNode {
  block = 100
  chain = 1
  allowance = 0n
  /** Output of the Guard in simulations. */
  output = 2_000_001n
  gas = 100_000n
  /** Status of receipts. */
  status = '0x1'
  /** Balances by lower-case address, of any token. */
  readonly balances = new Map<string, bigint>()
  /** Responses of contracts by selector, for calls other than those of the Guard. */
  readonly views = new Map<string, Hex | ((data: Hex) => Hex)>()
  /** Responses by method, which replace the node's own. */
  readonly answers = new Map<string, Answer>()
  readonly sent: (Call & { readonly chainId?: string; readonly from?: string })[] = []
  readonly requests: { readonly method: string; readonly params: readonly unknown[] }[] = []
  readonly wallet: Wallet

  /** @param signer - signs typed data; without it, the wallet cannot sign */
  constructor(address: string = sender, signer?: EthersWallet) {
    this.wallet = fromEip1193({ request: async (of: never) => this.request(of, signer) }, address)
  }

  methods(): readonly string[] {
    return this.requests.map(({ method }) => method)
  }

  private request(
    { method, params }: { readonly method: string; readonly params: readonly unknown[] },
    signer?: EthersWallet,
  ): unknown {
    this.requests.push({ method, params })
    const answer = this.answers.get(method)
    if (answer) return answer(params)
    switch (method) {
      case 'eth_chainId':
        return `0x${this.chain.toString(16)}`
      case 'eth_blockNumber':
        return `0x${this.block.toString(16)}`
      case 'eth_getCode':
        return String(params[0]).toLowerCase() === guard ? '0x6001' : '0x'
      case 'eth_call':
        return this.call(params[0] as Call)
      case 'eth_estimateGas':
        return `0x${this.gas.toString(16)}`
      case 'eth_sendTransaction':
        return this.send(params[0] as Call)
      case 'eth_getTransactionReceipt':
        return { status: this.status, transactionHash: params[0] }
      case 'eth_getLogs':
        return []
      case 'eth_signTypedData_v4':
        if (signer) return signTyped(signer, String(params[1]))
    }
    throw Object.assign(new Error(`${method} is not supported`), { code: -32_601 })
  }

  private call({ to, data }: Call): Hex {
    if (to.toLowerCase() === guard) return word(this.output)
    const selector = data.slice(0, 10)
    const view = this.views.get(selector)
    if (view !== undefined) return typeof view === 'function' ? view(data) : view
    if (selector === selectors.allowance) return word(this.allowance)
    if (selector === selectors.approve) return word(1)
    if (selector === selectors.balanceOf) return word(this.balances.get(`0x${data.slice(-40)}`) ?? 0n)
    throw new Error('execution reverted')
  }

  private send(call: Call): Hex {
    this.sent.push(call)
    if (call.data.startsWith(selectors.approve)) this.allowance = BigInt(`0x${call.data.slice(-64)}`)
    return word(this.sent.length)
  }
}

function signTyped(signer: EthersWallet, json: string): Promise<string> {
  const { domain, types, message } = JSON.parse(json)
  const { EIP712Domain: _, ...named } = types
  return signer.signTypedData(domain, named, message)
}

/** Service that answers with the routes in order, and then with the last one. */
export function serviceOf(...routes: readonly Route[]): { client: SluiceClient; queries: SwapParameters[] } {
  const queries: SwapParameters[] = []
  const fetch = async (input: URL | RequestInfo) => {
    queries.push(Object.fromEntries(new URL(String(input)).searchParams) as never)
    return Response.json(routes[Math.min(queries.length, routes.length) - 1])
  }
  return { client: new SluiceClient({ baseUrl: 'https://swap.example', retries: 0, fetch }), queries }
}
