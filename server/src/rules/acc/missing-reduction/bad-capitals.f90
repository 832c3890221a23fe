! Names as declared, keywords as the directive has them, one clause.
SUBROUTINE Totals(N, A, SumA, SumB)
  INTEGER, INTENT(IN) :: N
  REAL, INTENT(IN) :: A(N)
  REAL, INTENT(INOUT) :: SumA, SumB
  INTEGER :: I
  !$ACC PARALLEL LOOP PRESENT(A)
  DO I = 1, N
    SumA = SumA + A(I)
!   ^^^^ race
  END DO
  !$ACC PARALLEL LOOP PRESENT(A) REDUCTION(+:SumA)
  DO I = 1, N
    SumA = SumA + A(I)
    SumB = SumB + 2 * A(I)
!   ^^^^ race
  END DO
END SUBROUTINE
