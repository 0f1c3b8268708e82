// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";

/// A Balancer rate provider: returns the assets of a share of a vault, 18 decimals.
contract VaultRate {
    IERC4626 public immutable vault;

    constructor(IERC4626 vault_) {
        vault = vault_;
    }

    function getRate() external view returns (uint256) {
        return vault.convertToAssets(1e18);
    }
}
