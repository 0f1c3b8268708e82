// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {IUniswapV2Pair} from "../interfaces/IUniswapV2Pair.sol";

/// @title TokenProbe
/// @notice Buys, passes on and sells a token to see what of it arrives; never deployed.
/// @dev Lives at an account of its own that is sender and target of one eth_call, with balances given by storage overrides.
///   Every leg runs in a frame of its own, so that one that fails takes nothing else with it.
contract TokenProbe {
    struct Order {
        address token;
        /// Who gets the passed on part.
        address friend;
        /// A uniswap-v2 style pair of the token and `base`; zero to measure only the transfer.
        address pair;
        address base;
        /// Base units of `base` to buy with, or of the token to pass on where there is no pair; each starts afresh.
        uint256[] sizes;
    }

    struct Leg {
        bool ok;
        uint256 sent;
        uint256 received;
        uint256 gasUsed;
    }

    struct Round {
        Leg buy;
        Leg pass;
        Leg sell;
    }

    struct Report {
        Round[] rounds;
        /// Raw answers, empty where there is none: tokens disagree about their types.
        bytes decimals;
        bytes symbol;
        bool approves;
        bool needsApprovalReset;
    }

    error OnlySelf();
    error Nothing();

    /// @dev What the pair keeps of its input in the sums below; no pair of this style keeps more.
    uint256 private constant FEE_PERCENT = 1;
    /// @dev A part is passed on, the rest is sold.
    uint256 private constant PASSED_PART = 4;
    uint256 private constant METADATA_GAS = 200_000;
    uint256 private constant MAX_METADATA = 256;

    modifier onlySelf() {
        if (msg.sender != address(this)) revert OnlySelf();
        _;
    }

    function run(Order calldata order) external onlySelf returns (Report memory report) {
        report.rounds = new Round[](order.sizes.length);
        for (uint256 i = 0; i < order.sizes.length; ++i) {
            // Comes back as a revert, so that the next size meets the same state.
            (, bytes memory answer) = address(this).call(abi.encodeCall(this.round, (order, order.sizes[i])));
            report.rounds[i] = abi.decode(answer, (Round));
        }
        (report.approves, report.needsApprovalReset) = _approvals(order.token, order.friend);
        report.decimals = _metadata(order.token, abi.encodeCall(IERC20Metadata.decimals, ()));
        report.symbol = _metadata(order.token, abi.encodeCall(IERC20Metadata.symbol, ()));
    }

    function round(Order calldata order, uint256 size) external onlySelf {
        Round memory result;
        if (order.pair == address(0)) {
            result.pass = _leg(abi.encodeCall(this.pass, (order.token, order.friend, size)));
        } else {
            result.buy = _leg(abi.encodeCall(this.buy, (order.token, order.pair, order.base, size)));
            if (result.buy.ok && result.buy.received != 0) {
                uint256 part = result.buy.received / PASSED_PART;
                result.pass = _leg(abi.encodeCall(this.pass, (order.token, order.friend, part)));
                result.sell = _leg(abi.encodeCall(this.sell, (order.token, order.pair, order.base)));
            }
        }
        bytes memory answer = abi.encode(result);
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    function buy(address token, address pair, address base, uint256 amountIn) external onlySelf returns (Leg memory leg) {
        _transfer(base, pair, amountIn);
        (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, base, token);
        leg.sent = _amountOut(_balance(base, pair) - reserveIn, reserveIn, reserveOut);
        uint256 before = _balance(token, address(this));
        leg.gasUsed = gasleft();
        _swap(pair, token, base, leg.sent);
        leg.gasUsed -= gasleft();
        leg.received = _balance(token, address(this)) - before;
    }

    function pass(address token, address friend, uint256 amount) external onlySelf returns (Leg memory leg) {
        uint256 before = _balance(token, friend);
        leg.sent = amount;
        leg.gasUsed = gasleft();
        _transfer(token, friend, amount);
        leg.gasUsed -= gasleft();
        leg.received = _balance(token, friend) - before;
        if (leg.received == 0) revert Nothing();
    }

    function sell(address token, address pair, address base) external onlySelf returns (Leg memory leg) {
        leg.sent = _balance(token, address(this));
        leg.gasUsed = gasleft();
        _transfer(token, pair, leg.sent);
        leg.gasUsed -= gasleft();
        // After the transfer: some tokens trade with the pair inside it.
        (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, token, base);
        leg.received = _balance(token, pair) - reserveIn;
        uint256 out = _amountOut(leg.received, reserveIn, reserveOut);
        uint256 before = _balance(base, address(this));
        _swap(pair, base, token, out);
        if (_balance(base, address(this)) <= before) revert Nothing();
    }

    /// @dev Whether an allowance can be changed at all, and only by way of zero. Leaves allowances behind, after all rounds.
    function _approvals(address token, address spender) private returns (bool approves, bool needsReset) {
        approves = _approve(token, spender, 1);
        if (!approves || _approve(token, spender, 2)) return (approves, false);
        needsReset = _approve(token, spender, 0) && _approve(token, spender, 2);
    }

    function _approve(address token, address spender, uint256 amount) private returns (bool) {
        (bool ok,) = token.call(abi.encodeCall(IERC20.approve, (spender, amount)));
        return ok && IERC20(token).allowance(address(this), spender) == amount;
    }

    function _leg(bytes memory call) private returns (Leg memory leg) {
        (bool ok, bytes memory answer) = address(this).call(call);
        if (!ok) return leg;
        leg = abi.decode(answer, (Leg));
        leg.ok = true;
    }

    /// @dev Return values are not looked at: balances say what moved.
    function _transfer(address token, address to, uint256 amount) private {
        (bool ok,) = token.call(abi.encodeCall(IERC20.transfer, (to, amount)));
        if (!ok) revert Nothing();
    }

    function _swap(address pair, address tokenOut, address tokenIn, uint256 amountOut) private {
        (uint256 out0, uint256 out1) = tokenOut < tokenIn ? (amountOut, uint256(0)) : (uint256(0), amountOut);
        IUniswapV2Pair(pair).swap(out0, out1, address(this), "");
    }

    function _reserves(address pair, address tokenIn, address tokenOut)
        private
        view
        returns (uint256 reserveIn, uint256 reserveOut)
    {
        (uint256 reserve0, uint256 reserve1,) = IUniswapV2Pair(pair).getReserves();
        return tokenIn < tokenOut ? (reserve0, reserve1) : (reserve1, reserve0);
    }

    function _amountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) private pure returns (uint256) {
        uint256 kept = amountIn * (100 - FEE_PERCENT);
        return kept * reserveOut / (reserveIn * 100 + kept);
    }

    function _balance(address token, address account) private view returns (uint256) {
        return IERC20(token).balanceOf(account);
    }

    function _metadata(address token, bytes memory input) private view returns (bytes memory answer) {
        assembly ("memory-safe") {
            if staticcall(METADATA_GAS, token, add(input, 32), mload(input), 0, 0) {
                let size := returndatasize()
                if gt(size, MAX_METADATA) { size := MAX_METADATA }
                answer := mload(0x40)
                mstore(answer, size)
                returndatacopy(add(answer, 32), 0, size)
                mstore(0x40, and(add(add(answer, size), 63), not(31)))
            }
        }
    }
}
