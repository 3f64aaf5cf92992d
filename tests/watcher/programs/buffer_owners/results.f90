! SPDX-License-Identifier: MIT
! Integers that MPI stores in variables of another kind; "fixed": none.
program results
  implicit none
  include 'mpif.h'
  type bounds
    integer :: lower, upper, others(4)
  end type
  type(bounds) :: wrong
  integer(8) :: rank
  integer(kind=MPI_ADDRESS_KIND) :: lower, extent
  integer :: ierror, size
  character(8) :: argument
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  if (argument == '') then
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Type_get_extent(MPI_INTEGER, wrong%lower, wrong%upper, ierror)
  else
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    call MPI_Type_get_extent(MPI_INTEGER, lower, extent, ierror)
  end if
  call MPI_Finalize(ierror)
end program
