// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IToken} from "./Genuine.sol";

/// @notice A uniswap-v4 manager or balancer-v3 vault that calls back as often, and asks for as much, as the test says.
contract HostileVault {
    uint256 public callbacks = 1;
    /// @notice Amount that a swap here takes; zero for as much as it is asked to.
    uint256 public asked;
    bool public balancer;
    address public payOut;
    /// @notice Data that it calls back with instead of what it was given, if anything.
    bytes public forged;

    function plan(bool balancer_, uint256 callbacks_, uint256 asked_, address payOut_, bytes calldata forged_) external {
        (balancer, callbacks, asked, payOut, forged) = (balancer_, callbacks_, asked_, payOut_, forged_);
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        bytes memory told = forged;
        if (told.length == 0) told = data;
        for (uint256 k; k < callbacks; ++k) {
            (bool ok, bytes memory answer) =
                msg.sender.call(balancer ? told : abi.encodeWithSignature("unlockCallback(bytes)", told));
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
        // uniswap-v4: `asked` of currency 0 for as much of currency 1, or the other way round.
        if (name == bytes4(keccak256("swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)"))) {
            bool zeroForOne = uint256(bytes32(data[164:196])) == 1;
            uint256 taken = asked == 0 ? uint256(-int256(uint256(bytes32(data[196:228])))) : asked;
            uint256 owed = uint256(uint128(-int128(uint128(taken))));
            return abi.encode(zeroForOne ? owed << 128 | taken : taken << 128 | owed);
        }
        bool takes = name == bytes4(keccak256("take(address,address,uint256)"))
            || name == bytes4(keccak256("sendTo(address,address,uint256)"));
        if (takes && payOut != address(0)) {
            (, address to, uint256 amount) = abi.decode(data[4:], (address, address, uint256));
            IToken(payOut).transfer(to, amount);
        }
        // balancer-v3: what a swap gave stands third.
        return abi.encode(1e18, 1e18, 1e18);
    }
}

/// @notice Whatever it is called as (a curve pool, a vault of shares or of pools, a wrapper), takes a part of what it may of a
///   token from its caller, and gives a token for it.
contract Spender {
    IToken internal immutable INPUT;
    IToken internal immutable OUTPUT;
    uint256 public part;
    mapping(address => uint256) public balanceOf;

    constructor(IToken input, IToken output, uint256 part_) {
        (INPUT, OUTPUT, part) = (input, output, part_);
    }

    /// @dev As a token, to pass on.
    function transfer(address, uint256) external pure returns (bool) {
        return true;
    }

    fallback() external payable {
        (bool ok,) = address(INPUT).call(
            abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, address(this), part)
        );
        require(ok, "more than approved");
        OUTPUT.mint(msg.sender, 1e18);
        // As a number, and as an empty array too.
        assembly ("memory-safe") {
            mstore(0x00, 0x20)
            mstore(0x20, 0)
            return(0x00, 0x40)
        }
    }
}
