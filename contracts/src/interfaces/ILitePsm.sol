// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Maker's peg stability module with a pocket, as the Executor calls it and lenses read it.
interface ILitePsm {
    event SellGem(address indexed owner, uint256 value, uint256 fee);
    event BuyGem(address indexed owner, uint256 value, uint256 fee);
    event File(bytes32 indexed what, uint256 data);

    /// @return daiOutWad Paid by the module; the gems go to the pocket.
    function sellGem(address usr, uint256 gemAmt) external returns (uint256 daiOutWad);
    /// @return daiInWad Taken from the caller.
    function buyGem(address usr, uint256 gemAmt) external returns (uint256 daiInWad);

    /// @return Of 1e18; all ones where that way is halted.
    function tin() external view returns (uint256);
    function tout() external view returns (uint256);
    function to18ConversionFactor() external view returns (uint256);
    function dai() external view returns (address);
    function gem() external view returns (address);
    function pocket() external view returns (address);
}

/// @notice Sky's wrapper of a module, with the module's interface: it pays and takes USDS in place of DAI.
interface ILitePsmWrapper {
    function psm() external view returns (ILitePsm);
}
