/** Deploys tokens with permits and contract wallets on the local chain. */
import { type Artifact, type Contract, compile, createBuilder, type Devnet } from '@sluice/devnet'
import { concat, Interface, Signature, toBeHex } from 'ethers'
import { pairWithWeth } from './tokens.ts'

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

contract Coin is ERC20Permit {
    constructor() ERC20("Coin", "COIN") ERC20Permit("Coin") {}
    function mint(address to, uint256 amount) external { _mint(to, amount); }
}

/// Signed for under another name than it shows, which EIP-5267 tells.
contract RenamedCoin is ERC20Permit {
    constructor() ERC20("Renamed Coin", "RCOIN") ERC20Permit("Coin as it was") {}
    function mint(address to, uint256 amount) external { _mint(to, amount); }
}

/// Takes permits of contracts too, as USDC does from its version 2.2 on.
contract ContractCoin is ERC20Permit {
    bytes32 private constant TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    constructor() ERC20("Contract Coin", "CCOIN") ERC20Permit("Contract Coin") {}
    function mint(address to, uint256 amount) external { _mint(to, amount); }
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        public override
    {
        require(block.timestamp <= deadline, "expired");
        bytes32 hash = _hashTypedDataV4(keccak256(abi.encode(TYPEHASH, owner, spender, value, _useNonce(owner), deadline)));
        require(SignatureChecker.isValidSignatureNow(owner, hash, abi.encodePacked(r, s, v)), "signature");
        _approve(owner, spender, value);
    }
}

/// Signatures delegate votes only: there are nonces and a domain, but no permit.
contract VotesCoin is ERC20, EIP712, Nonces {
    constructor() ERC20("Votes Coin", "VCOIN") EIP712("Votes Coin", "1") {}
    function DOMAIN_SEPARATOR() external view returns (bytes32) { return _domainSeparatorV4(); }
    function mint(address to, uint256 amount) external { _mint(to, amount); }
}

/// Delegates of EIP-7702 accounts: one accepts the signatures of the account's key, the other only of hashes that name it.
contract KeyDelegate {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return ECDSA.recover(hash, signature) == address(this) ? this.isValidSignature.selector : bytes4(0);
    }
}
contract RehashingDelegate {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 bound = keccak256(abi.encode(hash, address(this)));
        return ECDSA.recover(bound, signature) == address(this) ? this.isValidSignature.selector : bytes4(0);
    }
}

/// Signatures as a Safe takes them, 65 bytes for each owner: v of 1 for a hash that the owner approved, above 30 for eth_sign,
/// else of the hash itself. All owners have to sign, in the order of their addresses.
contract ContractWallet {
    address[] private owners;
    mapping(address => mapping(bytes32 => bool)) private approved;
    constructor(address[] memory of_) { owners = of_; }
    receive() external payable {}
    function approveHash(bytes32 hash) external { approved[msg.sender][hash] = true; }
    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        require(signatures.length == 65 * owners.length, "length");
        for (uint256 i; i < owners.length; ++i) {
            bytes calldata one = signatures[65 * i:65 * (i + 1)];
            uint8 v = uint8(one[64]);
            bytes32 r = bytes32(one[0:32]);
            if (v == 1) {
                require(address(uint160(uint256(r))) == owners[i] && approved[owners[i]][hash], "not approved");
                continue;
            }
            bytes32 digest = v > 30 ? keccak256(abi.encodePacked("\\x19Ethereum Signed Message:\\n32", hash)) : hash;
            require(ECDSA.recover(digest, v > 30 ? v - 4 : v, r, bytes32(one[32:64])) == owners[i], "owner");
        }
        return this.isValidSignature.selector;
    }
    function execute(address to, uint256 value, bytes calldata data) external {
        require(msg.sender == owners[0], "not the owner");
        (bool ok, bytes memory answer) = to.call{value: value}(data);
        if (!ok) assembly { revert(add(answer, 0x20), mload(answer)) }
    }
}`

/** Returns the compiled contracts by name. */
export function compiledPermits(): Readonly<Record<string, Artifact>> {
  return compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: ['@openzeppelin/contracts'] },
    sources: { 'Permits.sol': source },
  })
}

/** Deploys a token with EIP-2612 and a pair of 1,000 tokens against 10 WETH. */
export async function deployCoin(
  devnet: Devnet,
  name: 'Coin' | 'ContractCoin' | 'RenamedCoin' | 'VotesCoin' = 'Coin',
): Promise<Contract> {
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const coin = await builder.deploy(compiledPermits()[name]!)
  await pairWithWeth(devnet, builder, coin, 10n)
  return coin
}

export const walletCalls = new Interface([
  'function approveHash(bytes32 hash)',
  'function execute(address to, uint256 value, bytes data)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
])

type ToSign = {
  readonly rpc: <T>(method: string, ...params: readonly unknown[]) => Promise<T>
  readonly owner: string
  /** Address of the wallet. */
  readonly wallet: string
  readonly typed: object
  /** EIP-712 hash of `typed`. */
  readonly hash: string
}

/** Signature formats that `ContractWallet` accepts, for one owner. */
export const forms = {
  'the hash itself': ({ rpc, owner, typed }: ToSign) =>
    rpc<string>('eth_signTypedData_v4', owner, JSON.stringify(typed)),
  async 'eth_sign, with v of 31 or 32'({ rpc, owner, hash }: ToSign) {
    const { r, s, v } = Signature.from(await rpc<string>('eth_sign', owner, hash))
    return concat([r, s, toBeHex(v + 4)])
  },
  async 'an approved hash, with v of 1'({ rpc, owner, hash, wallet }: ToSign) {
    const data = walletCalls.encodeFunctionData('approveHash', [hash])
    await rpc('eth_sendTransactionSync', { from: owner, to: wallet, data })
    return concat([toBeHex(owner, 32), toBeHex(0, 32), '0x01'])
  },
} as const
