// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title SampleLens
/// @notice Runs a swap at several amounts, each from the same state, for pools whose math is not implemented; never
///   deployed.
/// @dev Three frames for each amount, because the pool may be hostile. `swapOnce` makes the swap and may fail in any
///   way. `trial` reduces its result to one word, zero if `swapOnce` failed, and reverts with it, which undoes the
///   swap. `_outputs` accepts exactly one word, so revert data of a pool cannot pass for a result. Gas is limited for
///   each amount and in total.
abstract contract SampleLens {
    /// @dev Amounts to sell, and limits of gas.
    struct Trials {
        /// Amounts of each token to sell, in base units.
        uint256[] amounts0;
        uint256[] amounts1;
        /// Gas of one swap.
        uint256 gasEach;
        /// Gas of all swaps of one direction.
        uint256 gasAll;
    }

    /// @dev Gas of a call itself, in addition to the gas that it passes on.
    uint256 private constant CALL_GAS = 5_000;

    /// @dev Another account called a function that only this contract may call.
    error OnlySelf();

    /// @dev Swaps `amount` and returns the output; may revert. Called in its own frame.
    /// @param pool Identity of the pool, as the family encodes it.
    function _swap(bytes calldata pool, bool zeroForOne, uint256 amount) internal virtual returns (uint256 amountOut);

    /// @notice Makes one swap and returns its output; only for `trial`.
    function swapOnce(bytes calldata pool, bool zeroForOne, uint256 amount) external returns (uint256) {
        if (msg.sender != address(this)) revert OnlySelf();
        return _swap(pool, zeroForOne, amount);
    }

    /// @notice Makes one swap and reverts with its output as one word; zero if it failed. Only for `_outputs`.
    function trial(bytes calldata pool, bool zeroForOne, uint256 amount) external {
        if (msg.sender != address(this)) revert OnlySelf();
        bytes memory data = abi.encodeCall(this.swapOnce, (pool, zeroForOne, amount));
        assembly ("memory-safe") {
            let ok := call(gas(), address(), 0, add(data, 0x20), mload(data), 0x00, 0x20)
            ok := and(ok, eq(returndatasize(), 0x20))
            mstore(0x00, mul(ok, mload(0x00)))
            revert(0x00, 0x20)
        }
    }

    /// @dev Runs the trials of both directions.
    /// @return outputs0 Output for each amount of the first token; zero if the swap fails.
    /// @return outputs1 Output for each amount of the second token.
    function _sample(bytes memory pool, Trials memory trials)
        internal
        returns (uint256[] memory outputs0, uint256[] memory outputs1)
    {
        outputs0 = _outputs(pool, true, trials.amounts0, trials.gasEach, trials.gasAll);
        outputs1 = _outputs(pool, false, trials.amounts1, trials.gasEach, trials.gasAll);
    }

    /// @dev Returns the output for each amount; zero if the swap fails or the gas is used up.
    /// @param gasEach Gas of one swap.
    /// @param gasAll Total gas; amounts that exceed it are not tried.
    function _outputs(bytes memory pool, bool zeroForOne, uint256[] memory amounts, uint256 gasEach, uint256 gasAll)
        private
        returns (uint256[] memory outputs)
    {
        outputs = new uint256[](amounts.length);
        uint256 start = gasleft();
        for (uint256 i; i < amounts.length; ++i) {
            if (start - gasleft() + gasEach > gasAll) break;
            bytes memory data = abi.encodeCall(this.trial, (pool, zeroForOne, amounts[i]));
            uint256 output;
            // A swap with less gas would look like a failed swap. This burns the rest, so that `ReadRunner` reports the shortage.
            if (gasleft() - gasleft() / 64 < gasEach + CALL_GAS) {
                assembly ("memory-safe") {
                    invalid()
                }
            }
            assembly ("memory-safe") {
                let ok := call(gasEach, address(), 0, add(data, 0x20), mload(data), 0x00, 0x20)
                if and(iszero(ok), eq(returndatasize(), 0x20)) { output := mload(0x00) }
            }
            outputs[i] = output;
        }
    }
}
