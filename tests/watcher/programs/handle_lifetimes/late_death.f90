! SPDX-License-Identifier: MIT
! The program dies between MPI_Finalize and its end; "fixed": it does not.
program dies_late
  use mpi
  use iso_c_binding
  implicit none
  integer :: ierr
  integer, pointer, volatile :: table
  character(len=16) :: first
  call get_command_argument(1, first)
  call MPI_Init(ierr)
  call MPI_Finalize(ierr)
  call c_f_pointer(transfer(8_c_intptr_t, c_null_ptr), table)
  if (first /= "fixed") table = 0
end program
