/**
 * Reference implementation of the Guard, without storage slots, packing, and assembly. It is written from the
 * documentation of IGuard, SECURITY.md, and docs/audit (calls.md, state.md). If several errors apply to a call,
 * `Reverted.errors` lists all of them, and the Guard may report any: the documents define no order.
 */
import { type Account, type Call, GUARD, type Move, PERMIT2, type Permit, type Swap, ZERO } from './calls.ts'
import { type Answer, type Outcome, Reverted } from './outcome.ts'
import type { RunningSwap, State } from './state.ts'

const PPM = 1_000_000n
const MAX_FEE_PPM = 100_000n
const MAX_UINT256 = (1n << 256n) - 1n
const NOTHING: Answer = { word: 0n, size: 0 }

/** Arguments of a swap, in one form for all six functions. */
type SwapTerms = {
  readonly sender: Account
  readonly value: bigint
  readonly amountIn: bigint
  readonly tokenIn: Account
  readonly tokenOut: Account
  readonly minOutput: bigint
  readonly executor: Account
  readonly recipient: Account
  readonly isDirect: boolean
  readonly wrapper: Account
  readonly feePpm: bigint
  readonly feeRecipient: Account
  readonly permit: Permit | undefined
  readonly program: readonly Move[]
}

const increaseOf = (before: bigint, after: bigint): bigint => (after > before ? after - before : 0n)

/** Parts of the model in `world.ts` that the Guard uses: state of the chain, and calls of other contracts. */
interface World extends State {
  /** Timestamp of the block, in seconds. */
  readonly now: bigint
  call(from: Account, to: Account, value: bigint, call: Call): Outcome
  balanceOf(token: Account, account: Account): bigint
  execute(executor: Account, value: bigint, program: readonly Move[]): Outcome
  withdraw(wrapper: Account, amount: bigint): Outcome
}

export class ReferenceGuard {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  answer(caller: Account, value: bigint, call: Call): Answer {
    switch (call.kind) {
      case 'native':
        if (!this.#world.runningSwap) throw new Reverted('UnexpectedNative')
        return NOTHING
      case 'remaining':
        if (value > 0n) throw new Reverted('empty')
        return { word: this.#world.remaining, size: 32 }
      case 'pullInput':
        if (value > 0n) throw new Reverted('empty')
        this.#pullInput(caller, call.to, call.amount)
        return NOTHING
      case 'swap': {
        const terms = termsOf(caller, value, call.swap)
        const refusals = refusalsOf(terms, call.swap, this.#world)
        if (refusals.length > 0) throw new Reverted(...refusals)
        return { word: this.#swap(terms), size: 32 }
      }
      default:
        throw new Reverted('empty')
    }
  }

  /** Lets the Executor of the running swap transfer at most `remaining` of the input to any account but the Guard. */
  #pullInput(caller: Account, to: Account, amount: bigint): void {
    const world = this.#world
    const { runningSwap } = world
    if (!runningSwap || runningSwap.executor !== caller) throw new Reverted('NotExecutor')
    if (amount > world.remaining || to === GUARD) throw new Reverted('InvalidPull')
    world.remaining -= amount
    const { payer, token, inputSource } = runningSwap
    if (inputSource === 'wrapped') this.#pay(token, to, amount)
    else if (inputSource === 'approval') this.#callTransfer(token, { kind: 'transferFrom', from: payer, to, amount })
    else {
      const transferOutcome = world.call(GUARD, PERMIT2, 0n, { kind: 'transfer2', from: payer, to, amount, token })
      if (!transferOutcome.ok) throw failureOf(transferOutcome, 'TransferFailed')
      if (!world.hasCode(PERMIT2)) throw new Reverted('TransferFailed')
    }
  }

  #swap(terms: SwapTerms): bigint {
    const world = this.#world
    if (terms.permit) this.#submit(terms, terms.permit)
    // Native balance of the Guard before this call: the balance already includes the value of the call.
    const nativeBefore = world.native(GUARD) - terms.value
    const received = terms.isDirect
      ? this.#direct(terms)
      : terms.tokenOut === ZERO
        ? this.#nativeOutput(terms, nativeBefore)
        : this.#tokenOutput(terms)
    if (received < terms.minOutput)
      throw new Reverted(world.hasCode(terms.executor) ? 'OutputTooLow' : 'InvalidExecutor')
    if (terms.value > 0n) {
      const unused = increaseOf(nativeBefore, world.native(GUARD))
      if (unused > 0n) this.#send(terms.sender, unused)
    }
    world.runningSwap = undefined
    return received
  }

  /**
   * Submits the sender's permit while the Guard is locked. Ignores a failure, because an earlier approval may suffice.
   */
  #submit({ sender, tokenIn }: SwapTerms, permit: Permit): void {
    const world = this.#world
    world.runningSwap = { executor: undefined, payer: sender, token: tokenIn, inputSource: 'approval' }
    if (!permit.signature) return
    if (permit.kind === 'permit2')
      world.call(GUARD, PERMIT2, 0n, { kind: 'permit2', owner: sender, token: tokenIn, permit })
    else world.call(GUARD, tokenIn, 0n, { kind: 'permit', owner: sender, spender: GUARD, permit })
  }

  /** Direct mode: the Executor pays the recipient. The output is the increase of the recipient's balance. */
  #direct(terms: SwapTerms): bigint {
    const before = this.#world.balanceOf(terms.tokenOut, terms.recipient)
    this.#execute(terms)
    return increaseOf(before, this.#world.balanceOf(terms.tokenOut, terms.recipient))
  }

  /**
   * Custody mode: the Guard receives the output, pays the fee, and pays the rest to the recipient. Returns the increase
   * of the recipient's balance.
   */
  #tokenOutput(terms: SwapTerms): bigint {
    const world = this.#world
    const { tokenOut, recipient } = terms
    const before = world.balanceOf(tokenOut, GUARD)
    this.#execute(terms)
    const output = increaseOf(before, world.balanceOf(tokenOut, GUARD))
    const fee = feeOf(output, terms.feePpm)
    if (fee > 0n) this.#pay(tokenOut, terms.feeRecipient, fee)
    if (output - fee === 0n) return 0n
    const balanceBefore = world.balanceOf(tokenOut, recipient)
    this.#pay(tokenOut, recipient, output - fee)
    return increaseOf(balanceBefore, world.balanceOf(tokenOut, recipient))
  }

  /** Like `#tokenOutput`, for native output. If the order names a wrapper, the Guard unwraps the output first. */
  #nativeOutput(terms: SwapTerms, nativeBefore: bigint): bigint {
    const world = this.#world
    const { wrapper, recipient, minOutput } = terms
    if (wrapper === ZERO) this.#execute(terms)
    else {
      const before = world.balanceOf(wrapper, GUARD)
      this.#execute(terms)
      const wrapped = increaseOf(before, world.balanceOf(wrapper, GUARD))
      if (wrapped > 0n) this.#unwrap(wrapper, wrapped)
    }
    const output = increaseOf(nativeBefore, world.native(GUARD))
    const fee = feeOf(output, terms.feePpm)
    if (fee > 0n) this.#send(terms.feeRecipient, fee)
    if (output - fee >= minOutput) this.#send(recipient, output - fee)
    return output - fee
  }

  /**
   * Sets `remaining` to the input that the program may pull, runs the program, and unwraps native input that it did not
   * pull.
   */
  #execute(terms: SwapTerms): void {
    const world = this.#world
    const { sender, value, tokenIn, amountIn, executor } = terms
    const runningSwap: RunningSwap = {
      executor,
      payer: value > 0n ? GUARD : sender,
      token: tokenIn,
      inputSource: value > 0n ? 'wrapped' : terms.permit?.kind === 'permit2' ? 'permit2' : 'approval',
    }
    world.runningSwap = runningSwap
    const isForwarded = value > 0n && tokenIn === ZERO
    if (value > 0n && !isForwarded) this.#wrap(tokenIn, amountIn)
    if (!isForwarded) world.remaining = loanOf(amountIn, world.build)
    const programOutcome = world.execute(executor, isForwarded ? value : 0n, terms.program)
    if (!programOutcome.ok)
      throw world.hasCode(executor) ? new Reverted(...programOutcome.errors) : new Reverted('InvalidExecutor')
    const unpulled = world.remaining
    world.remaining = 0n
    if (value > 0n && unpulled > 0n) this.#unwrap(tokenIn, unpulled)
  }

  /**
   * Wraps native input. If the Guard already holds tokens of the wrapper, the wrapper must credit the exact amount.
   * Otherwise the program could pull the tokens that the Guard held before.
   */
  #wrap(wrapper: Account, amount: bigint): void {
    const world = this.#world
    const before = world.balanceOf(wrapper, GUARD)
    const depositOutcome = world.call(GUARD, wrapper, amount, { kind: 'deposit' })
    if (!depositOutcome.ok) throw new Reverted(...depositOutcome.errors)
    if (before > 0n && increaseOf(before, world.balanceOf(wrapper, GUARD)) !== amount)
      throw new Reverted('WrapMismatch')
  }

  #unwrap(wrapper: Account, amount: bigint): void {
    const world = this.#world
    const before = world.native(GUARD)
    const withdrawalOutcome = world.withdraw(wrapper, amount)
    if (!withdrawalOutcome.ok) throw new Reverted(...withdrawalOutcome.errors)
    if (increaseOf(before, world.native(GUARD)) !== amount) throw new Reverted('WrapMismatch')
  }

  #pay(token: Account, to: Account, amount: bigint): void {
    this.#callTransfer(token, { kind: 'transfer', to, amount })
  }

  /** Calls a transfer function of a token. The token must return true, or return nothing and have code. */
  #callTransfer(token: Account, call: Call): void {
    const outcome = this.#world.call(GUARD, token, 0n, call)
    if (!outcome.ok) throw failureOf(outcome, 'TransferFailed')
    const { size, word } = outcome.answer
    const isTrue = size === 0 ? this.#world.hasCode(token) : size >= 32 && word === 1n
    if (!isTrue) throw new Reverted('TransferFailed')
  }

  #send(to: Account, amount: bigint): void {
    if (!this.#world.call(GUARD, to, amount, { kind: 'native' }).ok) throw new Reverted('NativeTransferFailed')
  }
}

/** Returns the errors of a failed call. Replaces a revert without data by the error `otherwise`. */
function failureOf(outcome: Extract<Outcome, { ok: false }>, otherwise: string): Reverted {
  return new Reverted(...outcome.errors.map((error) => (error === 'empty' ? otherwise : error)))
}

/** Returns the input that a program may pull. In the london build, 2^256 - 1 overflows to 0 (StorageSlots.sol). */
function loanOf(amount: bigint, build: World['build']): bigint {
  return build === 'london' && amount === MAX_UINT256 ? 0n : amount
}

function feeOf(output: bigint, feePpm: bigint): bigint {
  if (output * feePpm > MAX_UINT256) throw new Reverted('Panic')
  return (output * feePpm) / PPM
}

function termsOf(sender: Account, value: bigint, swap: Swap): SwapTerms {
  const { name, order, payout, program } = swap
  const isDirect = name === 'swapDirect' || name === 'swapDirectWithPermit'
  const hasPayout = name === 'swapWithPayout' || name === 'swapWithPermit'
  const hasPermit = name === 'swapWithPermit' || name === 'swapDirectWithPermit'
  return {
    ...{ sender, value, isDirect, program, ...order },
    amountIn: name === 'swapNative' ? value : swap.amountIn,
    recipient: isDirect ? swap.recipient : hasPayout ? payout.recipient : sender,
    wrapper: hasPayout ? payout.wrapper : ZERO,
    feePpm: hasPayout ? payout.feePpm : 0n,
    feeRecipient: hasPayout ? payout.feeRecipient : ZERO,
    permit: hasPermit ? swap.permit : undefined,
  }
}

/** Returns the errors of all violated rules that the Guard checks before it calls another contract. */
function refusalsOf(terms: SwapTerms, { name, order, widenedWord }: Swap, world: World): readonly string[] {
  const { value, amountIn, tokenIn, tokenOut, executor, wrapper, recipient, feePpm, feeRecipient } = terms
  const takesValue = name === 'swapNative' || name === 'swapWithPayout' || name === 'swapDirect'
  const namesRecipient = name !== 'swap' && name !== 'swapNative'
  const isNativeIn = value > 0n || tokenIn === ZERO
  const tokens = wrapper === ZERO ? [tokenIn, tokenOut] : [tokenIn, tokenOut, wrapper]
  const rules: readonly (readonly [string, boolean])[] = [
    ['empty', widenedWord !== undefined || (value > 0n && !takesValue)],
    ['Reentrancy', world.runningSwap !== undefined],
    ['Expired', world.now > order.deadline],
    ['ZeroAmount', amountIn === 0n || order.minOutput === 0n],
    ['InvalidValue', (value > 0n && value !== amountIn) || (tokenIn === ZERO && value === 0n)],
    [
      'SameToken',
      tokenIn === tokenOut || (isNativeIn && tokenOut === ZERO) || (wrapper !== ZERO && wrapper === tokenIn),
    ],
    ['InvalidExecutor', executor === GUARD || tokens.includes(executor)],
    ['InvalidWrapper', wrapper !== ZERO && tokenOut !== ZERO],
    ['FeeTooHigh', feePpm > MAX_FEE_PPM],
    ['InvalidFeeRecipient', feePpm > 0n && (feeRecipient === ZERO || feeRecipient === GUARD)],
    [
      'InvalidRecipient',
      namesRecipient && (recipient === ZERO || recipient === GUARD || [...tokens, executor].includes(recipient)),
    ],
    ['DirectNative', terms.isDirect && tokenOut === ZERO],
  ]
  return rules.filter(([, applies]) => applies).map(([error]) => error)
}
