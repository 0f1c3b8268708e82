// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Build} from "./Build.sol";

interface IToken {
    function balanceOf(address account) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function mint(address to, uint256 amount) external;
}

interface IWeth is IToken {
    function deposit() external payable;
}

interface IV2Factory {
    function createPair(address tokenA, address tokenB) external returns (address pair);
}

interface IV2Pair {
    function mint(address to) external returns (uint256 liquidity);
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 at);
    function token0() external view returns (address);
}

interface IV3Factory {
    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address pool);
}

interface IV3Pool {
    function initialize(uint160 sqrtPriceX96) external;
    function mint(address to, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
    function token0() external view returns (address);
    function token1() external view returns (address);
}

/// @notice Deploys the published bytecode of the DEXes on the test chain, with liquidity at price one.
abstract contract Genuine is Build {
    address internal v2Factory;
    address internal v3Factory;
    IWeth internal weth;

    function deployGenuine() internal {
        v2Factory = create(
            abi.encodePacked(
                published("@uniswap/v2-core/build/UniswapV2Factory.json", ".bytecode"), abi.encode(address(this))
            )
        );
        v3Factory = create(
            published("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json", ".bytecode")
        );
        weth = IWeth(create(published("@uniswap/v2-periphery/build/WETH9.json", ".bytecode")));
    }

    /// @dev Some publishers omit the 0x.
    function published(string memory path, string memory key) internal view returns (bytes memory) {
        string memory hexText =
            vm.parseJsonString(vm.readFile(string.concat(vm.projectRoot(), "/../node_modules/", path)), key);
        return vm.parseBytes(bytes(hexText)[1] == "x" ? hexText : string.concat("0x", hexText));
    }

    function give(address token, address to, uint256 amount) internal {
        if (token == address(weth)) {
            vm.deal(address(this), address(this).balance + amount);
            weth.deposit{value: amount}();
            weth.transfer(to, amount);
        } else {
            IToken(token).mint(to, amount);
        }
    }

    function v2Pair(address tokenA, address tokenB, uint256 depth) internal returns (address pair) {
        pair = IV2Factory(v2Factory).createPair(tokenA, tokenB);
        give(tokenA, pair, depth);
        give(tokenB, pair, depth);
        IV2Pair(pair).mint(address(this));
    }

    function v3Pool(address tokenA, address tokenB, uint24 fee, uint128 liquidity) internal returns (address pool) {
        pool = IV3Factory(v3Factory).createPool(tokenA, tokenB, fee);
        IV3Pool(pool).initialize(1 << 96);
        int24 spacing = fee == 500 ? int24(10) : int24(60);
        IV3Pool(pool).mint(address(this), -spacing * 1000, spacing * 1000, liquidity, "");
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        give(IV3Pool(msg.sender).token0(), msg.sender, amount0);
        give(IV3Pool(msg.sender).token1(), msg.sender, amount1);
    }

    function zeroForOne(address pool, address tokenIn) internal view returns (bytes1) {
        return IV2Pair(pool).token0() == tokenIn ? bytes1(0x20) : bytes1(0x00);
    }

    /// @dev Equals UniswapV2Library.getAmountOut.
    function v2Out(address pair, address tokenIn, uint256 amountIn) internal view returns (uint256) {
        (uint256 reserve0, uint256 reserve1,) = IV2Pair(pair).getReserves();
        (uint256 reserveIn, uint256 reserveOut) =
            IV2Pair(pair).token0() == tokenIn ? (reserve0, reserve1) : (reserve1, reserve0);
        return amountIn * 997 * reserveOut / (reserveIn * 1000 + amountIn * 997);
    }
}
