// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IUniswapV4PoolManager} from "../interfaces/IUniswapV4PoolManager.sol";
import {IUniswapV4PoolManagerState} from "../interfaces/IUniswapV4PoolManagerState.sol";
import {SampleLens} from "./SampleLens.sol";

/// @title UniswapV4HookLens
/// @notice Samples uniswap-v4 pools whose hook takes part in swaps; never deployed.
/// @dev All swaps run in one unlock and each is undone, so that nothing is owed at its end.
contract UniswapV4HookLens is SampleLens {
    /// @dev Price limits of the Executor: one above the minimum and one below the maximum of TickMath.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;
    /// @dev NonzeroDeltaCount.NONZERO_DELTA_COUNT_SLOT of Uniswap/v4-core.
    bytes32 private constant NONZERO_DELTA_COUNT = 0x7d4b3164c6e45b97e7d87b7125a44c5828d005af88f9d751cfd78729c5d99a0b;
    /// @dev Slot of the manager's mapping `pools`.
    uint256 private constant POOLS_SLOT = 6;
    /// @dev Word of `liquidity` in Pool.State.
    uint256 private constant LIQUIDITY_WORD = 3;

    struct Request {
        address manager;
        IUniswapV4PoolManager.PoolKey key;
        Trials trials;
    }

    /// @dev The swap did not use its whole input, or left a debt that its hook did not pay.
    error NotWhole();

    /// @notice Returns the outputs of swaps at several amounts.
    /// @return outputs0 Output for each amount of the first token; zero if the swap fails.
    /// @return outputs1 Output for each amount of the second token.
    /// @return stamp Changes with every trade and every change of liquidity that the manager accounts for.
    function sample(Request calldata request)
        external
        returns (uint256[] memory outputs0, uint256[] memory outputs1, bytes32 stamp)
    {
        bytes memory answer = IUniswapV4PoolManager(request.manager).unlock(abi.encode(request));
        (outputs0, outputs1) = abi.decode(answer, (uint256[], uint256[]));
        IUniswapV4PoolManagerState manager = IUniswapV4PoolManagerState(request.manager);
        uint256 base = uint256(keccak256(abi.encode(keccak256(abi.encode(request.key)), POOLS_SLOT)));
        stamp =
            keccak256(abi.encode(manager.extsload(bytes32(base)), manager.extsload(bytes32(base + LIQUIDITY_WORD))));
    }

    /// @notice Callback of the manager: runs the swaps of the request in `data`.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        Request memory request = abi.decode(data, (Request));
        (uint256[] memory outputs0, uint256[] memory outputs1) =
            _sample(abi.encode(request.manager, request.key), request.trials);
        return abi.encode(outputs0, outputs1);
    }

    /// @inheritdoc SampleLens
    function _swap(bytes calldata pool, bool zeroForOne, uint256 amount) internal override returns (uint256 amountOut) {
        (IUniswapV4PoolManager manager, IUniswapV4PoolManager.PoolKey memory key) =
            abi.decode(pool, (IUniswapV4PoolManager, IUniswapV4PoolManager.PoolKey));
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        int256 delta = manager.swap(key, IUniswapV4PoolManager.SwapParams(zeroForOne, -int256(amount), limit), "");
        (int128 delta0, int128 delta1) = (int128(delta >> 128), int128(delta));
        (int128 owed, int128 bought) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
        // The Executor rejects a swap that leaves input, and the manager one whose hook owes tokens at the end.
        uint256 open = uint256(IUniswapV4PoolManagerState(address(manager)).exttload(NONZERO_DELTA_COUNT));
        if (int256(owed) != -int256(amount) || bought <= 0 || open != 2) revert NotWhole();
        return uint256(int256(bought));
    }
}
