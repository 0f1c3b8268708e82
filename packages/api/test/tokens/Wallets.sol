// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {TimedToken} from "Timed.sol";

abstract contract TaxedToken is TimedToken {
    function move(address from, address to, uint256 amount) internal override {
        uint256 tax = amount * taxPerMille(from, to, amount) / 1000;
        super.move(from, to, amount - tax);
        if (tax > 0) super.move(from, address(0xdead), tax);
    }

    function taxPerMille(address from, address to, uint256 amount) internal virtual returns (uint256);
}

/// Rejects transfers of more than a whole token to accounts without code.
contract WalletLimit is TaxedToken {
    function taxPerMille(address, address to, uint256 amount) internal view override returns (uint256) {
        require(to.code.length > 0 || amount <= 1e18, "wallet limit");
        return 0;
    }
}

contract TaxesWallets is TaxedToken {
    function taxPerMille(address, address to, uint256) internal view override returns (uint256) {
        return to.code.length == 0 ? 9 : 0;
    }
}

contract TaxesWalletSenders is TaxedToken {
    function taxPerMille(address from, address, uint256) internal view override returns (uint256) {
        return from.code.length == 0 ? 30 : 0;
    }
}

/// Writes four new slots if a contract's tokens are sent by allowance.
contract MigratesContracts is TaxedToken {
    mapping(uint256 => uint256) private books;

    function taxPerMille(address from, address, uint256 amount) internal override returns (uint256) {
        if (from.code.length > 0 && from != msg.sender) for (uint256 i; i < 4; ++i) books[i] = amount;
        return 0;
    }
}

/// Permits transfers only to verified accounts, like shares of regulated funds (ERC-3643).
contract Verified is TaxedToken {
    mapping(address => bool) private verified;
    bool private isOpen;

    function verify(address[] calldata accounts) external {
        for (uint256 i; i < accounts.length; ++i) verified[accounts[i]] = true;
        isOpen = true;
    }

    function taxPerMille(address from, address to, uint256) internal view override returns (uint256) {
        require(!isOpen || verified[from] && verified[to], "not verified");
        return 0;
    }
}

/// Calls each contract that receives it, except for its pair (ERC-223).
contract CallsReceivers is TaxedToken {
    address private pair;

    function open(address to) external {
        pair = to;
    }

    function taxPerMille(address from, address to, uint256 amount) internal override returns (uint256) {
        if (pair == address(0) || to == pair || to.code.length == 0) return 0;
        (bool ok,) = to.call(abi.encodeWithSignature("tokenFallback(address,uint256,bytes)", from, amount, ""));
        require(ok, "no tokenFallback");
        return 0;
    }
}
