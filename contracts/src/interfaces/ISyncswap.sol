// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a syncswap pool: it measures what it was sent, or credited with in its vault.
interface ISyncswapPool {
    /// @param data The token sold, whoever receives, and how: 2 pays the token itself.
    /// @param callback Nobody is called where it is zero.
    function swap(bytes calldata data, address sender, address callback, bytes calldata callbackData) external;
}

/// @notice What holds the tokens of many pools and credits them with what it was sent.
interface ISyncswapVault {
    function deposit(address token, address to) external payable returns (uint256 amount);
}

/// @notice What is asked of a factory of syncswap pools, and what it tells.
interface ISyncswapFactory {
    event PoolCreated(address indexed token0, address indexed token1, address pool);

    function getPool(address tokenA, address tokenB) external view returns (address pool);
}

/// @notice What is read of a syncswap pool, and what it says of a trade.
interface ISyncswapState {
    event Sync(uint256 reserve0, uint256 reserve1);

    /// @return 1 x·y = k, 2 stable, 3 with a price scale.
    function poolType() external view returns (uint16);
    function vault() external view returns (address);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1);
    /// @return Hundred-thousandths of the input.
    function getSwapFee(address sender, address tokenIn, address tokenOut, bytes calldata data)
        external
        view
        returns (uint24);
    /// @dev Of stable pools: 10^(18 − decimals).
    function token0PrecisionMultiplier() external view returns (uint256);
    function token1PrecisionMultiplier() external view returns (uint256);
}
