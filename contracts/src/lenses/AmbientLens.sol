// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAmbientState} from "../interfaces/IAmbient.sol";

/// @title AmbientLens
/// @notice Reads Ambient pools from the storage of its contract, word by word; never deployed.
contract AmbientLens {
    /// @dev Slots of mappings; keys are a pool's hash, or a hash of it with a tick or a part of a tick.
    uint256 private constant LEVELS = 65538;
    uint256 private constant MEZZANINE = 65542;
    uint256 private constant TERMINUS = 65543;
    uint256 private constant SPECS = 65545;
    uint256 private constant CURVES = 65551;
    /// @dev Highest bytes of the lowest and the highest tick.
    int24 private constant LOWEST_LOBBY = -11;
    int24 private constant HIGHEST_LOBBY = 12;

    /// @notice Returns the parameters of pools by their hashes; zero if the pool does not exist.
    function specs(IAmbientState dex, bytes32[] calldata hashes) external view returns (uint256[] memory words) {
        words = new uint256[](hashes.length);
        for (uint256 k; k < hashes.length; ++k) words[k] = _read(dex, keccak256(abi.encode(hashes[k], SPECS)));
    }

    /// @notice Returns a pool's parameters, both words of its curve, then its levels by ascending tick: two words each,
    ///   tick and level.
    function read(IAmbientState dex, bytes32 hash) external view returns (uint256[] memory words) {
        uint256 spec = _read(dex, keccak256(abi.encode(hash, SPECS)));
        uint256 curve = uint256(keccak256(abi.encode(hash, CURVES)));
        // The length is not known in advance: the capacity of the list doubles.
        words = new uint256[](64);
        (words[0], words[1], words[2]) = (spec, dex.readSlot(curve), dex.readSlot(curve + 1));
        uint256 count = 3;
        for (int24 lobby = LOWEST_LOBBY; lobby <= HIGHEST_LOBBY; ++lobby) {
            uint256 mezzanine =
                _read(dex, keccak256(abi.encode(keccak256(abi.encodePacked(hash, int8(lobby))), MEZZANINE)));
            for (int24 bit; mezzanine >> uint24(bit) != 0; ++bit) {
                if (mezzanine >> uint24(bit) & 1 == 0) continue;
                (words, count) = _readWord(dex, hash, lobby * 256 + bit, words, count);
            }
        }
        assembly ("memory-safe") {
            mstore(words, count)
        }
    }

    /// @dev Appends the levels of 256 ticks to `words`.
    function _readWord(IAmbientState dex, bytes32 hash, int24 place, uint256[] memory words, uint256 count)
        private
        view
        returns (uint256[] memory, uint256)
    {
        uint256 bits = _read(dex, keccak256(abi.encode(keccak256(abi.encodePacked(hash, int16(place))), TERMINUS)));
        for (int24 bit; bits >> uint24(bit) != 0; ++bit) {
            if (bits >> uint24(bit) & 1 == 0) continue;
            if (count + 2 > words.length) {
                uint256[] memory longer = new uint256[](words.length * 2);
                for (uint256 k; k < count; ++k) longer[k] = words[k];
                words = longer;
            }
            int24 tick = place * 256 + bit;
            words[count] = uint256(int256(tick));
            words[count + 1] =
                _read(dex, keccak256(abi.encode(keccak256(abi.encodePacked(hash, tick)), LEVELS)));
            count += 2;
        }
        return (words, count);
    }

    /// @dev Reads a storage word of the contract.
    function _read(IAmbientState dex, bytes32 slot) private view returns (uint256) {
        return dex.readSlot(uint256(slot));
    }
}
