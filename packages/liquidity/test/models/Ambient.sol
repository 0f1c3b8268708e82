// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

/// Tells its storage, and settles the flows that it was told of as the genuine dex does, once asked for exactly that swap.
contract Dex {
    bytes32 private asked;
    address private base;
    address private quote;
    int128 private baseFlow;
    int128 private quoteFlow;

    error NotAsTold();

    receive() external payable {}

    function readSlot(uint256 slot) external view returns (uint256 word) {
        assembly {
            word := sload(slot)
        }
    }

    function tell(bytes calldata command, int128 baseFlow_, int128 quoteFlow_) external {
        asked = keccak256(command);
        (base, quote) = abi.decode(command, (address, address));
        (baseFlow, quoteFlow) = (baseFlow_, quoteFlow_);
    }

    function userCmd(uint16 path, bytes calldata command) external payable returns (bytes memory) {
        if (path != 1 || keccak256(command) != asked) revert NotAsTold();
        settle(base, baseFlow);
        settle(quote, quoteFlow);
        return abi.encode(baseFlow, quoteFlow);
    }

    function settle(address token, int128 flow) private {
        if (token == address(0)) {
            uint256 due = flow > 0 ? uint128(flow) : 0;
            if (msg.value < due) revert NotAsTold();
            payable(msg.sender).transfer(msg.value - due + (flow < 0 ? uint128(-flow) : 0));
        } else if (flow > 0) {
            Coin(token).transferFrom(msg.sender, address(this), uint128(flow));
        } else {
            Coin(token).transfer(msg.sender, uint128(-flow));
        }
    }
}
