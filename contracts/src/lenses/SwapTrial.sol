// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IExecutor} from "../interfaces/IExecutor.sol";

/// @title SwapTrial
/// @notice Replaces the Guard of an Executor: runs swaps through it in one eth_call and returns their outputs, so that
///   tests can compare quotes with the pools. Never deployed: its code is set at an address that holds tokens.
contract SwapTrial {
    /// @dev A swap by a program of the Executor.
    struct Swap {
        /// Zero for the native token.
        address tokenIn;
        uint256 amountIn;
        address tokenOut;
        /// Sells the whole balance of the Executor and pays this contract.
        bytes program;
    }

    /// @dev Result of a swap, in base units. All fields are zero if the swap failed.
    struct Outcome {
        bool ok;
        uint256 amountOut;
        /// Input that the pool did not take.
        uint256 left;
        /// Gas of the Executor's call.
        uint256 gasUsed;
    }

    /// @dev A swap that burns all of its gas must not starve the next one.
    uint256 private constant GAS = 60_000_000;

    /// @dev The input could not be sent to the Executor.
    error TransferFailed(address token);

    /// @dev Receives native output.
    receive() external payable {}

    /// @notice Runs trials. Each trial is a list of swaps in sequence, and starts from the initial state.
    function run(IExecutor executor, Swap[][] calldata trials) external returns (Outcome[][] memory outcomes) {
        outcomes = new Outcome[][](trials.length);
        for (uint256 i = 0; i < trials.length; ++i) {
            try this.attempt(executor, trials[i]) {
                revert();
            } catch (bytes memory encoded) {
                outcomes[i] = abi.decode(encoded, (Outcome[]));
            }
        }
    }

    /// @notice Runs one trial. Returns its outcomes in a revert, which undoes the swaps.
    function attempt(IExecutor executor, Swap[] calldata swaps) external {
        Outcome[] memory outcomes = new Outcome[](swaps.length);
        for (uint256 i = 0; i < swaps.length; ++i) {
            try this.swap{gas: GAS}(executor, swaps[i]) returns (Outcome memory outcome) {
                outcomes[i] = outcome;
            } catch {}
        }
        bytes memory encoded = abi.encode(outcomes);
        assembly ("memory-safe") {
            revert(add(encoded, 0x20), mload(encoded))
        }
    }

    /// @notice Makes one swap. Reverts if the Executor reverts.
    function swap(IExecutor executor, Swap calldata order) external returns (Outcome memory outcome) {
        bool native = order.tokenIn == address(0);
        if (!native) _transfer(order.tokenIn, address(executor), order.amountIn);
        uint256 before = _balance(order.tokenOut, address(this));
        uint256 gasBefore = gasleft();
        IExecutor.Task memory task = IExecutor.Task(order.tokenIn, order.amountIn, address(this));
        (outcome.ok,) = address(executor).call{value: native ? order.amountIn : 0}(
            abi.encodePacked(abi.encodeCall(IExecutor.execute, (task)), order.program)
        );
        require(outcome.ok);
        outcome.gasUsed = gasBefore - gasleft();
        outcome.amountOut = _balance(order.tokenOut, address(this)) - before;
        outcome.left = _balance(order.tokenIn, address(executor));
    }

    /// @dev Returns a balance of a token, or of native token if `token` is zero.
    function _balance(address token, address holder) private view returns (uint256) {
        return token == address(0) ? holder.balance : IERC20(token).balanceOf(holder);
    }

    /// @dev Transfers a token. Some tokens return no data.
    function _transfer(address token, address to, uint256 amount) private {
        (bool ok, bytes memory answer) = token.call(abi.encodeCall(IERC20.transfer, (to, amount)));
        if (!ok || (answer.length > 0 && !abi.decode(answer, (bool)))) revert TransferFailed(token);
    }
}
