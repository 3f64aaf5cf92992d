! SPDX-License-Identifier: MIT
! A window's memory by its attribute is what the program has given.
program created
  use mpi
  implicit none
  integer, parameter :: n = 100000
  double precision, allocatable :: memory(:)
  integer(mpi_address_kind) :: base, own
  integer :: win, code
  logical :: has
  call mpi_init(code)
  allocate (memory(n))
  memory = 1
  call mpi_win_create(memory, int(n, mpi_address_kind)*8, 8, mpi_info_null, mpi_comm_world, win, code)
  call mpi_win_get_attr(win, mpi_win_base, base, has, code)
  call mpi_get_address(memory, own, code)
  call mpi_win_fence(0, win, code)
  memory(5) = memory(5) + 1
  call mpi_win_fence(0, win, code)
  call mpi_win_free(win, code)
  if (.not. has .or. base /= own .or. memory(5) /= 2) call mpi_abort(mpi_comm_world, 1, code)
  call mpi_finalize(code)
end program
