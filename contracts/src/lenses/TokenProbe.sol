// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {SwapProbe} from "./SwapProbe.sol";

/// @title TokenProbe
/// @notice Buys, transfers, and sells a token, and measures the amounts that arrive; never deployed.
/// @dev Runs at its own account, the sender and target of one eth_call. A token sees the sender and the recipient of a
///   transfer, but not its purpose. So a transfer from a pool (by SwapProbe at the pool) is like a purchase, and a
///   transfer to the pool is like a sale. Each leg runs in its own frame, so that a failure does not undo the others.
contract TokenProbe {
    struct Order {
        address token;
        /// Recipient of the transferred part.
        address friend;
        /// Account that holds the token for traders; zero to measure only the balance that an override gave this
        /// account.
        address pool;
        /// Base units of the token to trade; each size starts from the initial state.
        uint256[] sizes;
    }

    /// @dev A transfer, in base units. All fields are zero if it failed.
    struct Leg {
        bool ok;
        uint256 sent;
        uint256 received;
        /// Decrease of the sender's balance.
        uint256 debited;
    }

    /// @dev Purchase, transfer, and sale of one size.
    struct Round {
        Leg buy;
        Leg pass;
        Leg sell;
    }

    struct Report {
        Round[] rounds;
        /// Raw return data, empty if there is none, because types differ between tokens.
        bytes decimals;
        bytes symbol;
        bool approves;
        bool needsApprovalReset;
    }

    /// @dev Another account called.
    error OnlySelf();
    /// @dev The transfer failed, or nothing arrived.
    error Nothing();

    /// @dev Divisor of the bought amount: this part is transferred to `friend`, and the rest is sold.
    uint256 private constant PASSED_PART = 4;
    /// @dev Divisor of the first, small sale. The sale is so small that its tax does not change the tax of the later
    ///   sale.
    uint256 private constant PRIMING_PART = 1_000;
    /// @dev Maximum rounding error of a token that stores shares, in base units.
    uint256 private constant ROUNDING = 2;
    uint256 private constant METADATA_GAS = 200_000;
    /// @dev Bytes.
    uint256 private constant MAX_METADATA = 256;

    /// @dev Only the eth_call itself, and calls of this contract.
    modifier onlySelf() {
        if (msg.sender != address(this)) revert OnlySelf();
        _;
    }

    /// @notice Runs a round for each size. If a sale paid the pool more than was sold, runs the round again with a
    ///   small sale first.
    function run(Order calldata order) external onlySelf returns (Report memory report) {
        report.rounds = new Round[](order.sizes.length);
        for (uint256 i = 0; i < order.sizes.length; ++i) {
            Round memory plain = _round(order, order.sizes[i], false);
            report.rounds[i] = plain;
            if (!plain.sell.ok || plain.sell.received <= plain.sell.sent + ROUNDING) continue;
            Leg memory sell = _round(order, order.sizes[i], true).sell;
            if (sell.ok) report.rounds[i].sell = sell;
        }
        (report.approves, report.needsApprovalReset) = _approvals(order.token, order.friend);
        report.decimals = _metadata(order.token, abi.encodeCall(IERC20Metadata.decimals, ()));
        report.symbol = _metadata(order.token, abi.encodeCall(IERC20Metadata.symbol, ()));
    }

    /// @dev Runs one round. `round` returns its result as a revert, so that the next size starts from the same state.
    function _round(Order calldata order, uint256 size, bool primed) private returns (Round memory) {
        (, bytes memory answer) = address(this).call(abi.encodeCall(this.round, (order, size, primed)));
        return abi.decode(answer, (Round));
    }

    /// @notice Runs one round, and reverts with its result.
    /// @param primed True if a small sale runs first. A token that sells its collected taxes pays them into the pool
    ///   during a sale, which hides the tax of that sale. The next sale has no collected taxes.
    function round(Order calldata order, uint256 size, bool primed) external onlySelf {
        Round memory result;
        if (order.pool == address(0)) {
            result.pass = _leg(abi.encodeCall(this.pass, (order.token, order.friend, size)));
        } else {
            result.buy = _leg(abi.encodeCall(this.buy, (order.token, order.pool, size)));
            if (result.buy.ok) {
                uint256 part = result.buy.received / PASSED_PART;
                result.pass = _leg(abi.encodeCall(this.pass, (order.token, order.friend, part)));
                uint256 rest = _balance(order.token, address(this));
                if (primed) {
                    _leg(abi.encodeCall(this.pass, (order.token, order.pool, rest / PRIMING_PART)));
                    rest = _balance(order.token, address(this));
                }
                result.sell = _leg(abi.encodeCall(this.pass, (order.token, order.pool, rest)));
            }
        }
        bytes memory answer = abi.encode(result);
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    /// @notice Transfers tokens from the pool to this account. Reverts if nothing arrives.
    function buy(address token, address pool, uint256 amount) external onlySelf returns (Leg memory leg) {
        uint256 held = _balance(token, pool);
        uint256 before = _balance(token, address(this));
        SwapProbe(payable(pool)).lend(token, amount);
        return _moved(amount, before, _balance(token, address(this)), held, _balance(token, pool));
    }

    /// @notice Transfers tokens from this account. Reverts if nothing arrives.
    function pass(address token, address to, uint256 amount) external onlySelf returns (Leg memory leg) {
        uint256 held = _balance(token, address(this));
        uint256 before = _balance(token, to);
        // Ignores return values, because only balances are reliable.
        (bool ok,) = token.call(abi.encodeCall(IERC20.transfer, (to, amount)));
        if (!ok) revert Nothing();
        return _moved(amount, before, _balance(token, to), held, _balance(token, address(this)));
    }

    /// @dev Returns the leg of a transfer. Reverts if nothing arrived.
    /// @param before Balance of the receiver before the transfer; `afterwards` is the balance after it.
    /// @param held Balance of the sender before the transfer; `left` is the balance after it.
    function _moved(uint256 sent, uint256 before, uint256 afterwards, uint256 held, uint256 left)
        private
        pure
        returns (Leg memory)
    {
        if (afterwards <= before) revert Nothing();
        return Leg(true, sent, afterwards - before, held > left ? held - left : 0);
    }

    /// @dev Tests allowances, and leaves some behind.
    /// @return approves True if an allowance can be set.
    /// @return needsReset True if a nonzero allowance can only be changed by setting it to zero first.
    function _approvals(address token, address spender) private returns (bool approves, bool needsReset) {
        approves = _approve(token, spender, 1);
        if (!approves || _approve(token, spender, 2)) return (approves, false);
        needsReset = _approve(token, spender, 0) && _approve(token, spender, 2);
    }

    /// @dev Sets an allowance, and returns true if it then has this value.
    function _approve(address token, address spender, uint256 amount) private returns (bool) {
        (bool ok,) = token.call(abi.encodeCall(IERC20.approve, (spender, amount)));
        return ok && IERC20(token).allowance(address(this), spender) == amount;
    }

    /// @dev Calls a function of this contract that returns a leg. The leg is empty if the call reverts.
    function _leg(bytes memory call) private returns (Leg memory leg) {
        (bool ok, bytes memory answer) = address(this).call(call);
        if (!ok) return leg;
        return abi.decode(answer, (Leg));
    }

    function _balance(address token, address account) private view returns (uint256) {
        return IERC20(token).balanceOf(account);
    }

    /// @dev Returns the first MAX_METADATA bytes of the return data; empty if the call fails.
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
