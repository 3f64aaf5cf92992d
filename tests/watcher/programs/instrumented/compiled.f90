! SPDX-License-Identifier: MIT
! As compiled.c, in Fortran: each subroutine is one access.
program compiled
  use mpi
  implicit none
  integer :: rank, tag, error
  logical :: wrong
  double precision :: row(16)
  double precision, allocatable :: given(:)
  integer :: i

  wrong = command_argument_count() > 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  tag = 0
  row = 0
  call one(row(4:4), 1, 1)
  call one(row(5:8), 4, 2)
  call one(row(9:10), 2, 3)
  call one(row(16:16), 1, 4)
  allocate (given(100))
  given = 0
  call one(given, 100, 5)
  call MPI_Finalize(error)
  if (rank == 0) print '(16f4.1)', (row(i), i = 1, 16)

contains

  subroutine one(buffer, n, which)
    double precision, intent(inout) :: buffer(*)
    integer, intent(in) :: n, which
    integer :: request
    tag = tag + 1
    request = MPI_REQUEST_NULL
    if (rank == 0) call MPI_Issend(buffer, n, MPI_DOUBLE_PRECISION, 1, tag, MPI_COMM_WORLD, request, error)
    if (wrong .and. rank == 0) call access(which)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 1) call MPI_Recv(buffer, n, MPI_DOUBLE_PRECISION, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    if (rank == 0) call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    if (.not. wrong) call access(which)
  end subroutine

  subroutine access(which)
    integer, intent(in) :: which
    select case (which)
    case (1)
      call stores(row)
    case (2)
      call in_section(row)
    case (3)
      call copies(row)
    case (4)
      call beside(row)
    case default
      call gives_back()
    end select
  end subroutine

  subroutine stores(a)
    double precision, intent(inout) :: a(:)
    a(4) = 1.5d0
  end subroutine

  subroutine in_section(a)
    double precision, intent(inout) :: a(:)
    a(2:8:3) = 2.5d0
  end subroutine

  subroutine copies(a)
    double precision, intent(inout) :: a(:)
    a(9:12) = a(1:4)
  end subroutine

  subroutine gives_back()
    deallocate (given)
  end subroutine

  subroutine beside(a)
    double precision, intent(inout) :: a(:)
    a(15) = 3.5d0
  end subroutine
end program
