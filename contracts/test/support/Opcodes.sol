// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Iterates over the instructions of runtime code. Skips data of PUSH instructions, and the metadata at the end, whose length is
///   in the last two bytes.
library Opcodes {
    /// @return found The first instruction that Guard and Executor must not have, or 0x100 for none.
    function forbidden(bytes memory code, bool london) internal pure returns (uint256 found) {
        uint256 length = bodyLength(code);
        for (uint256 at; at < length; at = next(code, at)) {
            if (isForbidden(uint8(code[at]), london)) return uint8(code[at]);
        }
        return 0x100;
    }

    function isForbidden(uint8 op, bool london) internal pure returns (bool) {
        // CREATE, CALLCODE, DELEGATECALL, CREATE2 and SELFDESTRUCT; LOG0 to LOG4.
        if (op == 0xf0 || op == 0xf2 || op == 0xf4 || op == 0xf5 || op == 0xff) return true;
        if (op >= 0xa0 && op <= 0xa4) return true;
        // london has no TLOAD, TSTORE, MCOPY, and PUSH0; cancun does not use SLOAD and SSTORE.
        return london ? op >= 0x5c && op <= 0x5f : op == 0x54 || op == 0x55;
    }

    function next(bytes memory code, uint256 at) internal pure returns (uint256) {
        uint8 op = uint8(code[at]);
        return at + 1 + (op >= 0x60 && op <= 0x7f ? op - 0x5f : 0);
    }

    /// @return Length of the code before the metadata.
    function bodyLength(bytes memory code) internal pure returns (uint256) {
        return code.length - 2 - (uint256(uint8(code[code.length - 2])) << 8 | uint8(code[code.length - 1]));
    }
}
