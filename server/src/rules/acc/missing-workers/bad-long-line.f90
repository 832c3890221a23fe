! Two clauses for two parts of a directive, which only together are longer than a line of free form.
subroutine apply_source_terms_of_chemistry(production_rates, reaction_rates, temperature_of_cells, ncells)
  implicit none
  integer, intent(in) :: ncells
  real(8), intent(inout) :: production_rates(27, ncells)
  real(8), intent(in) :: reaction_rates(27, ncells), temperature_of_cells(ncells)
  real(8) :: arrhenius_factor, cell_temperature
  integer :: cell, species
  !$acc parallel loop present(production_rates, reaction_rates) device_type(nvidia) vector_length(32)
  do cell = 1, ncells
! ^^^^^^^^^^^^^^^^^^^ one-warp
    cell_temperature = temperature_of_cells(cell)
    arrhenius_factor = exp(-1.0d0 / cell_temperature)
    !$acc loop vector
    do species = 1, 27
      production_rates(species, cell) = reaction_rates(species, cell) * arrhenius_factor
    end do
  end do
end subroutine
