/** Tokens of Ethereum that the recorded pools trade. */
import { toAddress } from '@sluice/chains'

export const USDT = toAddress('0xdac17f958d2ee523a2206206994597c13d831ec7')
export const USDC = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
export const WBTC = toAddress('0x2260fac5e5542a773aa44fbcfedf7c193bc2c599')
export const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
export const CRVUSD = toAddress('0xf939e0a03fb07f59a73314e73794be0e57ac1b4e')
export const CRV = toAddress('0xd533a949740bb3306d119cc777fa900ba034cd52')
export const USDE = toAddress('0x4c9edd5852cd905f086c759e8383e09bff1e68b3')
