C     Fixed form: the clause goes on a card of its own where column 72
C     would not hold it.
      SUBROUTINE SUMS(N, BEG, V, S)
      INTEGER N, BEG(N + 1), I, K
      DOUBLE PRECISION V(12 * N), S(N), T
!$acc parallel loop gang worker num_workers(4) private(t) present(v, s)
!$acc& vector_length(32)
      DO I = 1, N
        T = 0.0D0
!       warplens: trip <= 12
!$acc loop vector reduction(+:t)
        DO K = BEG(I), BEG(I + 1) - 1
          T = T + V(K)
        END DO
        S(I) = T
      END DO
      END SUBROUTINE
