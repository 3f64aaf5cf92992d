! SPDX-License-Identifier: MIT
! Uses an array that rank 1 has not allocated; or stops, with an argument.
module relaxation
  implicit none
contains
  subroutine relax(u, n, factor)
    real(8), allocatable, intent(inout) :: u(:)
    integer, intent(in) :: n
    real(8), intent(in) :: factor
    integer :: i
    do i = 1, n
      u(i) = u(i) * factor
    end do
  end subroutine
end module

program crashes
  use mpi
  use relaxation
  implicit none
  real(8), allocatable :: u(:)
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) allocate (u(10), source=1d0)
  if (rank == 1 .and. command_argument_count() > 0) stop 3
  if (rank == 1) call relax(u, 10, 0.5d0)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
