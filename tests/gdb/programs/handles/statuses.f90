! SPDX-License-Identifier: MIT
! Statuses and INTEGER handles of the module mpi, or of mpif.h.
subroutine mark()
end subroutine mark

program statuses
#ifdef USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: c, g, n, ierror, out(10), in(10), state(MPI_STATUS_SIZE), req(2)
  integer :: e, i, o, t, w
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  call MPI_Init(ierror)
  out = 1
  n = -1
  call MPI_Comm_dup(MPI_COMM_SELF, c, ierror)
  call MPI_Comm_group(c, g, ierror)
  call MPI_Info_create(i, ierror)
  call MPI_Info_set(i, 'key', 'value', ierror)
  call MPI_Type_contiguous(3, MPI_INTEGER, t, ierror)
  bytes = 40
  call MPI_Win_create(out, bytes, 4, MPI_INFO_NULL, c, w, ierror)
  e = MPI_ERRORS_RETURN
  o = MPI_SUM
  call MPI_Sendrecv(out, 10, MPI_INTEGER, 0, 5, in, 10, MPI_INTEGER, 0, 5, c, state, ierror)
  state(MPI_ERROR) = MPI_SUCCESS
  call MPI_Irecv(in, 1, MPI_INTEGER, 0, 3, c, req(1), ierror)
  call MPI_Irecv(in(2), 1, MPI_INTEGER, 0, 4, c, req(2), ierror)
  call mark()
  call MPI_Cancel(req(1), ierror)
  call MPI_Cancel(req(2), ierror)
  call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierror)
  call MPI_Win_free(w, ierror)
  call MPI_Type_free(t, ierror)
  call MPI_Info_free(i, ierror)
  call MPI_Group_free(g, ierror)
  call MPI_Comm_free(c, ierror)
  call MPI_Finalize(ierror)
end program statuses
