! Variables that directives or their clauses name twice.
module fields
  real :: field(100), other(100)
  !$acc declare create(field, other)
  !$acc declare copyin(field)
!                      ^^^^^ item-repeated error
end module
subroutine twice(s)
  real, intent(inout) :: s
  !$acc parallel private(s) copy(s)
!                                ^ item-repeated error
  s = 1
  !$acc end parallel
end subroutine
