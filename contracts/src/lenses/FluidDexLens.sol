// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {IFluidDexResolver, IFluidDexState} from "../interfaces/IFluidDex.sol";

/// @title FluidDexLens
/// @notice Finds and reads the current state of fluid-dex pools (type 1); never deployed.
contract FluidDexLens {
    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    struct State {
        uint256 lastStoredPrice;
        uint256 centerPrice;
        /// Slot 1 of the pool.
        uint256 settings;
        IFluidDexState.CollateralReserves collateral;
        IFluidDexState.DebtReserves debt;
        uint8 decimals0;
        uint8 decimals1;
    }

    /// @dev The pool did not revert with its prices.
    error NoPrices(address pool, bytes answer);

    /// @notice Returns all pools of the resolver, and their tokens.
    /// @return pools Addresses of the pools.
    /// @return tokens Two for each pool; the native token is the zero address.
    function list(IFluidDexResolver resolver) external view returns (address[] memory pools, address[] memory tokens) {
        pools = resolver.getAllPoolAddresses();
        tokens = new address[](2 * pools.length);
        for (uint256 i = 0; i < pools.length; ++i) {
            (address token0, address token1) = resolver.getPoolTokens(pools[i]);
            (tokens[2 * i], tokens[2 * i + 1]) = (_zeroIsNative(token0), _zeroIsNative(token1));
        }
    }

    /// @notice Returns the state of a pool. Reverts if the pool reverts without its prices.
    /// @param token0 Zero is the native token, also for `token1`.
    function read(IFluidDexState pool, address token0, address token1) external returns (State memory state) {
        (state.decimals0, state.decimals1) = (_decimals(token0), _decimals(token1));
        state.settings = pool.readFromStorage(bytes32(uint256(1)));
        IFluidDexState.Prices memory prices = _prices(pool);
        (state.lastStoredPrice, state.centerPrice) = (prices.lastStoredPrice, prices.centerPrice);
        if (state.settings & 1 != 0) {
            state.collateral = pool.getCollateralReserves(
                prices.geometricMean,
                prices.upperRange,
                prices.lowerRange,
                prices.supplyToken0ExchangePrice,
                prices.supplyToken1ExchangePrice
            );
        }
        if (state.settings & 2 != 0) {
            state.debt = pool.getDebtReserves(
                prices.geometricMean,
                prices.upperRange,
                prices.lowerRange,
                prices.borrowToken0ExchangePrice,
                prices.borrowToken1ExchangePrice
            );
        }
    }

    /// @dev Returns the prices, which the pool returns in a revert.
    function _prices(IFluidDexState pool) private returns (IFluidDexState.Prices memory) {
        try pool.getPricesAndExchangePrices() {
            revert NoPrices(address(pool), "");
        } catch (bytes memory answer) {
            if (bytes4(answer) != IFluidDexState.FluidDexPricesAndExchangeRates.selector) {
                revert NoPrices(address(pool), answer);
            }
            // Nine words after the selector.
            assembly ("memory-safe") {
                mstore(add(answer, 4), sub(mload(answer), 4))
                answer := add(answer, 4)
            }
            return abi.decode(answer, (IFluidDexState.Prices));
        }
    }

    /// @dev Returns the decimals of a token; 18 for native token.
    function _decimals(address token) private view returns (uint8) {
        return token == address(0) ? 18 : IERC20Metadata(token).decimals();
    }

    /// @dev Replaces the placeholder of native token by the zero address.
    function _zeroIsNative(address token) private pure returns (address) {
        return token == NATIVE ? address(0) : token;
    }
}
