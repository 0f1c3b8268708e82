// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a woofi-v2 pool: it checks that it was sent what it is told.
interface IWoofiV2Pool {
    function swap(
        address fromToken,
        address toToken,
        uint256 fromAmount,
        uint256 minToAmount,
        address to,
        address rebateTo
    ) external returns (uint256 toAmount);
}

/// @notice What is read of a woofi-v2 pool, and what it says of a trade.
interface IWoofiV2State {
    event WooSwap(
        address indexed fromToken,
        address indexed toToken,
        uint256 fromAmount,
        uint256 toAmount,
        address from,
        address indexed to,
        address rebateTo,
        uint256 swapVol,
        uint256 swapFee
    );

    function quoteToken() external view returns (address);
    function wooracle() external view returns (address);
    function paused() external view returns (bool);
    /// @param feeRate In hundred-thousandths. The last two bound a trade: gamma in 1e18, the other in quote tokens.
    function tokenInfos(address token)
        external
        view
        returns (uint192 reserve, uint16 feeRate, uint128 maxGamma, uint128 maxNotionalSwap);
    function query(address fromToken, address toToken, uint256 fromAmount) external view returns (uint256 toAmount);
}

/// @notice What is read of the oracle of such pools.
interface IWooracle {
    struct State {
        /// Quote tokens for one base token, in 10^decimals.
        uint128 price;
        /// In 1e18, and price move for each quote token of the trade.
        uint64 spread;
        uint64 coeff;
        bool woFeasible;
    }

    function state(address base) external view returns (State memory);
    function decimals(address base) external view returns (uint8);
}
