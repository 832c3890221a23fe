      subroutine clear(n, a)
      integer n, i
      real a(n)
c acc parallel loops are below
cacc is no word
!$acc parallel copy(a)
c$acc loop gang
      do i = 1, n
        a(i) = 2 * a(i)
      end do
!$acc end parallel
      end
