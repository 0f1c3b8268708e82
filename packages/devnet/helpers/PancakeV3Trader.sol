// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IPancakeV3Pool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

/// Mints and swaps in PancakeSwap V3 pools, whose packages contain neither a position manager nor a router. Pays by the
/// caller's allowance. Only for the local chain, because any contract may call back.
contract PancakeV3Trader {
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    error PaymentFailed(address token);

    function mint(IPancakeV3Pool pool, int24 tickLower, int24 tickUpper, uint128 liquidity) external {
        pool.mint(msg.sender, tickLower, tickUpper, liquidity, abi.encode(msg.sender));
    }

    /// Sells exactly `amountIn`.
    function swap(IPancakeV3Pool pool, bool zeroForOne, uint256 amountIn) external returns (uint256 amountOut) {
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        (int256 amount0, int256 amount1) =
            pool.swap(msg.sender, zeroForOne, int256(amountIn), limit, abi.encode(msg.sender));
        return uint256(-(zeroForOne ? amount1 : amount0));
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        pay(int256(amount0), int256(amount1), abi.decode(data, (address)));
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        pay(amount0, amount1, abi.decode(data, (address)));
    }

    function pay(int256 amount0, int256 amount1, address payer) private {
        if (amount0 > 0) transferFrom(IPancakeV3Pool(msg.sender).token0(), payer, uint256(amount0));
        if (amount1 > 0) transferFrom(IPancakeV3Pool(msg.sender).token1(), payer, uint256(amount1));
    }

    /// Also supports tokens that return no data.
    function transferFrom(address token, address from, uint256 amount) private {
        (bool done, bytes memory answer) = token.call(
            abi.encodeWithSignature("transferFrom(address,address,uint256)", from, msg.sender, amount)
        );
        if (!done || (answer.length != 0 && !abi.decode(answer, (bool)))) revert PaymentFailed(token);
    }
}
