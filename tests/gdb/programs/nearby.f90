! SPDX-License-Identifier: MIT
! As nearby.c, with mpif.h, the module mpi and the module mpi_f08.
program main
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: column
#else
#ifdef USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: column
#endif
  real(8) :: u(4, 3)
  integer :: numbers(2), ierror, turn
  u = 0
  numbers = (/ 1, 2 /)
  call MPI_Init(ierror)
  call MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_commit(column, ierror)
  do turn = 1, 2
    u(1, 1) = turn
    call MPI_Bcast(u, 1, column, 0, MPI_COMM_SELF, ierror) ! column
    numbers(1) = numbers(1) + 1 ! behind the column
    call MPI_Bcast(numbers, 2, MPI_INTEGER, 0, MPI_COMM_SELF, ierror)
  end do
  call MPI_Type_free(column, ierror)
  call MPI_Finalize(ierror)
end program
