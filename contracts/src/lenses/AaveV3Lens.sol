// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAaveV3State, IAaveV3Token} from "../interfaces/IAaveV3.sol";
import {IERC20} from "../interfaces/IERC20.sol";

/// @title AaveV3Lens
/// @notice Finds and reads reserves of Aave V3 markets; never deployed.
contract AaveV3Lens {
    struct State {
        /// True if withdrawals are possible.
        bool active;
        /// True if supplies are suspended.
        bool frozen;
        /// Assets per unit of scaled balance, 27 decimals.
        uint256 income;
        /// Supply of the aToken in scaled units.
        uint256 scaledSupply;
        /// Supply in base units as the aToken reports it. The result shows how the release rounds.
        uint256 totalSupply;
        /// Scaled units that are credited to the treasury, plus the maximum that the next update will credit.
        uint256 treasury;
        /// Maximum total supply in base units of the asset; zero for no limit.
        uint256 cap;
        /// Base units of the asset that can be withdrawn.
        uint256 cash;
        /// Release of the market's contract; zero if it has no getter for it.
        uint256 revision;
    }

    uint256 private constant RAY = 1e27;

    /// @notice Finds the aTokens of assets.
    /// @return aTokens One for each asset; zero if the market does not have the asset.
    function find(IAaveV3State pool, address[] calldata assets) external view returns (address[] memory aTokens) {
        aTokens = new address[](assets.length);
        for (uint256 i; i < assets.length; ++i) {
            try pool.getReserveData(assets[i]) returns (IAaveV3State.ReserveData memory reserve) {
                aTokens[i] = reserve.aTokenAddress;
            } catch {}
        }
    }

    /// @notice Returns the state of a reserve. Reverts if the market does not have the asset.
    function read(IAaveV3State pool, address asset) external view returns (State memory state) {
        IAaveV3State.ReserveData memory reserve = pool.getReserveData(asset);
        uint256 config = reserve.configuration;
        // Bits 56, 57 and 60: active, frozen, paused.
        state.active = config >> 56 & 1 == 1 && config >> 60 & 1 == 0;
        state.frozen = config >> 57 & 1 == 1;
        // Bits 116 to 151: the cap in whole tokens; 48 to 55: decimals.
        state.cap = (config >> 116 & (1 << 36) - 1) * 10 ** (config >> 48 & 0xff);
        state.income = pool.getReserveNormalizedIncome(asset);
        IAaveV3Token aToken = IAaveV3Token(reserve.aTokenAddress);
        state.scaledSupply = aToken.scaledTotalSupply();
        state.totalSupply = aToken.totalSupply();
        state.treasury = reserve.accruedToTreasury + _due(pool, asset, reserve, state.income);
        state.cash = IERC20(asset).balanceOf(address(aToken));
        try pool.getVirtualUnderlyingBalance(asset) returns (uint128 counted) {
            if (counted < state.cash) state.cash = counted;
        } catch {}
        try pool.POOL_REVISION() returns (uint256 revision) {
            state.revision = revision;
        } catch {}
    }

    /// @dev Treasury's part of the interest since the last update, in scaled units, rounded up. Includes all interest
    ///   of stable debt.
    function _due(IAaveV3State pool, address asset, IAaveV3State.ReserveData memory reserve, uint256 income)
        private
        view
        returns (uint256)
    {
        // Bits 64 to 79: the treasury's part, of 10,000.
        uint256 factor = reserve.configuration >> 64 & 0xffff;
        if (factor == 0) return 0;
        uint256 debt = IAaveV3Token(reserve.variableDebtTokenAddress).scaledTotalSupply();
        uint256 growth = pool.getReserveNormalizedVariableDebt(asset) - reserve.variableBorrowIndex;
        uint256 interest = debt * growth / RAY + 1;
        address stable = reserve.stableDebtTokenAddress;
        if (stable.code.length != 0) {
            try IAaveV3Token(stable).getSupplyData() returns (uint256 principal, uint256 total, uint256, uint40) {
                interest += total - principal;
            } catch {}
        }
        return (interest * factor / 10_000 + 1) * RAY / income + 1;
    }
}
