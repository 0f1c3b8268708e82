/**
 * Routers with which the gas benchmark compares this project's contracts: Uniswap's routers from npm, and a contract
 * without checks (`floor`).
 */
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  maxUint160,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { type Node, publishedArtifact } from './node.ts'
import {
  AMOUNT,
  DEADLINE,
  minAmountOf,
  NATIVE_AMOUNT,
  percentOfAmount,
  type Router,
  type Scenario,
  type Trade,
  type Transaction,
  tradeOf,
} from './scenarios.ts'
import { permit2Abi, signPermit, signPermit2, splitSignature } from './signing.ts'
import { factoryAbi, PERMIT2, type World, ZERO } from './world.ts'

// Recipient addresses in calldata that Uniswap's routers replace by the sender and by the router itself.
const SENDER_PLACEHOLDER: Hex = '0x0000000000000000000000000000000000000001'
const ROUTER_PLACEHOLDER: Hex = '0x0000000000000000000000000000000000000002'
const packPath = (...parts: (Hex | number)[]) =>
  encodePacked(
    parts.map((part) => (typeof part === 'number' ? 'uint24' : 'address')),
    parts,
  )

/** Returns the contract without checks, as a lower bound of gas (`Floor` in sol/Bench.sol). */
export function floor(node: Node, world: World): Router {
  const { a, b, weth, pools, v4Key, zeroForOne, floor: to } = world
  const from = node.user
  const [abZeroForOne, bcZeroForOne] = [zeroForOne(a, b), zeroForOne(b, world.c)]
  const call = (name: string, args: unknown[], value = 0n): Transaction => ({
    to,
    value,
    data: encodeFunctionData({ abi: world.Floor.abi, functionName: name, args }),
  })
  const quote = async (amount: bigint) => {
    const [reserve0, reserve1] = await node.read<[bigint, bigint]>(factoryAbi, pools.v2ab, 'getReserves')
    return (amount * 997n * reserve1) / (reserve0 * 1000n + amount * 997n)
  }
  const percent = percentOfAmount
  const build = async (scenario: Scenario): Promise<Transaction | null> => {
    if (scenario !== tradeOf(scenario)) return null
    const quotedOutput = await quote(scenario.startsWith('split') ? percent(40) : AMOUNT)
    const trades: Record<Trade, () => Transaction> = {
      v2: () => call('v2', [a, from, pools.v2ab, abZeroForOne, AMOUNT, quotedOutput, from]),
      v3: () => call('v3', [a, from, pools.v3ab, abZeroForOne, AMOUNT, from]),
      v3v3: () => call('v3v3', [a, from, pools.v3ab, abZeroForOne, b, pools.v3bc, bcZeroForOne, AMOUNT, from]),
      v2v3: () =>
        call('v2v3', [a, from, pools.v2ab, abZeroForOne, quotedOutput, b, pools.v3bc, bcZeroForOne, AMOUNT, from]),
      split2: () =>
        call('split2', [
          a,
          from,
          pools.v2ab,
          abZeroForOne,
          percent(40),
          quotedOutput,
          pools.v3ab,
          AMOUNT - percent(40),
          from,
        ]),
      split3: () =>
        call('split3', [
          a,
          from,
          pools.v2ab,
          abZeroForOne,
          percent(40),
          quotedOutput,
          pools.v3ab,
          percent(30),
          pools.v3abLow,
          AMOUNT - percent(40) - percent(30),
          from,
        ]),
      nativeIn: () => call('nativeIn', [pools.v3bWeth, zeroForOne(weth, b), from], NATIVE_AMOUNT),
      nativeOut: () => call('nativeOut', [a, from, pools.v3aWeth, zeroForOne(a, weth), NATIVE_AMOUNT, from]),
      v4: () => call('v4', [a, from, v4Key, abZeroForOne, AMOUNT, from]),
    }
    return trades[tradeOf(scenario)]()
  }
  return { name: 'floor', spender: to, build }
}

/** Returns Uniswap's V2 router, which makes only the trade `v2`. */
export async function v2Router02(node: Node, { v2Factory, weth, a, b }: World): Promise<Router> {
  const { abi, bytecode } = publishedArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json')
  const to = await node.deploy({ abi, bytecode }, [v2Factory, weth])
  const args = [AMOUNT, minAmountOf(AMOUNT), [a, b], node.user, DEADLINE]
  const data = encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args })
  return { name: 'v2Router02', spender: to, build: (scenario) => (scenario === 'v2' ? { to, data } : null) }
}

/** Returns Uniswap's SwapRouter02, which makes all trades except `v4`. */
export async function swapRouter02(node: Node, world: World): Promise<Router> {
  const { a, b, c, weth } = world
  const artifact = publishedArtifact(
    '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
  )
  const to = await node.deploy(artifact, [world.v2Factory, world.v3Factory, ZERO, weth])
  const abi: Abi = artifact.abi
  const user = node.user
  const encode = (functionName: string, args: unknown[]) => encodeFunctionData({ abi, functionName, args })
  const v2 = (amount: bigint, min: bigint, tokens: Hex[], recipient: Hex) =>
    encode('swapExactTokensForTokens', [amount, min, tokens, recipient])
  const v3 = (tokenIn: Hex, tokenOut: Hex, fee: number, recipient: Hex, amountIn: bigint, amountOutMinimum: bigint) =>
    encode('exactInputSingle', [
      { tokenIn, tokenOut, fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n },
    ])
  const multicall = (...calls: Hex[]) => encode('multicall', [DEADLINE, calls])
  const percent = percentOfAmount
  const trades: Partial<Record<Scenario, Hex>> = {
    v2: multicall(v2(AMOUNT, minAmountOf(AMOUNT), [a, b], user)),
    v3: multicall(v3(a, b, 3000, user, AMOUNT, minAmountOf(AMOUNT))),
    v3v3: multicall(
      encode('exactInput', [
        {
          path: packPath(a, 3000, b, 3000, c),
          recipient: user,
          amountIn: AMOUNT,
          amountOutMinimum: minAmountOf(AMOUNT),
        },
      ]),
    ),
    v2v3: multicall(v2(AMOUNT, 0n, [a, b], ROUTER_PLACEHOLDER), v3(b, c, 3000, user, 0n, minAmountOf(AMOUNT))),
    split2: multicall(
      v2(percent(40), minAmountOf(percent(40)), [a, b], user),
      v3(a, b, 3000, user, AMOUNT - percent(40), minAmountOf(percent(60))),
    ),
    split3: multicall(
      v2(percent(40), minAmountOf(percent(40)), [a, b], user),
      v3(a, b, 3000, user, percent(30), minAmountOf(percent(30))),
      v3(a, b, 500, user, AMOUNT - percent(40) - percent(30), minAmountOf(percent(30))),
    ),
    nativeIn: multicall(v3(weth, b, 3000, user, NATIVE_AMOUNT, minAmountOf(NATIVE_AMOUNT))),
    nativeOut: multicall(
      v3(a, weth, 3000, ROUTER_PLACEHOLDER, NATIVE_AMOUNT, 0n),
      encode('unwrapWETH9', [minAmountOf(NATIVE_AMOUNT), user]),
    ),
  }
  return {
    name: 'swapRouter02',
    spender: to,
    build: async (scenario) => {
      if (scenario === 'permit') {
        const permit = encode('selfPermit', [a, AMOUNT, DEADLINE, ...splitSignature(await signPermit(node, a, to))])
        return { to, data: multicall(permit, v3(a, b, 3000, user, AMOUNT, minAmountOf(AMOUNT))) }
      }
      const data = trades[scenario]
      return data ? { to, data, value: scenario === 'nativeIn' ? NATIVE_AMOUNT : 0n } : null
    },
  }
}

/**
 * Returns Uniswap's UniversalRouter with an existing Permit2 allowance, as in every swap of a wallet but the first.
 * Long: a list of scenarios with their calls.
 */
export async function universalRouter(node: Node, world: World): Promise<Router> {
  const { a, b, c, weth, v4Key } = world
  const artifact = publishedArtifact(
    '@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
  )
  const to = await node.deploy(artifact, [
    {
      permit2: PERMIT2,
      weth9: weth,
      v2Factory: world.v2Factory,
      v3Factory: world.v3Factory,
      pairInitCodeHash: '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
      poolInitCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      v4PoolManager: world.manager,
      v3NFTPositionManager: ZERO,
      v4PositionManager: ZERO,
      spokePool: ZERO,
    },
  ])
  for (const token of [a, b, c, weth])
    await node.write(permit2Abi, PERMIT2, 'approve', [token, to, maxUint160, 2 ** 48 - 1], node.user)

  type Command = readonly [code: string, input: Hex]
  const encode = (types: string, args: unknown[]) => encodeAbiParameters(parseAbiParameters(types), args as never)
  const v2 = (recipient: Hex, amount: bigint, min: bigint, tokens: Hex[]): Command => [
    '08',
    encode('address, uint256, uint256, address[], bool', [recipient, amount, min, tokens, true]),
  ]
  const v3 = (recipient: Hex, amount: bigint, min: bigint, route: Hex, fromUser = true): Command => [
    '00',
    encode('address, uint256, uint256, bytes, bool', [recipient, amount, min, route, fromUser]),
  ]
  const execute = (...commands: Command[]): Hex =>
    encodeFunctionData({
      abi: parseAbi(['function execute(bytes,bytes[],uint256) payable']),
      args: [`0x${commands.map(([code]) => code).join('')}`, commands.map(([, input]) => input), DEADLINE],
    })
  // Amount that UniversalRouter replaces by its balance.
  const WHOLE_BALANCE = 1n << 255n
  const percent = percentOfAmount
  const swapV4 = encode('((address, address, uint24, int24, address), bool, uint128, uint128, bytes)', [
    [
      [v4Key.currency0, v4Key.currency1, v4Key.fee, v4Key.tickSpacing, v4Key.hooks],
      true,
      AMOUNT,
      minAmountOf(AMOUNT),
      '0x',
    ],
  ])
  const settleAll = encode('address, uint256', [a, AMOUNT])
  const takeAll = encode('address, uint256', [b, minAmountOf(AMOUNT)])
  const trades: Record<Trade, Hex> = {
    v2: execute(v2(SENDER_PLACEHOLDER, AMOUNT, minAmountOf(AMOUNT), [a, b])),
    v3: execute(v3(SENDER_PLACEHOLDER, AMOUNT, minAmountOf(AMOUNT), packPath(a, 3000, b))),
    v3v3: execute(v3(SENDER_PLACEHOLDER, AMOUNT, minAmountOf(AMOUNT), packPath(a, 3000, b, 3000, c))),
    v2v3: execute(
      v2(ROUTER_PLACEHOLDER, AMOUNT, 0n, [a, b]),
      v3(SENDER_PLACEHOLDER, WHOLE_BALANCE, minAmountOf(AMOUNT), packPath(b, 3000, c), false),
    ),
    split2: execute(
      v2(SENDER_PLACEHOLDER, percent(40), minAmountOf(percent(40)), [a, b]),
      v3(SENDER_PLACEHOLDER, AMOUNT - percent(40), minAmountOf(percent(60)), packPath(a, 3000, b)),
    ),
    split3: execute(
      v2(SENDER_PLACEHOLDER, percent(40), minAmountOf(percent(40)), [a, b]),
      v3(SENDER_PLACEHOLDER, percent(30), minAmountOf(percent(30)), packPath(a, 3000, b)),
      v3(SENDER_PLACEHOLDER, AMOUNT - percent(40) - percent(30), minAmountOf(percent(30)), packPath(a, 500, b)),
    ),
    nativeIn: execute(
      ['0b', encode('address, uint256', [ROUTER_PLACEHOLDER, NATIVE_AMOUNT])],
      v3(SENDER_PLACEHOLDER, NATIVE_AMOUNT, minAmountOf(NATIVE_AMOUNT), packPath(weth, 3000, b), false),
    ),
    nativeOut: execute(v3(ROUTER_PLACEHOLDER, NATIVE_AMOUNT, 0n, packPath(a, 3000, weth)), [
      '0c',
      encode('address, uint256', [SENDER_PLACEHOLDER, minAmountOf(NATIVE_AMOUNT)]),
    ]),
    // SWAP_EXACT_IN_SINGLE, SETTLE_ALL, TAKE_ALL.
    v4: execute(['10', encode('bytes, bytes[]', ['0x060c0f', [swapV4, settleAll, takeAll]])]),
  }
  return {
    name: 'universalRouter',
    spender: PERMIT2,
    permit2Spender: to,
    build: async (scenario) => {
      if (scenario !== tradeOf(scenario)) {
        // PERMIT2_PERMIT, the only signed approval that this router accepts.
        const { single, signature } = await signPermit2(node, a, to)
        const { details, spender, sigDeadline } = single
        const values = [details.token, details.amount, details.expiration, details.nonce]
        const permit = encode('((address, uint160, uint48, uint48), address, uint256), bytes', [
          [values, spender, sigDeadline],
          signature,
        ])
        return {
          to,
          data: execute(['0a', permit], v3(SENDER_PLACEHOLDER, AMOUNT, minAmountOf(AMOUNT), packPath(a, 3000, b))),
        }
      }
      return { to, data: trades[tradeOf(scenario)], value: scenario === 'nativeIn' ? NATIVE_AMOUNT : 0n }
    },
  }
}
