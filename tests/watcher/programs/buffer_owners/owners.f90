! SPDX-License-Identifier: MIT
! Variables, allocatable arrays and common blocks; "fixed": all of them are large enough.
module shared_data
  implicit none
  real(8), allocatable :: field(:, :)
  integer :: table(4)
end module

subroutine all_of(kind_of)
  use mpi
  use shared_data
  implicit none
  integer, intent(in) :: kind_of
  integer :: ierr, more, scalar
  integer(2) :: small(6)
  real(8), allocatable :: mine(:)
  integer :: first, rest(3)
  common /numbers/ first, rest
  more = kind_of
  small = 0
  scalar = 0
  allocate (mine(8), field(3, 5))
  call MPI_Bcast(mine, 8 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(field, 15 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(table, 4 + more, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(first, 4 + more, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(scalar, 1, merge(MPI_INTEGER8, MPI_INTEGER, more == 1), 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(small, 3, merge(MPI_REAL, MPI_INTEGER2, more == 1), 0, MPI_COMM_SELF, ierr)
  deallocate (mine, field)
end subroutine

program owners
  use mpi
  implicit none
  integer :: ierr
  character(len=16) :: argument
  call get_command_argument(1, argument)
  call MPI_Init(ierr)
  call all_of(merge(0, 1, argument == 'fixed'))
  call MPI_Finalize(ierr)
end program
