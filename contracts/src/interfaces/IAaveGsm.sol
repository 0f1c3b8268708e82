// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Aave's stability module of GHO, as the Executor calls it and lenses read it.
interface IAaveGsm {
    event SellAsset(
        address indexed originator, address indexed receiver, uint256 underlyingAmount, uint256 ghoAmount, uint256 fee
    );
    event BuyAsset(
        address indexed originator, address indexed receiver, uint256 underlyingAmount, uint256 ghoAmount, uint256 fee
    );
    event SwapFreeze(address indexed freezer, bool enabled);
    event Seized(address indexed seizer, address indexed recipient, uint256 underlyingAmount, uint256 ghoOutstanding);
    event FeeStrategyUpdated(address indexed oldFeeStrategy, address indexed newFeeStrategy);
    event ExposureCapUpdated(uint256 oldExposureCap, uint256 newExposureCap);

    /// @return assetAmount Taken from the caller, no more than `maxAmount`.
    /// @return ghoBought Made for the receiver.
    function sellAsset(uint256 maxAmount, address receiver) external returns (uint256 assetAmount, uint256 ghoBought);
    /// @return assetAmount Paid to the receiver, no less than `minAmount`.
    /// @return ghoSold Taken from the caller.
    function buyAsset(uint256 minAmount, address receiver) external returns (uint256 assetAmount, uint256 ghoSold);
    /// @return assetAmount The most that so much GHO buys.
    function getAssetAmountForBuyAsset(uint256 maxGhoAmount)
        external
        view
        returns (uint256 assetAmount, uint256 ghoSold, uint256 grossAmount, uint256 fee);

    function GHO_TOKEN() external view returns (address);
    function UNDERLYING_ASSET() external view returns (address);
    function PRICE_STRATEGY() external view returns (address);
    /// @return Zero where there are no fees.
    function getFeeStrategy() external view returns (address);
    /// @return Units of the asset that it still takes in.
    function getAvailableUnderlyingExposure() external view returns (uint256);
    /// @return Units of the asset that it can pay.
    function getAvailableLiquidity() external view returns (uint256);
    function getIsFrozen() external view returns (bool);
    function getIsSeized() external view returns (bool);
}

/// @notice The price of a module, and its fees.
interface IAaveGsmStrategies {
    /// @return GHO for one whole asset, 1e18.
    function PRICE_RATIO() external view returns (uint256);
    function getAssetPriceInGho(uint256 assetAmount, bool roundUp) external view returns (uint256);
    function getSellFee(uint256 grossAmount) external view returns (uint256);
    function getBuyFee(uint256 grossAmount) external view returns (uint256);
}

/// @notice GHO: who may make how much of it.
interface IAaveGho {
    event FacilitatorBucketCapacityUpdated(
        address indexed facilitatorAddress, uint256 oldCapacity, uint256 newCapacity
    );

    function getFacilitatorBucket(address facilitator) external view returns (uint256 capacity, uint256 level);
}

/// @notice The list of modules.
interface IAaveGsmRegistry {
    function getGsmList() external view returns (address[] memory);
}
