/**
 * Mutants of the contracts for scripts/mutants.ts. Each mutant changes one line on which an invariant depends, for
 * example a check or the reset of a slot.
 */

/** A change of one line of the contracts. A test must detect it. */
export type Mutant = {
  readonly name: string
  /** Path below contracts/src. */
  readonly file: string
  /** Text in the file, whose first occurrence is replaced by `to`. */
  readonly from: string
  readonly to: string
  /** True to test the mutant in both builds; otherwise it is tested only in the cancun build. */
  readonly bothBuilds?: boolean
}

const guard = (name: string, from: string, to = ''): Mutant => ({ name, file: 'core/GuardCore.sol', from, to })
/** Returns a mutant of the code that stores lock and loan. This code differs between the builds. */
const loan = (name: string, from: string, to = ''): Mutant => ({
  name,
  file: 'core/Loan.sol',
  from,
  to,
  bothBuilds: true,
})
const orders = (name: string, from: string, to = ''): Mutant => ({ name, file: 'libraries/Orders.sol', from, to })
const permits = (name: string, from: string, to = ''): Mutant => ({ name, file: 'libraries/Permits.sol', from, to })
const executor = (name: string, from: string, to = ''): Mutant => ({ name, file: 'core/ExecutorCore.sol', from, to })

/** Line that accepts a token call without return data. */
const ACCEPTS_NO_RETURN_DATA = 'ok := and(ok, and(iszero(returndatasize()), gt(extcodesize(token), 0)))'

export const mutants: readonly Mutant[] = [
  guard('the Guard can be entered again', 'if (_locked()) revert Reentrancy();'),
  loan('anyone may pull', 'if (uint160(executor) != uint160(msg.sender)) revert NotExecutor(msg.sender);'),
  loan('a pull may pass what is left', 'or(gt(amount, left), eq(to, address()))', 'eq(to, address())'),
  loan('the Guard may be pulled to', 'or(gt(amount, left), eq(to, address()))', 'gt(amount, left)'),
  loan('a pull is not counted', '_set(REMAINING, left - amount);'),
  guard('any output will do', 'amountOut < order.minOutput)', 'amountOut == 0)'),
  guard('one unit too little passes', 'if (amountOut < order.minOutput)', 'if (amountOut + 1 < order.minOutput)'),
  guard(
    'a tax on the way to the sender is not seen',
    'tokenOut.transfer(recipient, amountOut);\n                amountOut = _growth(before, tokenOut.balanceOf(recipient));',
    'tokenOut.transfer(recipient, amountOut);',
  ),
  guard(
    'strays at the Guard count as output',
    'amountOut = _growth(before, tokenOut.balanceOf(address(this)));\n            address',
    'amountOut = tokenOut.balanceOf(address(this));\n            address',
  ),
  guard(
    'native strays count as output',
    'amount = _growth(nativeBefore, address(this).balance)',
    'amount = address(this).balance',
  ),
  guard('the fee is rounded up', 'amount * payout.feePpm / PPM', '(amount * payout.feePpm + PPM - 1) / PPM'),
  orders('the cap is a fifth', 'MAX_FEE_PPM = 100_000', 'MAX_FEE_PPM = 200_000'),
  guard('what is said of the payout is not looked at', 'order.checkPayout(payout);'),
  guard(
    'what is said of the payout beside a permit is not looked at',
    'order.checkPayout(payout);\n        _check(amountIn, order);\n        return _swap(amountIn, order, payout, _use',
    '_check(amountIn, order);\n        return _swap(amountIn, order, payout, _use',
  ),
  orders('the Guard may be the fee recipient', ' || feeRecipient == address(this)'),
  orders('nobody may be the recipient', 'or(iszero(recipient), eq(recipient, address()))', 'eq(recipient, address())'),
  orders('the Guard may be the recipient', 'or(iszero(recipient), eq(recipient, address()))', 'iszero(recipient)'),
  orders('the Executor may be the recipient', 'eq(recipient, calldataload(add(order, 0x80)))', '0'),
  orders('the input token may be the recipient', 'or(eq(recipient, calldataload(order)), ', 'or(0, '),
  orders('the output token may be the recipient', 'eq(recipient, calldataload(add(order, 0x20)))', '0'),
  orders(
    'the wrapper may be the recipient',
    'if (payout.recipient == wrapper) revert IGuard.InvalidRecipient(wrapper);',
  ),
  guard('what is said of the recipient is not looked at', 'order.checkRecipient(recipient);'),
  guard(
    'what is said of the recipient with a permit is not looked at',
    'order.checkRecipient(recipient);\n        _check(amountIn, order);\n        return _swapDirect(amountIn, order, recipient, _use',
    '_check(amountIn, order);\n        return _swapDirect(amountIn, order, recipient, _use',
  ),
  guard('the sender is paid in place of the recipient', 'address recipient = payout.payee();', 'address recipient;'),
  guard(
    'direct mode measures the sender',
    'uint256 before = tokenOut.balanceOf(recipient);',
    'uint256 before = tokenOut.balanceOf(msg.sender);',
  ),
  guard('the loan outlives the swap', '_lend(0);\n            return;', 'return;'),
  guard('the lock outlives the swap', '_unlock();'),
  loan('the Executor outlives the swap', '_set(EXECUTOR, 0);'),
  loan('the payer outlives the swap', '_set(PAYER, 0);\n'),
  loan('the lock is where an Executor of zero leaves none', 'return _get(PAYER) != 0;', 'return _get(EXECUTOR) != 0;'),
  loan('the lock has no bit of its own', 'LOCKED = 1 << 160', 'LOCKED = 0'),
  loan('the token reaches into the flags', 'shl(192, shr(96, token))', 'shl(160, shr(96, token))'),
  loan('the token loses its upper half', 'or(shr(160, executor), shl(96, shr(192, lender)))', 'shr(160, executor)'),
  loan('the token loses its lower half', 'first := or(executor, shl(160, token))', 'first := executor'),
  loan(
    'what is permitted through Permit2 is drawn from the Guard',
    'else if (lender & WRAPPED == 0) Permits.transferFrom(token, payer, to, amount);\n',
  ),
  loan('what the Guard wrapped is drawn from the sender', 'BY_GUARD = LOCKED | WRAPPED', 'BY_GUARD = LOCKED'),
  guard('nothing is locked while a permit is taken', '_lock();'),
  guard(
    'a permit of Permit2 is drawn by an approval',
    'PermitKind.Permit2 ? BY_PERMIT2 : BY_APPROVAL',
    'PermitKind.Permit2 ? BY_APPROVAL : BY_APPROVAL',
  ),
  permits(
    'a permit that fails stops the swap',
    'pop(call(gas(), target, 0, add(data, 0x20), mload(data), 0, 0))',
    'if iszero(call(gas(), target, 0, add(data, 0x20), mload(data), 0, 0)) { revert(0, 0) }',
  ),
  permits('a permit is not given', 'if (signature.length == 0) return;', 'return;'),
  permits('a permit is for another token', '(token, uint160(permit.amount)', '(address(this), uint160(permit.amount)'),
  permits('a chain without Permit2 seems to have drawn', 'ok := and(ok, gt(extcodesize(permit2), 0))'),
  permits(
    'what Permit2 refuses passes',
    'ok := call(gas(), permit2, 0, add(data, 0x1c), 0x84, 0, 0)',
    'ok := or(1, call(gas(), permit2, 0, add(data, 0x1c), 0x84, 0, 0))',
  ),
  permits(
    'DAI is told to take its allowance back',
    'permit.deadline, true, v, r, s',
    'permit.deadline, false, v, r, s',
  ),
  guard('a wrapper is believed', 'if (moved != amountIn) revert WrapMismatch(tokenIn, moved, amountIn);'),
  guard('an unwrapping is believed', 'if (moved != amount) revert WrapMismatch(wrapper, moved, amount);'),
  guard('unused native stays', 'if (unused != 0) msg.sender.sendNative(unused);'),
  guard(
    'native strays are given back as unused',
    'unused = _growth(nativeBefore, address(this).balance)',
    'unused = address(this).balance',
  ),
  loan('native is taken at any time', 'if (!_locked()) revert UnexpectedNative(msg.sender);'),
  orders('wide words pass', 'if shr(160, or(or(tokenIn, tokenOut), executor)) { revert(0, 0) }'),
  orders('the deadline is ignored', 'late := gt(timestamp(), deadline)'),
  orders(
    'any value is taken for the amount',
    'if (msg.value != 0 && msg.value != amountIn) revert IGuard.InvalidValue(msg.value, amountIn);',
  ),
  orders('native is given without value', 'free := iszero(or(tokenIn, callvalue()))', 'free := 0'),
  orders('nothing may be sold', 'or(iszero(amountIn), iszero(minOutput))', 'iszero(minOutput)'),
  orders('nothing may be asked for', 'or(iszero(amountIn), iszero(minOutput))', 'iszero(amountIn)'),
  orders('a token may be sold for itself', 'or(eq(tokenIn, tokenOut), iszero(', 'or(0, iszero('),
  orders('native may be sold for itself', 'iszero(or(tokenOut, iszero(callvalue())))', '0'),
  orders('an order with a flaw passes', 'if (!wrong) return;', 'return;'),
  orders('a wrapper may come without native', 'revert IGuard.InvalidWrapper(wrapper);', '{}'),
  orders('the wrapper may be the input', 'if (wrapper == order.tokenIn) revert IGuard.SameToken(wrapper);'),
  orders('the wrapper may be the Executor', 'if (wrapper == order.executor) revert IGuard.InvalidExecutor(wrapper);'),
  guard('native is paid in direct mode', 'if (tokenOut == address(0)) revert DirectNative();'),
  orders('the Guard may be the Executor', 'or(eq(executor, address()), or(', 'or(0, or('),
  orders('nobody may be the fee recipient', 'feeRecipient == address(0) || '),
  guard('an Executor that fails is taken for one that is done', 'if (ok) return;', 'return;'),
  orders(
    'the input may be the Executor',
    'or(eq(executor, tokenIn), eq(executor, tokenOut))',
    'eq(executor, tokenOut)',
  ),
  orders(
    'the output may be the Executor',
    'or(eq(executor, tokenIn), eq(executor, tokenOut))',
    'eq(executor, tokenIn)',
  ),
  executor('anyone may run a program', 'if (msg.sender != GUARD) revert NotGuard(msg.sender);'),
  executor(
    'anyone may call back',
    'if (address(uint160(awaited)) != msg.sender) revert UnexpectedCallback(msg.sender, address(uint160(awaited)));',
  ),
  executor('a pool is paid again', '_set(AWAITED, 0);'),
  executor('a callback may fail to come', 'if (_get(AWAITED) != 0) revert CallbackMissing(pool);'),
  executor('an unknown opcode is skipped', 'else revert UnknownOpcode(at - 2, opcode);'),
  {
    name: 'a step may reach beyond the program',
    file: 'libraries/Program.sol',
    from: 'if (next > end) revert IExecutor.ProgramTooShort(next, end);',
    to: '',
  },
  { name: 'an answer of false is true', file: 'libraries/Transfers.sol', from: ACCEPTS_NO_RETURN_DATA, to: '' },
  {
    name: 'a failed payment passes',
    file: 'libraries/Transfers.sol',
    from: 'if (!ok) revert TransferFailed(token, to, amount);',
    to: '',
  },
  {
    name: 'a failed loan passes',
    file: 'libraries/Transfers.sol',
    from: 'mstore(0x40, free)\n        }\n        if (!ok) revert TransferFailed(token, to, amount);',
    to: 'mstore(0x40, free)\n        }',
  },
  {
    name: 'native that is not taken is paid',
    file: 'libraries/Transfers.sol',
    from: 'if (!ok) revert NativeTransferFailed(to, amount);',
    to: '',
  },
  orders('a wide word is an Executor', 'or(or(tokenIn, tokenOut), executor)', 'or(tokenIn, tokenOut)'),
  {
    name: 'a step may take what only a pair can know',
    file: 'libraries/Inputs.sol',
    from: 'if (kind > Program.SHARE) revert IExecutor.InvalidStep(flags);',
    to: '',
  },
  {
    name: 'an amount may be an exact output of uniswap-v3',
    file: 'dexes/uniswap-v3/UniswapV3.sol',
    from: 'if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);',
    to: '',
  },
  {
    name: 'an amount may be an exact output of uniswap-v4',
    file: 'dexes/uniswap-v4/UniswapV4.sol',
    from: 'if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);',
    to: '',
  },
  {
    name: 'a pool may consume a part of what the Executor holds for it',
    file: 'libraries/Inputs.sol',
    from: 'if (consumed != amount) revert IExecutor.PartialFill(pool, amount - consumed);',
    to: '',
  },
  {
    name: 'a pool of uniswap-v3 may consume a part',
    file: 'core/ExecutorCore.sol',
    from: 'Program.zeroForOne(flags), amount);\n        _answered(pool, flags);\n        if (!Program.isPulled(flags)) Inputs.requireWhole(pool, consumed, amount);\n        return next;\n    }\n\n    function _kyberElastic',
    to: 'Program.zeroForOne(flags), amount);\n        _answered(pool, flags);\n        return next;\n    }\n\n    function _kyberElastic',
  },
  {
    name: 'a pool of kyber-elastic may consume a part',
    file: 'core/ExecutorCore.sol',
    from: 'Program.zeroForOne(flags), amount);\n        _answered(pool, flags);\n        if (!Program.isPulled(flags)) Inputs.requireWhole(pool, consumed, amount);\n        return next;\n    }\n\n    function _iziswap',
    to: 'Program.zeroForOne(flags), amount);\n        _answered(pool, flags);\n        return next;\n    }\n\n    function _iziswap',
  },
  ...['uniswap-v4/UniswapV4', 'pancake-infinity/PancakeInfinity'].map((file) => ({
    name: `a pool of ${file.split('/')[0]} may consume a part`,
    file: `dexes/${file}.sol`,
    from: 'if (!pulled) Inputs.requireWhole(msg.sender, owed, first);',
    to: '',
  })),
  {
    name: 'a pool of ekubo may consume a part',
    file: 'dexes/ekubo/Ekubo.sol',
    from: 'if (!pulled || tokenIn == address(0)) Inputs.requireWhole(msg.sender, debt, first);',
    to: '',
  },
  {
    name: 'iziswap may leave a part',
    file: 'dexes/iziswap/Iziswap.sol',
    from: 'if (unsold > amount >> ROUNDING_BITS) revert IExecutor.PartialFill(pool, unsold);',
    to: '',
  },
  {
    name: 'rounding of iziswap stays in the Executor',
    file: 'dexes/iziswap/Iziswap.sol',
    from: 'token.transfer(pool, unsold);',
    to: '',
  },
  {
    name: 'ambient may leave native token',
    file: 'dexes/ambient/Ambient.sol',
    from: 'Inputs.requireWhole(trade.pool, nativeBefore - address(this).balance, amount);',
    to: '',
  },
  {
    name: 'ambient may leave a token',
    file: 'dexes/ambient/Ambient.sol',
    from: 'Inputs.requireSpent(trade.tokenIn, trade.pool);',
    to: '',
  },
  {
    name: 'a rounding remainder stays in the Executor',
    file: 'libraries/Inputs.sol',
    from: '        token.approve(pool, 0);\n        token.transfer(pool, unspent);\n',
    to: '        token.approve(pool, 0);\n',
  },
  {
    name: 'lite-psm draws more than the cost',
    file: 'dexes/lite-psm/LitePsm.sol',
    from: 'amount = Inputs.take(flags, gems * factor + gems * factor * fee / WAD, trade.tokenIn);',
    to: 'amount = Inputs.take(flags, amount, trade.tokenIn);',
  },
  {
    name: 'aave-gsm draws more than the cost',
    file: 'dexes/aave-gsm/AaveGsm.sol',
    from: 'amount = Inputs.take(flags, cost, trade.tokenIn);',
    to: 'amount = Inputs.take(flags, amount, trade.tokenIn);',
  },
  {
    name: 'balancer-v2 keeps its approval',
    file: 'dexes/balancer-v2/BalancerV2.sol',
    from: 'tokenIn.clearApproval(vault);',
    to: '',
  },
  {
    name: 'a rate wrapper may leave a part',
    file: 'dexes/rate-wrapper/RateWrapper.sol',
    from: 'Inputs.requireSpent(tokenIn, tokenOut);',
    to: '',
  },
  {
    name: 'curve may leave a part',
    file: 'dexes/curve/Curve.sol',
    from: 'if (!native) Inputs.requireSpent(swap.tokenIn, swap.pool);',
    to: '',
  },
  {
    name: 'a vault may leave a part',
    file: 'dexes/erc4626/Erc4626.sol',
    from: 'Inputs.requireSpent(tokenIn, tokenOut);',
    to: '',
  },
]

/**
 * A mutant of the TypeScript code that encodes routes. The code rejects programs that would leave tokens in the
 * Executor.
 */
export type EncoderMutant = {
  readonly name: string
  /** Path below the root of the repository. */
  readonly file: string
  /** Test file that must detect the mutant. */
  readonly tests: string
  readonly from: string
  readonly to: string
}

const steps = (name: string, from: string, to = ''): EncoderMutant => ({
  name,
  file: 'packages/routing/src/encode/steps.ts',
  tests: 'packages/routing/src/encode/encode.test.ts',
  from,
  to,
})

export const encoderMutants: readonly EncoderMutant[] = [
  steps('nothing is asked of what stays', '  checkNothingStays(route, [...sourceTokens, ...targetTokens])\n'),
  steps(
    'the last may take a part',
    'legs[lastSellingIndex]!.num === legs[lastSellingIndex]!.den',
    'legs[lastSellingIndex]!.num <= legs[lastSellingIndex]!.den',
  ),
  steps(
    'more may be made after the last has taken',
    ' || lastSellingIndex < legs.findLastIndex(({ tokenOut }) => tokenOut === token)',
  ),
  steps(
    'the first to take is held for the last',
    'legs.findLastIndex(({ tokenIn }) => tokenIn',
    'legs.findIndex(({ tokenIn }) => tokenIn',
  ),
  steps('legs may take less than the input', 'if (soldAmount !== amountIn)', 'if (soldAmount > amountIn)'),
  steps('legs may take more than the input', 'if (soldAmount !== amountIn)', 'if (soldAmount < amountIn)'),
  steps('a leg may buy the input back', 'legs.some((leg) => sourceTokens.includes(leg.tokenOut))', 'false'),
  steps('the last leg takes a share', 'num === den ?', 'num > den ?'),
  steps('a pool is paid ahead for two', 'const isOnlyUser = legs.every(', 'const isOnlyUser = true || legs.every('),
]
