! SPDX-License-Identifier: MIT
! A datatype with the addresses of two variables is used with the first one as the buffer; "fixed":
! with MPI_BOTTOM.
program absolute_addresses
  use mpi
  implicit none
  integer :: ierror, lengths(2), types(2), both
  integer(kind=MPI_ADDRESS_KIND) :: at(2)
  real(8), save :: first
  integer, save :: second
  character(8) :: argument
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  lengths = 1
  types = [MPI_DOUBLE_PRECISION, MPI_INTEGER]
  call MPI_Get_address(first, at(1), ierror)
  call MPI_Get_address(second, at(2), ierror)
  call MPI_Type_create_struct(2, lengths, at, types, both, ierror)
  call MPI_Type_commit(both, ierror)
  if (argument == '') then
    call MPI_Bcast(first, 1, both, 0, MPI_COMM_SELF, ierror)
  else
    call MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_SELF, ierror)
  end if
  call MPI_Type_free(both, ierror)
  call MPI_Finalize(ierror)
end program
