// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISyncswapPool, ISyncswapState, ISyncswapVault} from "../interfaces/ISyncswap.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {SampleLens} from "./SampleLens.sol";

/// @title SyncswapAquaLens
/// @notice Samples syncswap pools with a price scale; never deployed. Its balances of both tokens are overridden.
/// @dev Pays and swaps as the Executor does, and counts the tokens that arrive.
contract SyncswapAquaLens is SampleLens {
    using Transfers for address;

    /// @dev Withdraw mode: pays native token wrapped.
    uint8 private constant AS_TOKEN = 2;

    struct Pool {
        address pool;
        /// Zero if the pool holds its tokens itself.
        address vault;
        address token0;
        address token1;
    }

    struct Request {
        Pool pool;
        /// Amounts of each token to sell.
        uint256[] amounts0;
        uint256[] amounts1;
        uint256 gasEach;
        /// Gas of all swaps of one direction.
        uint256 gasAll;
    }

    /// @return outputs0 Output for each amount of the first token; zero if the swap fails.
    /// @return outputs1 Output for each amount of the second token.
    /// @return stamp Changes with the reserves.
    function sample(Request calldata request)
        external
        returns (uint256[] memory outputs0, uint256[] memory outputs1, bytes32 stamp)
    {
        bytes memory pool = abi.encode(request.pool);
        outputs0 = _outputs(pool, true, request.amounts0, request.gasEach, request.gasAll);
        outputs1 = _outputs(pool, false, request.amounts1, request.gasEach, request.gasAll);
        (uint256 reserve0, uint256 reserve1) = ISyncswapState(request.pool.pool).getReserves();
        stamp = keccak256(abi.encode(reserve0, reserve1));
    }

    function _swap(bytes calldata data, bool zeroForOne, uint256 amount) internal override returns (uint256 amountOut) {
        Pool memory pool = abi.decode(data, (Pool));
        (address tokenIn, address tokenOut) =
            zeroForOne ? (pool.token0, pool.token1) : (pool.token1, pool.token0);
        uint256 held = tokenOut.balanceOf(address(this));
        if (pool.vault == address(0)) {
            tokenIn.transfer(pool.pool, amount);
        } else {
            tokenIn.transfer(pool.vault, amount);
            ISyncswapVault(pool.vault).deposit(tokenIn, pool.pool);
        }
        ISyncswapPool(pool.pool).swap(abi.encode(tokenIn, address(this), AS_TOKEN), address(0), address(0), "");
        return tokenOut.balanceOf(address(this)) - held;
    }
}
