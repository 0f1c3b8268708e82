// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {IPsm3, IPsm3RateProvider} from "../interfaces/IPsm3.sol";

/// @title Psm3Lens
/// @notice Reads a Spark PSM3; never deployed.
contract Psm3Lens {
    struct State {
        /// Base units of a whole USDC, USDS, and sUSDS.
        uint256[3] precisions;
        /// Base units of each token that the module can pay.
        uint256[3] balances;
        /// USDS per sUSDS, 27 decimals.
        uint256 rate;
    }

    /// @notice Returns USDC, USDS, and sUSDS.
    function tokens(IPsm3 psm) public view returns (address[3] memory) {
        return [psm.usdc(), psm.usds(), psm.susds()];
    }

    /// @notice Returns the state of the module.
    function read(IPsm3 psm) external view returns (State memory state) {
        address[3] memory list = tokens(psm);
        address pocket = psm.pocket();
        for (uint256 i; i < 3; ++i) {
            state.precisions[i] = 10 ** IERC20Metadata(list[i]).decimals();
            state.balances[i] = IERC20(list[i]).balanceOf(i == 0 ? pocket : address(psm));
        }
        if (pocket != address(psm)) {
            uint256 allowed = IERC20(list[0]).allowance(pocket, address(psm));
            if (allowed < state.balances[0]) state.balances[0] = allowed;
        }
        state.rate = IPsm3RateProvider(psm.rateProvider()).getConversionRate();
    }
}
