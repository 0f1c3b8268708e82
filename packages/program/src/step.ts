/** 20 bytes, 0x-prefixed lower-case hex. */
type Address = `0x${string}`

/** How much of its input token a step takes. */
export type StepInput =
  /** Exactly this much of the sender's input token, drawn through the Guard. Base units, below 2^128. */
  | { readonly kind: 'pull'; readonly amount: bigint }
  /** All of the sender's input, drawn through the Guard. */
  | { readonly kind: 'pullAll' }
  /** Exactly this much of what the Executor holds. Base units, below 2^128. */
  | { readonly kind: 'held'; readonly amount: bigint }
  /** floor(balance × share / SHARE_DENOMINATOR) of what the Executor holds; 1 ≤ share < SHARE_DENOMINATOR. */
  | { readonly kind: 'share'; readonly share: number }
  /** All that the Executor holds. */
  | { readonly kind: 'rest' }
  /** The step before has paid this pool already: only where the family measures its own input (PREPAID_OPS). */
  | { readonly kind: 'atPool' }

/** Where a step's output goes. */
export type StepOutput =
  | { readonly kind: 'executor' }
  /** Whom the Guard names: itself, to release it to the sender after its checks, or the sender in direct mode. */
  | { readonly kind: 'recipient' }
  /** Another pool that takes it as its input. */
  | { readonly kind: 'address'; readonly address: Address }

type Common = { readonly tokenIn: Address; readonly input: StepInput; readonly output: StepOutput }

/** One instruction of the Executor: a swap in one pool, or a wrap. One member per family. */
export type Step =
  | (Common & {
      readonly op: 'uniswap-v2'
      readonly pool: Address
      readonly zeroForOne: boolean
      readonly feePpm: number
    })
  | (Common & { readonly op: 'uniswap-v3'; readonly pool: Address; readonly zeroForOne: boolean })
  /** Native to wrapped; `tokenIn` is the zero address. */
  | (Common & { readonly op: 'wrap'; readonly wrapped: Address })
  /** Wrapped to native; `tokenIn` is the wrapper. */
  | (Common & { readonly op: 'unwrap' })
  /** Several pools of the singleton in one unlock; the zero address is native. */
  | (Common & { readonly op: 'uniswap-v4'; readonly manager: Address; readonly hops: readonly UniswapV4Hop[] })
  | (Common & { readonly op: 'solidly'; readonly pool: Address; readonly zeroForOne: boolean })
  /** The zero address is native. */
  | (Common & {
      readonly op: 'curve'
      readonly pool: Address
      readonly variant: CurveVariant
      /** Indices of the coins, 0–255. */
      readonly i: number
      readonly j: number
      readonly tokenOut: Address
    })
  /** Several pools of the vault in one batch; the zero address is native. */
  | (Common & { readonly op: 'balancer-v2'; readonly vault: Address; readonly hops: readonly BalancerV2Hop[] })
  /** Several pools of the vault in one unlock. */
  | (Common & { readonly op: 'balancer-v3'; readonly vault: Address; readonly hops: readonly BalancerV3Hop[] })
  /** `swapForY`: token X is sold. */
  | (Common & { readonly op: 'liquidity-book'; readonly pool: Address; readonly swapForY: boolean })
  /** `deposit`: the asset is `tokenIn` and the vault `tokenOut`; the other way round for a redemption. */
  | (Common & { readonly op: 'erc4626'; readonly tokenOut: Address; readonly deposit: boolean })
  /** `wrap`: the wrapper is `tokenOut`; else it is `tokenIn`. Calls wrap(uint256) or unwrap(uint256). */
  | (Common & { readonly op: 'rate-wrapper'; readonly tokenOut: Address; readonly wrap: boolean })
  | (Common & { readonly op: 'dodo-v2'; readonly pool: Address; readonly sellBase: boolean })

export type UniswapV4Hop = {
  readonly tokenOut: Address
  /** As in the pool key, 24 bits; 0x800000 for a dynamic fee. */
  readonly fee: number
  readonly tickSpacing: number
  /** The zero address for none. */
  readonly hooks: Address
}
/** `poolId` is 32 bytes. */
export type BalancerV2Hop = { readonly poolId: `0x${string}`; readonly tokenOut: Address }
export type BalancerV3Hop = { readonly pool: Address; readonly tokenOut: Address }
/** The type of the indices of `exchange`; `received` calls exchange_received, for which the input is sent to the pool first. */
export type CurveVariant = 'int128' | 'uint256' | 'int128-received' | 'uint256-received'
