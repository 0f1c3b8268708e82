// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State and events of pools of Saddle and its forks. Their swap function is in ICurvePool. Fees have 10
///   decimals.
interface ISaddlePool {
    event TokenSwap(address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId, uint128 boughtId);
    event TokenSwapUnderlying(
        address indexed buyer, uint256 tokensSold, uint256 tokensBought, uint128 soldId, uint128 boughtId
    );
    event AddLiquidity(
        address indexed provider, uint256[] tokenAmounts, uint256[] fees, uint256 invariant, uint256 lpTokenSupply
    );
    event RemoveLiquidity(address indexed provider, uint256[] tokenAmounts, uint256 lpTokenSupply);
    event RemoveLiquidityOne(
        address indexed provider, uint256 lpTokenAmount, uint256 lpTokenSupply, uint256 boughtId, uint256 tokensBought
    );
    event RemoveLiquidityImbalance(
        address indexed provider, uint256[] tokenAmounts, uint256[] fees, uint256 invariant, uint256 lpTokenSupply
    );
    event FlashLoan(address indexed receiver, uint8 tokenIndex, uint256 amount, uint256 amountFee, uint256 protocolFee);
    event NewAdminFee(uint256 newAdminFee);
    event NewSwapFee(uint256 newSwapFee);
    event RampA(uint256 oldA, uint256 newA, uint256 initialTime, uint256 futureTime);
    event StopRampA(uint256 currentA, uint256 time);
    event Paused(address account);
    event Unpaused(address account);

    function getToken(uint8 index) external view returns (address);
    function getTokenBalance(uint8 index) external view returns (uint256);
    /// @notice Returns the amplification times 100.
    function getAPrecise() external view returns (uint256);
    /// @notice Returns the amplification at the start and at the end of its ramp, the Unix times of both in seconds,
    ///   the swap fee, and the part of the fee that leaves the pool.
    /// @dev Returns further words that differ by fork, which this interface omits. Amplifications are times 100.
    function swapStorage()
        external
        view
        returns (
            uint256 initialA,
            uint256 futureA,
            uint256 initialTime,
            uint256 futureTime,
            uint256 swapFee,
            uint256 adminFee
        );
    function paused() external view returns (bool);
    /// @notice Value of a share of the pool, with 18 decimals.
    function getVirtualPrice() external view returns (uint256);
    /// @notice Only in pools whose last token is a share of another pool: that pool, and the cached price of the share.
    function metaSwapStorage()
        external
        view
        returns (address baseSwap, uint256 baseVirtualPrice, uint256 baseCacheLastUpdated);
    /// @notice Quotes the output of `amountIn` of token `i` in base units of token `j`.
    function calculateSwap(uint8 i, uint8 j, uint256 amountIn) external view returns (uint256);
}
