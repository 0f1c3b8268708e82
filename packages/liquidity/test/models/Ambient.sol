// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

/// A model of Ambient's contract. Settles the expected balance changes like the genuine contract if the swap is exactly the expected
/// one. Lenses read its storage.
contract Dex {
    bytes32 private expectedCommand;
    address private base;
    address private quote;
    int128 private baseFlow;
    int128 private quoteFlow;

    error UnexpectedSwap();

    receive() external payable {}

    function readSlot(uint256 slot) external view returns (uint256 word) {
        assembly {
            word := sload(slot)
        }
    }

    /// Sets the calldata that the next swap must have, and the balance changes of the dex in base and quote tokens.
    function expectSwap(bytes calldata command, int128 baseFlow_, int128 quoteFlow_) external {
        expectedCommand = keccak256(command);
        (base, quote) = abi.decode(command, (address, address));
        (baseFlow, quoteFlow) = (baseFlow_, quoteFlow_);
    }

    function userCmd(uint16 path, bytes calldata command) external payable returns (bytes memory) {
        if (path != 1 || keccak256(command) != expectedCommand) revert UnexpectedSwap();
        settle(base, baseFlow);
        settle(quote, quoteFlow);
        return abi.encode(baseFlow, quoteFlow);
    }

    function settle(address token, int128 flow) private {
        if (token == address(0)) {
            uint256 due = flow > 0 ? uint128(flow) : 0;
            if (msg.value < due) revert UnexpectedSwap();
            payable(msg.sender).transfer(msg.value - due + (flow < 0 ? uint128(-flow) : 0));
        } else if (flow > 0) {
            Coin(token).transferFrom(msg.sender, address(this), uint128(flow));
        } else {
            Coin(token).transfer(msg.sender, uint128(-flow));
        }
    }
}
