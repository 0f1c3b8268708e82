// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IToken} from "./Genuine.sol";

/// @notice A uniswap-v4 manager or balancer-v3 vault that calls back as often, and requests as much, as the test sets.
contract HostileVault {
    uint256 public callbacks = 1;
    /// @notice Amount that a swap takes; zero for the amount in the call.
    uint256 public requested;
    bool public balancer;
    address public payOut;
    /// @notice Data of the callback instead of the received data; empty for the received data.
    bytes public forged;

    function plan(bool balancer_, uint256 callbacks_, uint256 requested_, address payOut_, bytes calldata forged_) external {
        (balancer, callbacks, requested, payOut, forged) = (balancer_, callbacks_, requested_, payOut_, forged_);
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        bytes memory callbackData = forged;
        if (callbackData.length == 0) callbackData = data;
        for (uint256 k; k < callbacks; ++k) {
            (bool ok, bytes memory answer) =
                msg.sender.call(balancer ? callbackData : abi.encodeWithSignature("unlockCallback(bytes)", callbackData));
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(answer, 0x20), mload(answer))
                }
            }
        }
        return "";
    }

    fallback(bytes calldata data) external payable returns (bytes memory) {
        bytes4 name = bytes4(data);
        // uniswap-v4: `requested` of currency 0 for as much of currency 1, or in reverse.
        if (name == bytes4(keccak256("swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)"))) {
            bool zeroForOne = uint256(bytes32(data[164:196])) == 1;
            uint256 taken = requested == 0 ? uint256(-int256(uint256(bytes32(data[196:228])))) : requested;
            uint256 owed = uint256(uint128(-int128(uint128(taken))));
            return abi.encode(zeroForOne ? owed << 128 | taken : taken << 128 | owed);
        }
        bool takes = name == bytes4(keccak256("take(address,address,uint256)"))
            || name == bytes4(keccak256("sendTo(address,address,uint256)"));
        if (takes && payOut != address(0)) {
            (, address to, uint256 amount) = abi.decode(data[4:], (address, address, uint256));
            IToken(payOut).transfer(to, amount);
        }
        // balancer-v3: the output is the third word.
        return abi.encode(1e18, 1e18, 1e18);
    }
}

/// @notice For any function (of a curve pool, a vault of shares or of pools, a wrapper): draws a part of its allowance from its caller,
///   and pays a token for it.
contract Spender {
    IToken internal immutable INPUT;
    IToken internal immutable OUTPUT;
    uint256 public part;
    mapping(address => uint256) public balanceOf;

    constructor(IToken input, IToken output, uint256 part_) {
        (INPUT, OUTPUT, part) = (input, output, part_);
    }

    /// @dev As a token, to forward calls.
    function transfer(address, uint256) external pure returns (bool) {
        return true;
    }

    fallback() external payable {
        (bool ok,) = address(INPUT).call(
            abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, address(this), part)
        );
        require(ok, "more than approved");
        OUTPUT.mint(msg.sender, 1e18);
        // As a number, and also as an empty array.
        assembly ("memory-safe") {
            mstore(0x00, 0x20)
            mstore(0x20, 0)
            return(0x00, 0x40)
        }
    }
}
