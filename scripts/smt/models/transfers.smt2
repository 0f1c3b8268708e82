; Transfers: the calldata and memory of transfer and transferFrom, and the return data that pass, for all words.
; Scratch memory from 0x00 to 0x80 as one bit vector: byte 0 is the most significant.
(define-sort Memory () (_ BitVec 1024))
(declare-const memory Memory)
(declare-const recipient Word)
(declare-const payer Word)
(declare-const amount Word)
; Bits below the word at a byte offset: 8 * (0x80 - offset - 0x20).
(define-fun widened ((x Word)) Memory ((_ zero_extend 768) x))
(define-fun mstore ((m Memory) (below Memory) (x Word)) Memory
  (bvor (bvand m (bvnot (bvshl (widened ones) below))) (bvshl (widened x) below)))
(define-fun address ((x Word)) (_ BitVec 256) (concat (_ bv0 96) ((_ extract 159 0) x)))
; The free memory pointer, at 0x40. Solidity keeps it far below 2^96.
(define-fun free ((m Memory)) Word ((_ extract 511 256) m))
(assert (= (shr (_ bv96 256) (free memory)) zero))
; The zero slot, at 0x60, is zero.
(assert (= ((_ extract 255 0) memory) zero))

; transfer: mstore(0x14, to); mstore(0x34, amount); mstore(0x00, 0xa9059cbb000000000000000000000000)
(define-fun t1 () Memory (mstore memory (_ bv608 1024) recipient))
(define-fun t2 () Memory (mstore t1 (_ bv352 1024) amount))
(define-fun t3 () Memory (mstore t2 (_ bv768 1024) (concat #x00000000000000000000000000000000 #xa9059cbb000000000000000000000000)))
; call(gas(), token, 0, 0x10, 0x44, 0x00, 0x20); mstore(0x34, 0)
(declare-const answer Word)
(define-fun t4 () Memory (mstore t3 (_ bv768 1024) answer))
(define-fun t5 () Memory (mstore t4 (_ bv352 1024) zero))

; property: transfer sends the selector, the recipient, and the amount
(push 1)
(assert (not (= ((_ extract 895 352) t3) (concat #xa9059cbb (address recipient) amount))))
(check-sat)
(pop 1)
; property: transfer restores the free memory pointer and the zero slot
(push 1)
(assert (not (and (= (free t5) (free memory)) (= ((_ extract 255 0) t5) zero))))
(check-sat)
(pop 1)

; transferFrom: mstore(0x60, amount); mstore(0x40, to); mstore(0x2c, shl(96, from)); mstore(0x0c, 0x23b872dd000000000000000000000000)
(define-fun f1 () Memory (mstore memory (_ bv0 1024) amount))
(define-fun f2 () Memory (mstore f1 (_ bv256 1024) recipient))
(define-fun f3 () Memory (mstore f2 (_ bv416 1024) (shl (_ bv96 256) payer)))
(define-fun f4 () Memory (mstore f3 (_ bv672 1024) (concat #x00000000000000000000000000000000 #x23b872dd000000000000000000000000)))
; call(gas(), token, 0, 0x1c, 0x64, 0x00, 0x20); mstore(0x60, 0); mstore(0x40, free)
(define-fun f5 () Memory (mstore f4 (_ bv768 1024) answer))
(define-fun f6 () Memory (mstore (mstore f5 (_ bv0 1024) zero) (_ bv256 1024) (free memory)))

; property: transferFrom sends the selector, the payer, the recipient, and the amount
(push 1)
(assert (not (= ((_ extract 799 0) f4) (concat #x23b872dd (address payer) (address recipient) amount))))
(check-sat)
(pop 1)
; property: transferFrom restores the free memory pointer and the zero slot
(push 1)
(assert (not (and (= (free f6) (free memory)) (= ((_ extract 255 0) f6) zero))))
(check-sat)
(pop 1)

; The result of the call: success, size of the return data, the word at 0x00, and size of the token's code. If less than a word is
; returned, the word at 0x00 is arbitrary.
(declare-const called Bool)
(declare-const size Word)
(declare-const codeSize Word)
(define-fun callOk () Word (toWord called))
; if iszero(and(ok, and(eq(mload(0x00), 1), gt(returndatasize(), 0x1f))))
(define-fun isPlain () Word (bvand callOk (bvand (evmEq answer one) (evmGt size (_ bv31 256)))))
; if and(iszero(ok), gt(returndatasize(), 0)) { revert }
(define-fun forwards () Bool (and (not (isTrue isPlain)) (isTrue (bvand (iszero callOk) (evmGt size zero)))))
; ok := and(ok, and(iszero(returndatasize()), gt(extcodesize(token), 0)))
(define-fun finalOk () Word (ite (isTrue isPlain) callOk (bvand callOk (bvand (iszero size) (evmGt codeSize zero)))))
(define-fun passes () Bool (and (not forwards) (isTrue finalOk)))

; property: a payment passes only if the call succeeded and returned true, or nothing from an account with code
(push 1)
(assert (not (= passes (and called (or (and (bvuge size (_ bv32 256)) (= answer one)) (and (= size zero) (bvugt codeSize zero)))))))
(check-sat)
(pop 1)
; property: revert data is forwarded if the call failed with data, and only then
(push 1)
(assert (not (= forwards (and (not called) (bvugt size zero)))))
(check-sat)
(pop 1)
