// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The maths of pools of the NG kind.
interface ICurveCryptoMath {
    function version() external view returns (string memory);
    function get_y(uint256 a, uint256 gamma, uint256[2] memory xp, uint256 invariant, uint256 i)
        external
        view
        returns (uint256[2] memory);
    function get_y(uint256 a, uint256 gamma, uint256[3] memory xp, uint256 invariant, uint256 i)
        external
        view
        returns (uint256[2] memory);
}
