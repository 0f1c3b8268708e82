/** Mines swaps on the local chain: through the service, through a router with one pool, and in a sandwich. */
import { createBuilder } from '@sluice/devnet'
import type { Stage } from './stage.ts'

const WHOLE = 10n ** 18n
const FAR = 2n ** 40n
const GAS = '0x80000'
const WETH = [
  'function deposit() payable',
  'function approve(address,uint256)',
  'function transfer(address,uint256)',
  'function mint(address,uint256)',
]
const V2_ROUTER = ['function swapExactTokensForTokens(uint256,uint256,address[],address,uint256)']

type SentSwapCall = { readonly from: string; readonly to: string; readonly data: string; readonly value?: string }
type Receipt = { readonly blockNumber: string; readonly status: string }

export type MinedSwap = {
  /**
   * Sells WETH for USDC with the service's transaction.
   *
   * @returns the transaction hash
   */
  readonly byService: (amount: bigint) => Promise<string>
  /** Sells WETH for USDC in one pair, which has a high price impact for large amounts. */
  readonly byRouter: (amount: bigint, minOutput?: bigint) => Promise<string>
  /** Sells USDC for WETH between two transactions of another account. */
  readonly sandwiched: () => Promise<string>
  readonly transfer: () => Promise<string>
  readonly receipt: (hash: string) => Promise<Receipt>
}

/** Gives tokens and approvals to two accounts of the chain. */
export async function mined(stage: Stage): Promise<MinedSwap> {
  const { devnet, rpc, token, server } = stage
  const account = (k: number) => devnet.info.accounts[k]!.address
  const router = devnet.info.routers.uniswapV2Router02!
  for (const k of [1, 2]) {
    const at = (symbol: string) => createBuilder(devnet.url, account(k)).contractAt(WETH, token(symbol))
    await at('WETH').send('deposit', [], 500n * WHOLE)
    await at('USDC').send('mint', [account(k), 10n ** 13n])
    for (const symbol of ['WETH', 'USDC'])
      for (const spender of [router, devnet.info.guard]) await at(symbol).send('approve', [spender, 2n ** 200n])
  }
  const { abi } = createBuilder(devnet.url, account(1)).contractAt(V2_ROUTER, router)
  const swapOf = (k: number, amount: bigint, path: readonly string[], minOutput = 0n): SentSwapCall => {
    const symbols = path.map(token)
    const data = abi.encodeFunctionData('swapExactTokensForTokens', [amount, minOutput, symbols, account(k), FAR])
    return { from: account(k), to: router, data }
  }
  const receipt = (hash: string) => rpc<Receipt>('eth_getTransactionReceipt', hash)

  /** Sends transactions and mines them in one block. Descending gas prices keep their order. */
  async function mine(sent: readonly SentSwapCall[]): Promise<readonly string[]> {
    await rpc('evm_setAutomine', false)
    const hashes: string[] = []
    try {
      for (const [k, transaction] of sent.entries()) {
        const gasPrice = `0x${(BigInt(sent.length - k) * 10n ** 10n).toString(16)}`
        hashes.push(await rpc<string>('eth_sendTransaction', { gas: GAS, ...transaction, gasPrice }))
      }
      await rpc('evm_mine')
    } finally {
      await rpc('evm_setAutomine', true)
    }
    return hashes
  }
  const alone = async (sent: SentSwapCall) => (await mine([sent]))[0]!

  return {
    receipt,
    byService: async (amount) => {
      const query = `src=${token('WETH')}&dst=${token('USDC')}&amount=${amount}&from=${account(1)}&gasPrice=${10n ** 10n}`
      // The price at which it is mined, which decides between routes.
      const answer = (await (await fetch(`${server.url}/aggregator/31337?${query}`)).json()) as {
        readonly tx: SentSwapCall
        readonly gasEstimate: string
      }
      const gas = `0x${((BigInt(answer.gasEstimate) * 6n) / 5n).toString(16)}`
      return alone({ ...answer.tx, value: '0x0', gas } as SentSwapCall)
    },
    byRouter: (amount, minOutput) => alone(swapOf(1, amount, ['WETH', 'USDC'], minOutput)),
    async sandwiched() {
      // The attacker buys before the victim and sells after it, so that the pair pays the victim less.
      const front = 700_000n * 10n ** 6n
      const quoter = createBuilder(devnet.url, account(2)).contractAt(
        ['function getAmountsOut(uint256,address[]) view returns (uint256[])'],
        router,
      )
      const bought = (await quoter.read<bigint[]>('getAmountsOut', [front, ['USDC', 'WETH'].map(token)])).at(-1)!
      const hashes = await mine([
        swapOf(2, front, ['USDC', 'WETH']),
        swapOf(1, 120_000n * 10n ** 6n, ['USDC', 'WETH']),
        swapOf(2, bought, ['WETH', 'USDC']),
      ])
      return hashes[1]!
    },
    transfer: () => {
      const { abi } = createBuilder(devnet.url, account(1)).contractAt(WETH, token('USDC'))
      const data = abi.encodeFunctionData('transfer', [account(6), 5n])
      return alone({ from: account(1), to: token('USDC'), data })
    },
  }
}
