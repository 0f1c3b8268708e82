// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter and event of a Liquidity Book factory of version 2.1 or later.
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

    /// @notice Returns all pairs of two tokens. They differ by bin step.
    function getAllLBPairs(address tokenA, address tokenB) external view returns (PairInformation[] memory);
}

/// @notice State of a Liquidity Book pair of version 2.1 or later that lenses read, and the events that change it.
/// @dev A packed amount (bytes32) has the amount of token X in its low, and of token Y in its high 128 bits.
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
    /// @notice Getter of version 2.0.
    function tokenX() external view returns (address);
    /// @notice Returns the ratio of the prices of adjacent bins, minus 1, in basis points.
    function getBinStep() external view returns (uint16);
    function getActiveId() external view returns (uint24);
    /// @return reserveX Base units of token X.
    /// @return reserveY Base units of token Y.
    function getBin(uint24 id) external view returns (uint128 reserveX, uint128 reserveY);
    /// @param swapForY True to search below `id`, false to search above it.
    /// @return nextId The next bin with liquidity. If there is none: zero or the maximum id.
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
    /// @notice Returns the address of the hook in the low 160 bits, and flags for its functions above them; zero if
    ///   there is no hook.
    /// @dev Version 2.2 only.
    function getLBHooksParameters() external view returns (bytes32);
}
