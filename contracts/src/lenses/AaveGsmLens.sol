// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAaveGho, IAaveGsm, IAaveGsmRegistry, IAaveGsmStrategies} from "../interfaces/IAaveGsm.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";

/// @title AaveGsmLens
/// @notice Finds and reads GHO stability modules; never deployed.
contract AaveGsmLens {
    /// @dev A module, the asset that it trades, and GHO.
    struct Found {
        address gsm;
        address asset;
        address gho;
    }

    struct State {
        /// True if the module is frozen or seized.
        bool stopped;
        /// Base units of a whole asset.
        uint256 unit;
        /// Base units of GHO that a whole asset is worth.
        uint256 ratio;
        /// Fees in parts per 10,000.
        uint256 sellFee;
        uint256 buyFee;
        /// Base units of the asset that the module can still buy.
        uint256 exposure;
        /// Base units of the asset that the module can sell.
        uint256 liquidity;
        /// Maximum GHO that the module may mint, and the GHO that it has minted, in base units.
        uint256 capacity;
        uint256 level;
    }

    /// @dev Amount for which fees are requested; fees are in parts of it.
    uint256 private constant ONE = 10_000;

    /// @notice Returns all modules of a registry.
    function find(IAaveGsmRegistry registry) external view returns (Found[] memory found) {
        address[] memory list = registry.getGsmList();
        found = new Found[](list.length);
        for (uint256 i; i < list.length; ++i) {
            IAaveGsm gsm = IAaveGsm(list[i]);
            found[i] = Found(list[i], gsm.UNDERLYING_ASSET(), gsm.GHO_TOKEN());
        }
    }

    /// @notice Returns the state of a module. Reverts for a module without a fixed price, such as one for vault shares.
    function read(IAaveGsm gsm) external view returns (State memory state) {
        IAaveGsmStrategies price = IAaveGsmStrategies(gsm.PRICE_STRATEGY());
        state.unit = 10 ** IERC20Metadata(gsm.UNDERLYING_ASSET()).decimals();
        state.ratio = price.PRICE_RATIO();
        require(price.getAssetPriceInGho(state.unit, false) == state.ratio);
        IAaveGsmStrategies fees = IAaveGsmStrategies(gsm.getFeeStrategy());
        if (address(fees) != address(0)) (state.sellFee, state.buyFee) = (fees.getSellFee(ONE), fees.getBuyFee(ONE));
        state.stopped = gsm.getIsFrozen() || gsm.getIsSeized();
        state.exposure = gsm.getAvailableUnderlyingExposure();
        state.liquidity = gsm.getAvailableLiquidity();
        (state.capacity, state.level) = IAaveGho(gsm.GHO_TOKEN()).getFacilitatorBucket(address(gsm));
    }
}
