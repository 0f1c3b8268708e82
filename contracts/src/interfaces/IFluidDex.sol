// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a fluid-dex pool of the first type.
interface IFluidDexPool {
    /// @dev Native comes with the call; everything else is pulled.
    function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to)
        external
        payable
        returns (uint256 amountOut);
}

/// @notice What is asked of Fluid's resolver, which lists its pools.
interface IFluidDexResolver {
    function getAllPoolAddresses() external view returns (address[] memory pools);
    function getPoolTokens(address pool) external view returns (address token0, address token1);
}

/// @notice What is read of such a pool, and what it and the factory say.
interface IFluidDexState {
    struct Prices {
        uint256 lastStoredPrice;
        uint256 centerPrice;
        uint256 upperRange;
        uint256 lowerRange;
        uint256 geometricMean;
        uint256 supplyToken0ExchangePrice;
        uint256 borrowToken0ExchangePrice;
        uint256 supplyToken1ExchangePrice;
        uint256 borrowToken1ExchangePrice;
    }

    struct CollateralReserves {
        uint256 token0RealReserves;
        uint256 token1RealReserves;
        uint256 token0ImaginaryReserves;
        uint256 token1ImaginaryReserves;
    }

    struct DebtReserves {
        uint256 token0Debt;
        uint256 token1Debt;
        uint256 token0RealReserves;
        uint256 token1RealReserves;
        uint256 token0ImaginaryReserves;
        uint256 token1ImaginaryReserves;
    }

    /// @dev How `getPricesAndExchangePrices` answers.
    error FluidDexPricesAndExchangeRates(Prices prices);
    /// @dev How `swapIn` answers where it is to pay 0x…dEaD.
    error FluidDexSwapResult(uint256 amountOut);

    event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to);

    function getPricesAndExchangePrices() external;
    function getCollateralReserves(
        uint256 geometricMean,
        uint256 upperRange,
        uint256 lowerRange,
        uint256 supplyToken0ExchangePrice,
        uint256 supplyToken1ExchangePrice
    ) external view returns (CollateralReserves memory);
    function getDebtReserves(
        uint256 geometricMean,
        uint256 upperRange,
        uint256 lowerRange,
        uint256 borrowToken0ExchangePrice,
        uint256 borrowToken1ExchangePrice
    ) external view returns (DebtReserves memory);
    /// @dev 0: prices; 1: fee, ranges, whether it is paused.
    function readFromStorage(bytes32 slot) external view returns (uint256);
}
