// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMaverickV2Factory, IMaverickV2Pool, IMaverickV2State} from "../interfaces/IMaverickV2.sol";
import {SampleLens} from "./SampleLens.sol";

/// @title MaverickV2Lens
/// @notice Finds and samples Maverick V2 pools; never deployed.
/// @dev The pool requests its payment in a callback, whose revert undoes the swap and returns both amounts.
contract MaverickV2Lens is SampleLens {
    struct Request {
        address pool;
        Trials trials;
    }

    struct Found {
        /// Index of the pair.
        uint256 pair;
        address pool;
    }

    /// @dev The swap did not use its whole input, or requested no payment.
    error NotWhole();

    /// @notice Finds pools of a factory for `tokens` (consecutive pairs), the lower address first.
    /// @param max Maximum pools of a pair; the first ones of the factory.
    function find(address factory, address[] calldata tokens, uint256 max) external view returns (Found[] memory found) {
        address[][] memory pools = new address[][](tokens.length / 2);
        uint256 count = 0;
        for (uint256 i = 0; i < pools.length; ++i) {
            (address a, address b) = (tokens[2 * i], tokens[2 * i + 1]);
            uint256 exist = IMaverickV2Factory(factory).poolByTokenCount(a, b, address(0));
            if (exist == 0) continue;
            pools[i] = IMaverickV2Factory(factory).lookup(a, b, 0, exist < max ? exist : max);
            count += pools[i].length;
        }
        found = new Found[](count);
        count = 0;
        for (uint256 i = 0; i < pools.length; ++i) {
            for (uint256 j = 0; j < pools[i].length; ++j) {
                found[count++] = Found(i, pools[i][j]);
            }
        }
    }

    /// @notice Returns the outputs of swaps at several amounts.
    /// @return outputs0 Output for each amount of the first token; zero if the swap fails.
    /// @return outputs1 Output for each amount of the second token.
    /// @return stamp Changes with the reserves.
    function sample(Request calldata request)
        external
        returns (uint256[] memory outputs0, uint256[] memory outputs1, bytes32 stamp)
    {
        (outputs0, outputs1) = _sample(abi.encode(request.pool), request.trials);
        IMaverickV2State.State memory state = IMaverickV2State(request.pool).getState();
        stamp = keccak256(abi.encode(state.reserveA, state.reserveB));
    }

    /// @inheritdoc SampleLens
    function _swap(bytes calldata pool, bool zeroForOne, uint256 amount) internal override returns (uint256 amountOut) {
        address at = abi.decode(pool, (address));
        int32 limit = zeroForOne ? type(int32).max : type(int32).min;
        IMaverickV2Pool.SwapParams memory params = IMaverickV2Pool.SwapParams(amount, zeroForOne, false, limit);
        try IMaverickV2Pool(at).swap(address(this), params, hex"01") {
            revert NotWhole();
        } catch (bytes memory answer) {
            if (answer.length != 64) revert NotWhole();
            uint256 owed;
            (owed, amountOut) = abi.decode(answer, (uint256, uint256));
            if (owed != amount) revert NotWhole();
        }
    }

    /// @dev Callback of the pool: `(address tokenIn, uint256 amountIn, uint256 amountOut, bytes data)`. Reverts with
    ///   both amounts.
    fallback() external {
        assembly ("memory-safe") {
            calldatacopy(0x00, 0x24, 0x40)
            revert(0x00, 0x40)
        }
    }
}
