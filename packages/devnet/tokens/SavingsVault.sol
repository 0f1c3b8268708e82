// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// OpenZeppelin's ERC-4626 vault without changes. Assets that are transferred to it without a deposit raise the value
/// of every share.
contract SavingsVault is ERC4626 {
    uint8 private immutable offset;

    /// @param offset_ Decimals of a share minus the decimals of the asset.
    constructor(string memory name_, string memory symbol_, IERC20 asset_, uint8 offset_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        offset = offset_;
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return offset;
    }
}
