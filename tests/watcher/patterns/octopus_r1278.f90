! SPDX-License-Identifier: MIT
! One buffer is filled with each orbital in turn and sent, and nobody waits. In the second somebody
! does, when the buffer is filled again already.
module orbitals
  use mpi
  use handles
  implicit none
  integer, parameter :: points = CELLS
  real(8) :: psi(points, 2), received(points)
  integer(handle) :: request
  integer :: ierror
contains
  subroutine evaluate(which, from)
    integer, intent(in) :: which
    real(8), intent(in) :: from
    integer :: i
    do i = 1, points
      psi(i, which) = from + i - 1
    end do
  end subroutine

  subroutine send_orbital(which)
    integer, intent(in) :: which
    call MPI_Isend(psi(:, which), points, MPI_DOUBLE_PRECISION, 1, which, MPI_COMM_WORLD, request, ierror)
  end subroutine
end module

subroutine octopus_r1278(rank, wrong) bind(C)
  use iso_c_binding
  use orbitals
  implicit none
  integer(c_int), value :: rank, wrong
  integer :: state
  interface
    subroutine go() bind(C)
    end subroutine
    subroutine await_go() bind(C)
    end subroutine
    subroutine need(cells, n, first) bind(C)
      use iso_c_binding
      integer(c_int), value :: n
      real(c_double) :: cells(n)
      real(c_double), value :: first
    end subroutine
  end interface
  call get_handles()
  if (rank == 1) then
    call await_go()
    do state = 1, 2
      call MPI_Recv(received, points, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
      if (wrong == 0) call need(received, points, real(state, 8))
    end do
    return
  end if
  do state = 1, 2
    call evaluate(1, real(state, 8))
    call send_orbital(1)
    if (wrong == 0) then
      if (state == 1) call go()
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    end if
  end do
  if (wrong /= 0) call go()
end subroutine

subroutine octopus_r1278_cc(rank, wrong) bind(C)
  use iso_c_binding
  use orbitals
  implicit none
  integer(c_int), value :: rank, wrong
  if (rank == 1) then
    call MPI_Recv(received, points, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, ierror)
    call MPI_Send(received, 0, MPI_DOUBLE_PRECISION, 0, 13, MPI_COMM_WORLD, ierror)
    return
  end if
  call evaluate(2, 1d0)
  call send_orbital(2)
  call MPI_Recv(received, 0, MPI_DOUBLE_PRECISION, 1, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  if (wrong == 0) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call evaluate(2, 2d0)
  if (wrong /= 0) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
end subroutine
