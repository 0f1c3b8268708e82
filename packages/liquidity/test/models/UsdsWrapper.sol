// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin, DecimalCoin} from "./Coin.sol";

/// A module with the interface of LitePSM. It holds DAI, and another account, the pocket, holds the gems (the stable asset).
contract Module {
    uint256 private constant WAD = 1e18;
    DecimalCoin public immutable gem;
    Coin public immutable dai;
    address public immutable pocket;
    uint256 public tin;
    uint256 public tout;

    constructor(DecimalCoin gem_, Coin dai_, address pocket_) {
        (gem, dai, pocket) = (gem_, dai_, pocket_);
    }

    function set(uint256 tin_, uint256 tout_) external {
        (tin, tout) = (tin_, tout_);
    }

    function to18ConversionFactor() public view returns (uint256) {
        return 10 ** (18 - gem.decimals());
    }

    function sellGem(address usr, uint256 gems) external returns (uint256 paid) {
        uint256 value = gems * to18ConversionFactor();
        paid = value - value * tin / WAD;
        gem.transferFrom(msg.sender, pocket, gems);
        dai.transfer(usr, paid);
    }

    function buyGem(address usr, uint256 gems) external returns (uint256 cost) {
        uint256 value = gems * to18ConversionFactor();
        cost = value + value * tout / WAD;
        dai.transferFrom(msg.sender, address(this), cost);
        gem.transferFrom(pocket, usr, gems);
    }
}

/// USDS, which its wrapper mints for DAI and burns.
contract Usds is Coin {
    function burn(address from, uint256 amount) external {
        balanceOf[from] -= amount;
    }
}

/// A wrapper that pays USDS instead of the DAI of its module.
contract Wrapper {
    Module public immutable psm;
    Usds public immutable dai;

    constructor(Module psm_, Usds usds) {
        (psm, dai) = (psm_, usds);
    }

    function gem() public view returns (Coin) {
        return psm.gem();
    }

    function pocket() external view returns (address) {
        return psm.pocket();
    }

    function tin() external view returns (uint256) {
        return psm.tin();
    }

    function tout() external view returns (uint256) {
        return psm.tout();
    }

    function to18ConversionFactor() external view returns (uint256) {
        return psm.to18ConversionFactor();
    }

    function sellGem(address usr, uint256 gems) external returns (uint256 paid) {
        gem().transferFrom(msg.sender, address(this), gems);
        gem().approve(address(psm), gems);
        paid = psm.sellGem(address(this), gems);
        dai.mint(usr, paid);
    }

    function buyGem(address usr, uint256 gems) external returns (uint256 cost) {
        uint256 value = gems * psm.to18ConversionFactor();
        cost = value + value * psm.tout() / 1e18;
        dai.transferFrom(msg.sender, address(this), cost);
        dai.burn(address(this), cost);
        psm.dai().mint(address(this), cost);
        psm.dai().approve(address(psm), cost);
        psm.buyGem(usr, gems);
    }
}
