// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {ILitePsm, ILitePsmWrapper} from "../interfaces/ILitePsm.sol";

/// @title LitePsmLens
/// @notice Reads a peg stability module with a pocket; never deployed.
contract LitePsmLens {
    struct State {
        /// Fees of selling and of buying gems, 18 decimals.
        uint256 tin;
        uint256 tout;
        /// Base units of DAI for one base unit of the gem, without the fee.
        uint256 factor;
        /// Base units of DAI and of the gem that the module can pay.
        uint256 dai;
        uint256 gems;
    }

    /// @notice Returns the stable asset of the module, and DAI.
    function tokens(ILitePsm psm) external view returns (address gem, address dai) {
        return (psm.gem(), psm.dai());
    }

    /// @notice Returns the state of a module, or of the USDS wrapper of a module.
    function read(ILitePsm psm) external view returns (State memory state) {
        (state.tin, state.tout, state.factor) = (psm.tin(), psm.tout(), psm.to18ConversionFactor());
        // The USDS wrapper has no balance: it converts the DAI of its module.
        try ILitePsmWrapper(address(psm)).psm() returns (ILitePsm module) {
            state.dai = IERC20(module.dai()).balanceOf(address(module));
        } catch {
            state.dai = IERC20(psm.dai()).balanceOf(address(psm));
        }
        state.gems = IERC20(psm.gem()).balanceOf(psm.pocket());
    }
}
