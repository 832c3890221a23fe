! Sentinels without their sign, in free form; prose after the same word is a comment.
subroutine clear(n, a)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer :: i
  !$acc parallel copy(a)
  !acc loop gang vector
! ^^^^ sentinel
  do i = 1, n
    a(i) = 2 * a(i)
  end do
  !$acc end parallel
  !$acc parallel copy(a)
  !$ acc loop gang vector
! ^^^^^^ sentinel
  do i = 1, n
    a(i) = 2 * a(i)
  end do
  !$acc end parallel
  ! acc loop of the old kind, and
  !acc parallel programs are below
end subroutine
