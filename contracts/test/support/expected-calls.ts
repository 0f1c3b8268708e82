/**
 * Computes the calls that the Executor makes when it runs steps, without view calls. The fuzz test of the decoder
 * compares them with the real calls. In this test every other account has the code of a Recorder (Recorder.sol).
 * Long: one case for each operation.
 */
import {
  IAaveGsm__factory,
  IAaveV3Pool__factory,
  IAmbientDex__factory,
  IBalancerV1Pool__factory,
  IBalancerV2Vault__factory,
  IBalancerV3Vault__factory,
  ICurvePool__factory,
  IDodoV2Pool__factory,
  IEkuboCore__factory,
  IERC20__factory,
  IERC4626__factory,
  IFluidDexPool__factory,
  IGuard__factory,
  IIziswapPool__factory,
  IKyberClassicPair__factory,
  IKyberElasticPool__factory,
  ILiquidityBookPair__factory,
  ILitePsm__factory,
  IMaverickV2Pool__factory,
  IPancakeInfinityBinManager__factory,
  IPancakeInfinityClManager__factory,
  IPancakeInfinityVault__factory,
  IPropAmmVenue__factory,
  IPsm3__factory,
  IRateWrapper__factory,
  ISyncswapPool__factory,
  ISyncswapVault__factory,
  IUniswapV2Pair__factory,
  IUniswapV3Pool__factory,
  IUniswapV4PoolManager__factory,
  IWoofiV2Pool__factory,
  IWrappedNative__factory,
} from '@sluice/bindings'
import type { Step, StepInput } from '@sluice/program'
import { AbiCoder, MaxUint256 } from 'ethers'

/** Word that every Recorder returns for a balance or an amount. */
export const WORD = 10n ** 30n
const RESERVE = WORD / 2n
/** Output that a Recorder returns for a swap in a pool of uniswap-v4, pancake-infinity, or ekubo. */
const POOL_OUTPUT = 7n
/** Returns the input that such a pool reports, as the Executor reads it from a signed balance change of 128 bits. */
const spentOf = (amount: bigint, sign: 1n | -1n): bigint =>
  BigInt.asUintN(256, sign * BigInt.asIntN(128, sign * amount))
/** Point beyond the range of all iziswap pools. As a limit it does not limit a swap. */
const FARTHEST_POINT = 800_001
const [LOWEST_PRICE, HIGHEST_PRICE] = [4295128740n, 1461446703485210103287273052203988822378723970341n]
const ZERO = `0x${'00'.repeat(20)}`
/** Minimum and maximum price of Ekubo, in the packed form of its core contract. */
const [LOWEST_RATIO, HIGHEST_RATIO] = [4611797791050542631n, 79227682466138141934206691491n]
const MAX_UINT128 = (1n << 128n) - 1n
const ekubo = IEkuboCore__factory.createInterface()
const infinityVault = IPancakeInfinityVault__factory.createInterface()
const infinityCl = IPancakeInfinityClManager__factory.createInterface()
const infinityBin = IPancakeInfinityBinManager__factory.createInterface()

/** Returns a value as a word: 32 bytes of hex without 0x. */
const wordOf = (value: string | number | bigint | boolean): string =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
const balancerV1 = IBalancerV1Pool__factory.createInterface()
const aaveGsm = IAaveGsm__factory.createInterface()
const aaveV3 = IAaveV3Pool__factory.createInterface()
const ambient = IAmbientDex__factory.createInterface()
const propAmm = IPropAmmVenue__factory.createInterface()

/**
 * Types of an Ambient swap command. The price limit is a whole word, because it may exceed the type of Ambient's ABI.
 */
const AMBIENT_SWAP = [
  'address',
  'address',
  'uint256',
  'bool',
  'bool',
  'uint256',
  'uint16',
  'uint256',
  'uint128',
  'uint8',
]
const kyberElastic = IKyberElasticPool__factory.createInterface()
const maverickV2 = IMaverickV2Pool__factory.createInterface()
const psm3 = IPsm3__factory.createInterface()

/**
 * Parameters of a swap in Maverick V2 up to the last tick. The amount is 0, because a Recorder's balance never grows.
 */
const maverickSwap = (tokenAIn: boolean) => ({
  amount: 0n,
  tokenAIn,
  exactOutput: false,
  tickLimit: tokenAIn ? 2 ** 31 - 1 : -(2 ** 31),
})

export type Scene = {
  readonly executor: string
  readonly guard: string
  readonly task: { readonly tokenIn: string; readonly amountIn: bigint; readonly recipient: string }
  /** Native balance of the Executor in wei. */
  readonly native: bigint
  /** Timestamp of the block, in seconds. */
  readonly timestamp: number
}
/**
 * A call. `input` is the calldata, or only its selector if the rest is data that the callee passes back to a callback.
 */
export type Call = { readonly to: string; readonly value: bigint; readonly input: string }

const token = IERC20__factory.createInterface()
const guard = IGuard__factory.createInterface()
const wrapper = IWrappedNative__factory.createInterface()
const v2 = IUniswapV2Pair__factory.createInterface()
const v3 = IUniswapV3Pool__factory.createInterface()
const v4 = IUniswapV4PoolManager__factory.createInterface()
const curve = ICurvePool__factory.createInterface()
const balancerV2 = IBalancerV2Vault__factory.createInterface()
const balancerV3 = IBalancerV3Vault__factory.createInterface()
const liquidityBook = ILiquidityBookPair__factory.createInterface()
const vault = IERC4626__factory.createInterface()
const rate = IRateWrapper__factory.createInterface()
const dodo = IDodoV2Pool__factory.createInterface()
const iziswap = IIziswapPool__factory.createInterface()
const syncswap = ISyncswapPool__factory.createInterface()
const syncswapVault = ISyncswapVault__factory.createInterface()
const kyberClassic = IKyberClassicPair__factory.createInterface()
const woofiV2 = IWoofiV2Pool__factory.createInterface()
const fluidDex = IFluidDexPool__factory.createInterface()
const litePsm = ILitePsm__factory.createInterface()

/**
 * Returns the calls that steps encode. Long: one case for each operation.
 *
 * @returns undefined if the steps cannot be compared: they spend more native tokens than the Executor has, or the
 *   amount that a pool reports differs from the input
 */
export function expectedCalls(steps: readonly Step[], scene: Scene): Call[] | undefined {
  const calls: Call[] = []
  let { native } = scene
  const call = (to: string, input: string, value = 0n) => {
    calls.push({ to, value, input })
    native -= value
  }
  const isPulled = ({ kind }: StepInput) => kind === 'pull' || kind === 'pullAll'
  const amountOf = (input: StepInput, inputToken: string): bigint => {
    const balance = inputToken === ZERO ? native : WORD
    if (input.kind === 'pull' || input.kind === 'held') return input.amount
    if (input.kind === 'pullAll') return scene.task.amountIn
    return input.kind === 'share' ? (balance * BigInt(input.share)) >> 24n : balance
  }
  const pull = (to: string, amount: bigint) => call(scene.guard, guard.encodeFunctionData('pullInput', [to, amount]))
  const transfer = (tokenAddress: string, to: string, amount: bigint) =>
    call(tokenAddress, token.encodeFunctionData('transfer', [to, amount]))
  const approve = (tokenAddress: string, to: string, amount: bigint) =>
    call(tokenAddress, token.encodeFunctionData('approve', [to, amount]))
  /** Pays the amount that a callback asks for. */
  const pay = ({ input, tokenIn }: Step, to: string, amount: bigint) =>
    isPulled(input) ? pull(to, amount) : transfer(tokenIn, to, amount)
  const prepay = (step: Step, pool: string) => {
    if (step.input.kind !== 'atPool') pay(step, pool, amountOf(step.input, step.tokenIn))
  }
  /** Draws the input into the Executor. Returns 0 for pulled input, because balances of a Recorder never grow. */
  const take = ({ input, tokenIn }: Step): bigint => {
    const amount = amountOf(input, tokenIn)
    if (!isPulled(input)) return amount
    pull(scene.executor, amount)
    return 0n
  }
  /** Draws only the cost if the input is pulled from the sender. */
  const takeCost = (step: Step, cost: bigint, amount: bigint): bigint => {
    if (!isPulled(step.input)) return amount
    pull(scene.executor, cost)
    return 0n
  }
  /** Returns true for a step that reverts, because its pool takes another amount than its input. */
  const isPartialFill = ({ input }: Step, owed: bigint, amount: bigint) => !isPulled(input) && owed !== amount
  const passOn = (tokenAddress: string, to: string, amount: bigint) => {
    if (to !== scene.executor) transfer(tokenAddress, to, amount)
  }

  for (const step of steps) {
    const { tokenIn, output } = step
    const to =
      output.kind === 'executor' ? scene.executor : output.kind === 'recipient' ? scene.task.recipient : output.address
    switch (step.op) {
      case 'uniswap-v2': {
        prepay(step, step.pool)
        // A fee above 100 % overflows like in the Executor's unchecked arithmetic.
        const wrap = (value: bigint) => BigInt.asUintN(256, value)
        const amountAfterFee = wrap(RESERVE * BigInt(1_000_000 - step.feePpm))
        const out = wrap(amountAfterFee * RESERVE) / wrap(RESERVE * 1_000_000n + amountAfterFee)
        const outs = step.zeroForOne ? [0n, out] : [out, 0n]
        call(step.pool, v2.encodeFunctionData('swap', [outs[0]!, outs[1]!, to, '0x']))
        break
      }
      case 'uniswap-v3': {
        const amount = amountOf(step.input, tokenIn)
        const limit = step.zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE
        call(step.pool, v3.encodeFunctionData('swap', [to, step.zeroForOne, amount, limit, '0x']))
        pay(step, step.pool, amount)
        break
      }
      case 'kyber-elastic': {
        const amount = amountOf(step.input, tokenIn)
        const limit = step.zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE
        call(step.pool, kyberElastic.encodeFunctionData('swap', [to, amount, step.zeroForOne, limit, '0x']))
        pay(step, step.pool, amount)
        break
      }
      case 'wrap': {
        const amount = amountOf(step.input, ZERO)
        if (amount > native) return undefined
        call(step.wrapped, wrapper.encodeFunctionData('deposit'), amount)
        passOn(step.wrapped, to, amount)
        break
      }
      case 'unwrap': {
        const amount = take(step)
        call(tokenIn, wrapper.encodeFunctionData('withdraw', [amount]))
        native += amount
        if (to !== scene.executor) call(to, '0x', amount)
        break
      }
      case 'uniswap-v4': {
        let amount = amountOf(step.input, tokenIn)
        const owed = step.hops.length === 0 ? 0n : spentOf(amount, -1n)
        if (isPartialFill(step, owed, amount)) return undefined
        call(step.manager, v4.getFunction('unlock').selector)
        let sold: string = tokenIn
        for (const { tokenOut, fee, tickSpacing, hooks } of step.hops) {
          const zeroForOne = BigInt(sold) < BigInt(tokenOut)
          const [currency0, currency1] = zeroForOne ? [sold, tokenOut] : [tokenOut, sold]
          const key = { currency0, currency1, fee, tickSpacing: BigInt.asIntN(24, BigInt(tickSpacing)), hooks }
          const limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE
          const params = { zeroForOne, amountSpecified: -amount, sqrtPriceLimitX96: limit }
          call(step.manager, v4.encodeFunctionData('swap', [key, params, '0x']))
          sold = tokenOut
          amount = POOL_OUTPUT
        }
        call(step.manager, v4.encodeFunctionData('sync', [tokenIn]))
        pay(step, step.manager, owed)
        call(step.manager, v4.encodeFunctionData('settle'))
        call(step.manager, v4.encodeFunctionData('take', [sold, to, amount]))
        break
      }
      case 'solidly': {
        prepay(step, step.pool)
        const outs = step.zeroForOne ? [0n, WORD] : [WORD, 0n]
        call(step.pool, v2.encodeFunctionData('swap', [outs[0]!, outs[1]!, to, '0x']))
        break
      }
      case 'curve': {
        const { i, j, variant } = step
        if (variant === 'int128-received' || variant === 'uint256-received') {
          prepay(step, step.pool)
          const input =
            variant === 'int128-received'
              ? curve.encodeFunctionData('exchange_received(int128,int128,uint256,uint256,address)', [i, j, 0, 0, to])
              : curve.encodeFunctionData('exchange_received(uint256,uint256,uint256,uint256,address)', [i, j, 0, 0, to])
          call(step.pool, input)
          break
        }
        const amount = take(step)
        approve(tokenIn, step.pool, amount)
        const input =
          variant === 'int128'
            ? curve.encodeFunctionData('exchange(int128,int128,uint256,uint256)', [i, j, amount, 0])
            : variant === 'uint256'
              ? curve.encodeFunctionData('exchange(uint256,uint256,uint256,uint256)', [i, j, amount, 0])
              : curve.encodeFunctionData('swap', [i, j, amount, 0, MaxUint256])
        call(step.pool, input)
        passOn(step.tokenOut, to, 0n)
        break
      }
      case 'balancer-v2': {
        const amount = take(step)
        approve(tokenIn, step.vault, amount)
        const swaps = step.hops.map(({ poolId }, hopIndex) => ({
          poolId,
          assetInIndex: hopIndex,
          assetOutIndex: hopIndex + 1,
          amount: hopIndex === 0 ? amount : 0n,
          userData: '0x',
        }))
        const assets = [tokenIn, ...step.hops.map(({ tokenOut }) => tokenOut)]
        const funds = { sender: scene.executor, fromInternalBalance: false, recipient: to, toInternalBalance: false }
        const limits = assets.map((_, assetIndex) => (assetIndex === 0 ? amount : 0n))
        call(step.vault, balancerV2.encodeFunctionData('batchSwap', [0, swaps, assets, funds, limits, scene.timestamp]))
        break
      }
      case 'balancer-v3': {
        let amount = amountOf(step.input, tokenIn)
        call(step.vault, balancerV3.getFunction('unlock').selector)
        pay(step, step.vault, amount)
        call(step.vault, balancerV3.encodeFunctionData('settle', [tokenIn, amount]))
        let sold: string = tokenIn
        for (const { pool, tokenOut } of step.hops) {
          const common = { kind: 0, amountGivenRaw: amount, limitRaw: 0n }
          const wrapped = { ...common, direction: pool === tokenOut ? 0 : 1, wrappedToken: pool }
          const input =
            pool === tokenOut || pool === sold
              ? balancerV3.encodeFunctionData('erc4626BufferWrapOrUnwrap', [wrapped])
              : balancerV3.encodeFunctionData('swap', [{ ...common, pool, tokenIn: sold, tokenOut, userData: '0x' }])
          call(step.vault, input)
          sold = tokenOut
          amount = WORD
        }
        call(step.vault, balancerV3.encodeFunctionData('sendTo', [sold, to, amount]))
        break
      }
      case 'liquidity-book':
        prepay(step, step.pool)
        call(step.pool, liquidityBook.encodeFunctionData('swap', [step.swapForY, to]))
        break
      case 'pancake-infinity': {
        let amount = amountOf(step.input, tokenIn)
        const owed = step.hops.length === 0 ? 0n : spentOf(amount, -1n)
        if (isPartialFill(step, owed, amount)) return undefined
        call(step.vault, infinityVault.getFunction('lock').selector)
        let sold: string = tokenIn
        for (const { tokenOut, manager, kind, fee, parameters, hooks } of step.hops) {
          const zeroForOne = BigInt(sold) < BigInt(tokenOut)
          const [currency0, currency1] = zeroForOne ? [sold, tokenOut] : [tokenOut, sold]
          const key = [currency0, currency1, hooks, manager, fee, parameters]
          // Encodes the words by hand, because the Executor does not check that the amount fits the 128 bits of bin
          // pools.
          const cl = infinityCl.getFunction('swap').selector
          const words =
            kind === 'cl'
              ? [...key, zeroForOne, -amount, zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE, 0x140, 0]
              : [...key, zeroForOne, -amount, 0x120, 0]
          call(manager, (kind === 'cl' ? cl : infinityBin.getFunction('swap').selector) + words.map(wordOf).join(''))
          sold = tokenOut
          amount = POOL_OUTPUT
        }
        call(step.vault, infinityVault.encodeFunctionData('sync', [tokenIn]))
        pay(step, step.vault, owed)
        call(step.vault, infinityVault.encodeFunctionData('settle'))
        call(step.vault, infinityVault.encodeFunctionData('take', [sold, to, amount]))
        break
      }
      case 'iziswap': {
        const amount = amountOf(step.input, tokenIn)
        call(
          step.pool,
          step.zeroForOne
            ? iziswap.encodeFunctionData('swapX2Y', [to, amount, -FARTHEST_POINT, '0x'])
            : iziswap.encodeFunctionData('swapY2X', [to, amount, FARTHEST_POINT, '0x']),
        )
        pay(step, step.pool, amount)
        break
      }
      case 'syncswap': {
        const amount = amountOf(step.input, tokenIn)
        pay(step, step.vault === ZERO ? step.pool : step.vault, amount)
        if (step.vault !== ZERO) call(step.vault, syncswapVault.encodeFunctionData('deposit', [tokenIn, step.pool]))
        const data = AbiCoder.defaultAbiCoder().encode(['address', 'address', 'uint8'], [tokenIn, to, 2])
        call(step.pool, syncswap.encodeFunctionData('swap', [data, ZERO, ZERO, '0x']))
        break
      }
      case 'kyber-classic': {
        prepay(step, step.pool)
        // Output without a fee, because a Recorder reports none.
        const out = ((WORD - RESERVE) * RESERVE) / WORD
        const outs = step.zeroForOne ? [0n, out] : [out, 0n]
        call(step.pool, kyberClassic.encodeFunctionData('swap', [outs[0]!, outs[1]!, to, '0x']))
        break
      }
      case 'woofi-v2':
        pay(step, step.pool, amountOf(step.input, tokenIn))
        // The amount is 0, because a Recorder's balance never grows.
        call(step.pool, woofiV2.encodeFunctionData('swap', [tokenIn, step.tokenOut, 0n, 0n, to, ZERO]))
        break
      case 'fluid-dex': {
        const amount = take(step)
        approve(tokenIn, step.pool, amount)
        call(step.pool, fluidDex.encodeFunctionData('swapIn', [step.zeroForOne, amount, 0n, to]))
        break
      }
      case 'psm3': {
        const amount = take(step)
        approve(tokenIn, step.pool, amount)
        call(step.pool, psm3.encodeFunctionData('swapExactIn', [tokenIn, step.tokenOut, amount, 0n, to, 0n]))
        break
      }
      case 'lite-psm': {
        if (step.sellGem) {
          const amount = take(step)
          approve(tokenIn, step.pool, amount)
          call(step.pool, litePsm.encodeFunctionData('sellGem', [to, amount]))
          break
        }
        const WAD = 10n ** 18n
        const amount = amountOf(step.input, tokenIn)
        // A Recorder returns `WORD` for both the factor and the fee.
        const gems = ((amount + 1n) * WAD - 1n) / (WORD * (WAD + WORD))
        const cost = gems * WORD + (gems * WORD * WORD) / WAD
        approve(tokenIn, step.pool, takeCost(step, cost, amount))
        call(step.pool, litePsm.encodeFunctionData('buyGem', [to, gems]))
        break
      }
      case 'ekubo': {
        let amount = amountOf(step.input, tokenIn)
        const owed = step.hops.length === 0 ? 0n : spentOf(amount < MAX_UINT128 ? amount : MAX_UINT128, 1n)
        if (isPartialFill(step, owed, amount)) return undefined
        call(step.core, ekubo.getFunction('lock').selector)
        let sold: string = tokenIn
        for (const { tokenOut, config } of step.hops) {
          const zeroForOne = BigInt(sold) < BigInt(tokenOut)
          const tokens = zeroForOne ? [sold, tokenOut] : [tokenOut, sold]
          const specified = amount < MAX_UINT128 ? amount : MAX_UINT128
          const limit = zeroForOne ? LOWEST_RATIO : HIGHEST_RATIO
          const params = (limit << 160n) | (specified << 32n) | (zeroForOne ? 0n : 1n << 31n)
          call(step.core, `0x00000000${[...tokens, config, params].map(wordOf).join('')}`)
          sold = tokenOut
          amount = POOL_OUTPUT
        }
        call(step.core, ekubo.getFunction('startPayments').selector + wordOf(tokenIn))
        pay(step, step.core, owed)
        call(step.core, ekubo.getFunction('completePayments').selector + wordOf(tokenIn))
        const packed = [sold, to].map((address) => address.slice(2)).join('')
        const amountHex = BigInt.asUintN(128, amount).toString(16).padStart(32, '0')
        call(step.core, ekubo.getFunction('withdraw').selector + packed + amountHex)
        break
      }
      case 'balancer-v1': {
        const amount = take(step)
        approve(tokenIn, step.pool, amount)
        const maxPrice = 2n ** 256n - 1n
        const { tokenOut } = step
        call(step.pool, balancerV1.encodeFunctionData('swapExactAmountIn', [tokenIn, amount, tokenOut, 0n, maxPrice]))
        passOn(tokenOut, to, 0n)
        break
      }
      case 'aave-gsm': {
        if (step.sellAsset) {
          const amount = take(step)
          approve(tokenIn, step.pool, amount)
          call(step.pool, aaveGsm.encodeFunctionData('sellAsset', [amount, to]))
          break
        }
        // A Recorder returns `WORD` for both the asset amount that GHO buys and its cost.
        approve(tokenIn, step.pool, takeCost(step, WORD, amountOf(step.input, tokenIn)))
        call(step.pool, aaveGsm.encodeFunctionData('buyAsset', [WORD, to]))
        break
      }
      case 'aave-v3': {
        const amount = take(step)
        if (step.supply) {
          approve(tokenIn, step.pool, amount)
          call(step.pool, aaveV3.encodeFunctionData('supply', [tokenIn, amount, to, 0]))
        } else call(step.pool, aaveV3.encodeFunctionData('withdraw', [step.tokenOut, amount, to]))
        break
      }
      case 'euler-swap': {
        prepay(step, step.pool)
        // A Recorder returns `WORD` for the output.
        const outs = BigInt(tokenIn) < BigInt(step.tokenOut) ? [0n, WORD] : [WORD, 0n]
        call(step.pool, v2.encodeFunctionData('swap', [outs[0]!, outs[1]!, to, '0x']))
        break
      }
      case 'ambient': {
        const amount = take(step)
        approve(tokenIn, step.dex, amount)
        const { tokenOut, poolIdx, limitBits } = step
        const isBuy = BigInt(tokenIn) < BigInt(tokenOut)
        const [base, quote] = isBuy ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
        const command = AbiCoder.defaultAbiCoder().encode(AMBIENT_SWAP, [
          ...[base, quote, poolIdx, isBuy, isBuy, amount, 0, 1n << BigInt(limitBits), 0, 0],
        ])
        call(step.dex, ambient.encodeFunctionData('userCmd', [1, command]))
        passOn(tokenOut, to, 0n)
        break
      }
      case 'prop-amm':
        pay(step, step.pool, amountOf(step.input, tokenIn))
        // The amount is 0, because a Recorder's balance never grows.
        call(step.pool, propAmm.encodeFunctionData('swap', [tokenIn, step.tokenOut, 0n, 0n, to, 2n ** 256n - 1n]))
        break
      case 'maverick-v2':
        pay(step, step.pool, amountOf(step.input, tokenIn))
        call(step.pool, maverickV2.encodeFunctionData('swap', [to, maverickSwap(step.zeroForOne), '0x']))
        break
      case 'erc4626': {
        const amount = take(step)
        if (step.deposit) {
          approve(tokenIn, step.tokenOut, amount)
          call(step.tokenOut, vault.encodeFunctionData('deposit', [amount, to]))
        } else call(tokenIn, vault.encodeFunctionData('redeem', [amount, to, scene.executor]))
        break
      }
      case 'rate-wrapper': {
        const amount = take(step)
        if (step.wrap) {
          approve(tokenIn, step.tokenOut, amount)
          call(step.tokenOut, rate.encodeFunctionData('wrap', [amount]))
        } else call(tokenIn, rate.encodeFunctionData('unwrap', [amount]))
        passOn(step.tokenOut, to, 0n)
        break
      }
      case 'dodo-v2':
        prepay(step, step.pool)
        call(
          step.pool,
          step.sellBase ? dodo.encodeFunctionData('sellBase', [to]) : dodo.encodeFunctionData('sellQuote', [to]),
        )
        break
    }
  }
  return calls
}
