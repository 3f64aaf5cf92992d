! SPDX-License-Identifier: MIT
! The temperature along a rod, in parts. It rises evenly, so it should not change.
program heat
  use mpi
  implicit none
  integer, parameter :: n = 4
  real(8) :: u(0:n+1)
  integer :: rank, size, step, i, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  u = [(rank * n + i, i = 0, n + 1)]
  do step = 1, 100
    call exchange(u)
    call relax(u)
  end do
  print '(a, 4f8.3)', 'temperature', u(1:n)
  call MPI_Finalize(ierr)
contains
  subroutine exchange(u)
    real(8), intent(inout) :: u(0:n+1)
    integer :: left, right
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    call MPI_Sendrecv(u(1), 1, MPI_REAL8, left, 1, u(n+1), 1, MPI_REAL8, right, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(n-1), 1, MPI_REAL8, right, 2, u(0), 1, MPI_REAL8, left, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine relax(u)
    real(8), intent(inout) :: u(0:n+1)
    u(1:n) = (u(0:n-1) + u(2:n+1)) / 2
  end subroutine
end program
