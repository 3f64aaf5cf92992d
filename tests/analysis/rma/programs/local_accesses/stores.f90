! SPDX-License-Identifier: MIT
! The buffer of a put is changed too early, and memory is loaded while another process puts there;
! with an argument both are right. Two processes; rank 1 prints what was put, and what it has found.
program stores
  use mpi_f08
  implicit none
  integer, parameter :: n = 16
  double precision, allocatable, asynchronous :: memory(:), mine(:)
  double precision :: found
  type(MPI_Win) :: win
  integer :: rank
  logical :: right

  right = command_argument_count() > 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate (memory(n), mine(n))
  memory = 0
  mine = 1
  call MPI_Win_create(memory, int(8 * n, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  found = 0
  if (right .and. rank == 1) found = element(memory, 5)
  if (right) call MPI_Win_fence(0, win)
  if (rank == 0) call MPI_Put(mine, n, MPI_DOUBLE_PRECISION, 1, 0_MPI_ADDRESS_KIND, n, &
                              MPI_DOUBLE_PRECISION, win)
  if (.not. right .and. rank == 1) found = element(memory, 5)
  if (right) call MPI_Win_fence(0, win)
  if (rank == 0) call set(mine, 3, 5d0)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
  if (rank == 1) print '(f3.1, 1x, f3.1)', memory(3), found
  call MPI_Win_free(win)
  call MPI_Finalize()

contains

  subroutine set(of, at, value)
    double precision, intent(inout) :: of(:)
    integer, intent(in) :: at
    double precision, intent(in) :: value
    of(at) = value
  end subroutine

  function element(of, at)
    double precision, intent(in) :: of(:)
    integer, intent(in) :: at
    double precision :: element
    element = of(at)
  end function
end program
