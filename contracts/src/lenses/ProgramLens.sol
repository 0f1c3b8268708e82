// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ExecutorCore} from "../core/ExecutorCore.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {StorageSlots} from "../slots/StorageSlots.sol";
import {SampleLens} from "./SampleLens.sol";

/// @title ProgramLens
/// @notice Samples any pool that the Executor supports, by running the Executor's own step; never deployed.
/// @dev It is its own Guard: the immutable of ExecutorCore must be the address of the lens. Overrides give it more of
///   both tokens than any sample needs.
contract ProgramLens is SampleLens, ExecutorCore, StorageSlots {
    using Transfers for address;

    struct Pool {
        /// Zero is the native token.
        address token0;
        address token1;
        /// Steps that sell the Executor's whole balance, and pay the recipient.
        bytes program0;
        bytes program1;
    }

    struct Request {
        Pool pool;
        /// A view whose result changes with every trade of the pool.
        address viewed;
        bytes viewData;
        Trials trials;
    }

    /// @dev Receives outputs, and the lens's balance above an input.
    address private constant RECIPIENT = address(uint160(uint256(keccak256("sluice.lens.recipient"))));

    /// @dev Rebasing tokens with proxies stay below 200,000.
    uint256 private constant VIEW_GAS = 1_000_000;

    /// @dev The lens cannot hold exactly the amount, or the step failed.
    error NotWhole();

    constructor() ExecutorCore(address(this)) {}

    /// @notice Returns the outputs of programs at several amounts.
    /// @return outputs0 Output for each amount of the first token; zero if the swap fails.
    /// @return outputs1 Output for each amount of the second token.
    /// @return stamp Changes with the result of the view.
    function sample(Request calldata request)
        external
        returns (uint256[] memory outputs0, uint256[] memory outputs1, bytes32 stamp)
    {
        (outputs0, outputs1) = _sample(abi.encode(request.pool), request.trials);
        (, bytes memory result) = request.viewed.staticcall{gas: VIEW_GAS}(request.viewData);
        stamp = keccak256(result);
    }

    /// @inheritdoc SampleLens
    function _swap(bytes calldata data, bool zeroForOne, uint256 amount) internal override returns (uint256) {
        Pool memory pool = abi.decode(data, (Pool));
        (address tokenIn, address tokenOut, bytes memory program) = zeroForOne
            ? (pool.token0, pool.token1, pool.program0)
            : (pool.token1, pool.token0, pool.program1);
        tokenIn.passOn(RECIPIENT, tokenIn.heldOf(address(this)) - amount);
        if (tokenIn.heldOf(address(this)) != amount) revert NotWhole();
        uint256 before = tokenOut.heldOf(RECIPIENT);
        bytes memory call = abi.encodeCall(this.execute, (Task(tokenIn, amount, RECIPIENT)));
        (bool ok,) = address(this).call(bytes.concat(call, program));
        if (!ok) revert NotWhole();
        return tokenOut.heldOf(RECIPIENT) - before;
    }
}
