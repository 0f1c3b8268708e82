// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters that lenses call of a Liquidity Book factory of version 2.1 or later.
interface ILiquidityBookFactory {
    struct PairInformation {
        uint16 binStep;
        address pair;
        bool createdByOwner;
        bool ignoredForRouting;
    }

    event LBPairCreated(
        address indexed tokenX, address indexed tokenY, uint256 indexed binStep, address LBPair, uint256 pid
    );

    function getAllLBPairs(address tokenA, address tokenB) external view returns (PairInformation[] memory);
}

/// @notice State that lenses read of a Liquidity Book pair of version 2.1 or later, and what it says of changes.
interface ILiquidityBookState {
    event Swap(
        address indexed sender,
        address indexed to,
        uint24 id,
        bytes32 amountsIn,
        bytes32 amountsOut,
        uint24 volatilityAccumulator,
        bytes32 totalFees,
        bytes32 protocolFees
    );
    event DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts);
    event WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts);
    event CompositionFees(address indexed sender, uint24 id, bytes32 totalFees, bytes32 protocolFees);
    event FlashLoan(
        address indexed sender,
        address indexed receiver,
        uint24 activeId,
        bytes32 amounts,
        bytes32 totalFees,
        bytes32 protocolFees
    );
    event StaticFeeParametersSet(
        address indexed sender,
        uint16 baseFactor,
        uint16 filterPeriod,
        uint16 decayPeriod,
        uint16 reductionFactor,
        uint24 variableFeeControl,
        uint16 protocolShare,
        uint24 maxVolatilityAccumulator
    );
    event ForcedDecay(address indexed sender, uint24 idReference, uint24 volatilityReference);
    event HooksParametersSet(address indexed sender, bytes32 hooksParameters);

    function getTokenX() external view returns (address);
    function getBinStep() external view returns (uint16);
    function getActiveId() external view returns (uint24);
    function getBin(uint24 id) external view returns (uint128 reserveX, uint128 reserveY);
    /// @param swapForY Looks below `id`, else above. Zero or the highest id where there is none.
    function getNextNonEmptyBin(bool swapForY, uint24 id) external view returns (uint24 nextId);
    function getStaticFeeParameters()
        external
        view
        returns (
            uint16 baseFactor,
            uint16 filterPeriod,
            uint16 decayPeriod,
            uint16 reductionFactor,
            uint24 variableFeeControl,
            uint16 protocolShare,
            uint24 maxVolatilityAccumulator
        );
    function getVariableFeeParameters()
        external
        view
        returns (
            uint24 volatilityAccumulator, uint24 volatilityReference, uint24 idReference, uint40 timeOfLastUpdate
        );
    /// @dev Version 2.2 only: a hook and when it is called; zero for none.
    function getLBHooksParameters() external view returns (bytes32);
}
