/** Transactions through genuine routers and this project's Guard, each simulated and then really sent. */
import { IPermit2__factory } from '@sluice/bindings'
import { encodeGuardSwap } from '@sluice/bindings/guard'
import { type Address, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { encodeProgram } from '@sluice/program'
import { AbiCoder, concat, toBeHex } from 'ethers'
import { type SimulationContext, type SwapSimulation, simulateSwap } from '../src/index.ts'
import { abiOf, type TestChain } from './chain.ts'

const v2Router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const v3Router = abiOf('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json')
const universalRouter = abiOf('@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json')
const permit2 = IPermit2__factory.createInterface()
const coder = AbiCoder.defaultAbiCoder()
const DEADLINE = 2n ** 40n

export type Shape = {
  /** Symbols from the first to the last token; NATIVE stands for native. */
  readonly path: readonly string[]
  /** Base units. */
  readonly amount: () => bigint
  readonly to: () => Address
  /** `to` when absent. */
  readonly spender?: () => Address
  readonly encode: (sender: Address, amountIn: bigint) => string
  /** Transactions of the sender before the swap, in addition to approving the spender. */
  readonly prepare?: (sender: Address, amountIn: bigint) => Promise<unknown>
}

/** Shapes by name. Long: a list of shapes. Reads the chain only in a shape, because tests name shapes before it runs. */
export function shapesOn(chainOf: () => TestChain): Readonly<Record<string, Shape>> {
  const token = (symbol: string): Address => (symbol === 'NATIVE' ? NATIVE : chainOf().info.tokens[symbol]!.address)
  const units = (symbol: string, amount: number) =>
    (BigInt(Math.round(amount * 1e6)) *
      10n ** BigInt(symbol === 'NATIVE' ? 18 : chainOf().info.tokens[symbol]!.decimals)) /
    1_000_000n

  const routerOf = (name: string) => () => chainOf().info.routers[name]!
  /** Routers of this style name the wrapped token where native is meant. */
  const wrapped = (path: readonly string[]) => path.map((symbol) => token(symbol === 'NATIVE' ? 'WETH' : symbol))

  const v2 = (path: readonly string[], amount: number, method = 'swapExactTokensForTokens'): Shape => ({
    path,
    amount: () => units(path[0]!, amount),
    to: routerOf('uniswapV2Router02'),
    encode: (sender, amountIn) =>
      v2Router.encodeFunctionData(
        method,
        path[0] === 'NATIVE' ? [0, wrapped(path), sender, DEADLINE] : [amountIn, 0, wrapped(path), sender, DEADLINE],
      ),
  })
  const supporting = 'swapExactTokensForTokensSupportingFeeOnTransferTokens'

  const v3 = (path: readonly string[], fee: number, amount: number): Shape => ({
    path,
    amount: () => units(path[0]!, amount),
    to: routerOf('uniswapSwapRouter02'),
    encode: (sender, amountIn) => {
      const [tokenIn, tokenOut] = wrapped(path)
      const toNative = path.at(-1) === 'NATIVE'
      const swap = v3Router.encodeFunctionData('exactInputSingle', [
        // Address 2 is the router itself.
        {
          tokenIn,
          tokenOut,
          fee,
          recipient: toNative ? `0x${'2'.padStart(40, '0')}` : sender,
          amountIn,
          amountOutMinimum: 0,
          sqrtPriceLimitX96: 0,
        },
      ])
      if (!toNative) return swap
      const unwrap = v3Router.encodeFunctionData('unwrapWETH9(uint256,address)', [0, sender])
      return v3Router.encodeFunctionData('multicall(bytes[])', [[swap, unwrap]])
    },
  })
  const v3Path = (path: readonly string[], fees: readonly number[], amount: number): Shape => ({
    path,
    amount: () => units(path[0]!, amount),
    to: routerOf('uniswapSwapRouter02'),
    encode: (sender, amountIn) =>
      v3Router.encodeFunctionData('exactInput', [
        { path: packedPath(path, fees), recipient: sender, amountIn, amountOutMinimum: 0 },
      ]),
  })
  const packedPath = (path: readonly string[], fees: readonly number[]) =>
    concat(wrapped(path).flatMap((address, hop) => (hop === 0 ? [address] : [toBeHex(fees[hop - 1]!, 3), address])))

  const V3_SWAP_EXACT_IN = '0x00'
  const V2_SWAP_EXACT_IN = '0x08'
  /** Pulls through Permit2, which the sender has allowed the router before. */
  const universal = (
    command: string,
    path: readonly string[],
    amount: number,
    fees: readonly number[] = [],
  ): Shape => ({
    path,
    amount: () => units(path[0]!, amount),
    to: routerOf('uniswapUniversalRouter'),
    spender: routerOf('permit2'),
    encode: (sender, amountIn) => {
      const common = [sender, amountIn, 0]
      // The prices per hop that the router of this version may be given are left out.
      const input =
        command === V2_SWAP_EXACT_IN
          ? coder.encode(
              ['address', 'uint256', 'uint256', 'address[]', 'bool', 'uint256[]'],
              [...common, wrapped(path), true, []],
            )
          : coder.encode(
              ['address', 'uint256', 'uint256', 'bytes', 'bool', 'uint256[]'],
              [...common, packedPath(path, fees), true, []],
            )
      return universalRouter.encodeFunctionData('execute(bytes,bytes[],uint256)', [command, [input], DEADLINE])
    },
    prepare: (sender, amountIn) =>
      chainOf().send({
        from: sender,
        to: chainOf().info.routers.permit2!,
        data: permit2.encodeFunctionData('approve', [
          token(path[0]!),
          chainOf().info.routers.uniswapUniversalRouter!,
          amountIn,
          DEADLINE,
        ]) as Hex,
      }),
  })

  const poolOf = (dex: string, symbols: readonly string[], feePpm?: number) => {
    const pool = chainOf().info.pools.find(
      (pool) =>
        pool.dex === dex &&
        symbols.every((symbol) => pool.tokens.includes(symbol as never)) &&
        (!feePpm || pool.feePpm === feePpm),
    )
    return pool!.address
  }
  /** This project's own swap through one pool. */
  const guard = (op: 'uniswap-v2' | 'uniswap-v3', path: readonly [string, string], amount: number): Shape => ({
    path,
    amount: () => units(path[0]!, amount),
    to: () => chainOf().info.guard,
    encode: (_, amountIn) => {
      const [tokenIn, tokenOut] = wrapped(path) as [Address, Address]
      const native = { in: path[0] === 'NATIVE', out: path[1] === 'NATIVE' }
      const pool = poolOf(
        op === 'uniswap-v2' ? 'Uniswap V2' : 'Uniswap V3',
        path.map((symbol) => (symbol === 'NATIVE' ? 'WETH' : symbol)),
      )
      const swap = {
        tokenIn,
        input: { kind: 'pull' as const, amount: amountIn },
        output: { kind: native.out ? ('executor' as const) : ('recipient' as const) },
        pool,
        zeroForOne: tokenIn < tokenOut,
      }
      const steps = [
        op === 'uniswap-v2' ? { op, ...swap, feePpm: 3000 } : { op, ...swap },
        ...(native.out
          ? [
              {
                op: 'unwrap' as const,
                tokenIn: tokenOut,
                input: { kind: 'rest' as const },
                output: { kind: 'recipient' as const },
              },
            ]
          : []),
      ]
      return encodeGuardSwap({
        tokenIn,
        amountIn,
        value: native.in ? amountIn : 0n,
        tokenOut: native.out ? ZERO_ADDRESS : tokenOut,
        minOutput: 1n,
        deadline: DEADLINE,
        executor: chainOf().info.executor,
        wrapper: ZERO_ADDRESS,
        feePpm: 0n,
        feeRecipient: ZERO_ADDRESS,
        direct: false,
        program: encodeProgram(steps),
      })
    },
  })

  return {
    'V2 one hop': v2(['USDC', 'WETH'], 1000),
    'V2 two hops': v2(['USDC', 'WETH', 'LINK'], 500),
    'V2 three hops': v2(['DAI', 'WETH', 'LINK', 'HEX'], 100),
    'V2 without return values': v2(['USDT', 'WETH'], 300),
    'V2 to native': v2(['DAI', 'NATIVE'], 200, 'swapExactTokensForETH'),
    'V2 from native': v2(['NATIVE', 'USDC'], 0.5, 'swapExactETHForTokens'),
    'V2 taxed in': v2(['TAXED', 'WETH'], 50, supporting),
    'V2 taxed out': v2(['WETH', 'TAXED'], 0.1, supporting),
    'V2 rebasing in': v2(['STETH', 'WETH'], 1, supporting),
    'V2 rebasing out': v2(['WETH', 'STETH'], 1, supporting),
    'V2 to the token itself': v2(['UNI', 'WETH'], 20),
    'V3 one tick range': v3(['USDC', 'WETH'], 500, 100),
    'V3 several ticks': v3(['USDC', 'WETH'], 3000, 200_000),
    'V3 without return values': v3(['USDT', 'WETH'], 500, 1000),
    'V3 to native': v3(['USDC', 'NATIVE'], 500, 250),
    'V3 two hops': v3Path(['USDC', 'WETH', 'USDT'], [500, 3000], 700),
    'Permit2 and V2': universal(V2_SWAP_EXACT_IN, ['DAI', 'WETH'], 90),
    'Permit2 and V3': universal(V3_SWAP_EXACT_IN, ['USDC', 'WETH'], 333, [500]),
    'Guard and V2': guard('uniswap-v2', ['LINK', 'WETH'], 12),
    'Guard and V3': guard('uniswap-v3', ['USDC', 'WETH'], 400),
    'Guard and V2 without return values': guard('uniswap-v2', ['USDT', 'WETH'], 70),
    'Guard to native': guard('uniswap-v2', ['DAI', 'NATIVE'], 150),
    'Guard from native': guard('uniswap-v2', ['NATIVE', 'USDC'], 0.25),
  }
}

export type ComparedShape = {
  readonly simulated: SwapSimulation
  readonly sent: { readonly success: boolean; readonly received: bigint; readonly grossGas: bigint }
  readonly toNative: boolean
}

/** Simulates a shape for a new sender, then funds the sender, sends the same and measures. */
export async function compareShape(
  { path, amount, encode, to: toOf, spender: spenderOf = toOf, prepare }: Shape,
  chain: TestChain,
  context: SimulationContext,
): Promise<ComparedShape> {
  const tokenOf = (symbol: string) => (symbol === 'NATIVE' ? NATIVE : chain.info.tokens[symbol]!.address)
  const [to, spender, from] = [toOf(), spenderOf(), await chain.newAccount()]
  const [tokenIn, tokenOut] = [tokenOf(path[0]!), tokenOf(path.at(-1)!)]
  let amountIn = amount()
  if (path[0] === 'STETH') {
    // Not every amount can be had of a token that keeps shares: take the one that a transfer makes.
    await chain.fund(from, tokenIn, amountIn, spender)
    amountIn = await chain.balanceOf(tokenIn, from)
  }
  // Funding pays a tax; the first one that is ever paid costs the collector's storage slot.
  if (path[0] === 'TAXED') await chain.fund(await chain.newAccount(), tokenIn, amountIn, spender)
  const data = encode(from, amountIn) as Hex
  const simulated = await simulateSwap(
    chain.rpc,
    { from, to, data, tokenIn, amountIn, tokenOut, spender, block: 'latest' },
    context,
  )

  // The simulation needs no approvals, in Permit2 neither.
  await prepare?.(from, amountIn)
  if (tokenIn !== NATIVE) await chain.fund(from, tokenIn, amountIn, spender)
  const before = await chain.balanceOf(tokenOut, from)
  const sent = await chain.send({ from, to, data, value: tokenIn === NATIVE ? amountIn : 0n })
  const received = (await chain.balanceOf(tokenOut, from)) - before + (tokenOut === NATIVE ? sent.fee : 0n)
  return { simulated, sent: { ...sent, received }, toNative: tokenOut === NATIVE }
}
