C     An extent of 1 is how old programs say that the caller knows it.
      subroutine old(a, n, m)
      integer n, m, i, j
      real*8 a(1)
!$acc parallel loop gang vector_length(128)
      do j = 1, m
!$acc loop vector
        do i = 1, n
          a(i) = 0.0d0
        enddo
      enddo
      end
