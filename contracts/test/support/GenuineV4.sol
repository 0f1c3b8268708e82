// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IUniswapV4PoolManager} from "../../src/interfaces/IUniswapV4PoolManager.sol";
import {Arena} from "./Arena.sol";
import {Programs} from "./Programs.sol";
import {Token} from "./Tokens.sol";

interface IV4Liquidity {
    struct ModifyLiquidityParams {
        int24 tickLower;
        int24 tickUpper;
        int256 liquidityDelta;
        bytes32 salt;
    }

    function initialize(IUniswapV4PoolManager.PoolKey calldata key, uint160 sqrtPriceX96) external returns (int24 tick);
    function modifyLiquidity(
        IUniswapV4PoolManager.PoolKey calldata key,
        ModifyLiquidityParams calldata params,
        bytes calldata hookData
    ) external payable returns (int256 delta);
}

/// @notice Pools of the published Uniswap V4 manager, at price one.
abstract contract GenuineV4 is Arena {
    int256 internal constant DEEP = 1e24;

    /// @param depth Liquidity from -60,000 to 60,000 ticks.
    function v4(address manager, address a, address b, int256 depth)
        internal
        returns (IUniswapV4PoolManager.PoolKey memory key)
    {
        (address c0, address c1) = a < b ? (a, b) : (b, a);
        key = IUniswapV4PoolManager.PoolKey(c0, c1, 3000, 60, address(0));
        IV4Liquidity liquidity = IV4Liquidity(
            create(
                abi.encodePacked(
                    published("@uniswap/v4-core/out/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.json", ".bytecode.object"),
                    abi.encode(manager)
                )
            )
        );
        IV4Liquidity(manager).initialize(key, 1 << 96);
        for (uint256 k; k < 2; ++k) {
            address token = k == 0 ? c0 : c1;
            if (token == address(0)) continue;
            Token(token).mint(address(this), 1e27);
            Token(token).approve(address(liquidity), 1e27);
        }
        vm.deal(address(this), 1e27);
        liquidity.modifyLiquidity{value: c0 == address(0) ? 1e25 : 0}(
            key, IV4Liquidity.ModifyLiquidityParams(-60_000, 60_000, depth, 0), ""
        );
    }

    receive() external payable {}

    function manager4() internal returns (address) {
        return create(
            abi.encodePacked(
                published("@uniswap/v4-core/out/PoolManager.sol/PoolManager.json", ".bytecode.object"),
                abi.encode(address(this))
            )
        );
    }

    function v4Step(bytes1 flags, bytes memory amount, address manager, address from, address[] memory path)
        internal
        pure
        returns (bytes memory step)
    {
        step = abi.encodePacked(bytes1(0x05), flags, amount, Programs.token(flags, from), manager, uint8(path.length));
        for (uint256 k; k < path.length; ++k) step = abi.encodePacked(step, path[k], uint24(3000), uint24(60));
    }
}
