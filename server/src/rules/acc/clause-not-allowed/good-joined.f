      subroutine send(a, n)
      integer n
      real a(n)
!$acc data create(a)
!$acc&

!$acc update device(a(1:n))
c a comment
!$acc& async(1)
!$acc end data
c$acc data create(a)
c$acc&
*$acc update device(a(1:n))
*$acc+ async(1)
c$acc end data
      end
