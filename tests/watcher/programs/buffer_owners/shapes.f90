! SPDX-License-Identifier: MIT
! Kinds, bounds and columns, in the lines marked "wrong"; "fixed": none are. On a communicator of
! one process MPI_Bcast moves nothing.
module state
  use mpi
  implicit none
  external gatherv_of
  integer :: more
  real(8), allocatable :: u(:,:)
  real(8), pointer :: pu(:) => null()
  real(8), target :: tgt(12)
  real(4) :: single(6)
  real :: defr(4)
  double precision :: dp(4)
  logical :: flags(4)
  logical(1) :: small_flags(4)
  character(len=8) :: names(3)
  character(len=20) :: line
  complex :: z(3)
  complex(8) :: zz(3)
  integer(8) :: i8(4)
  integer(2) :: i2(6)
  type particle
    integer :: id
    real(8) :: x(3)
    real(8), allocatable :: w(:)
  end type
  type(particle) :: p(3)
  type grid
    integer :: n
    real(8), allocatable :: rho(:)
  end type
  type(grid) :: g
  real(8) :: ca, cb(3)
  common /blk/ ca, cb
contains
  subroutine kinds()
    integer :: ierr
    call MPI_Bcast(dp, 4, merge(MPI_REAL, MPI_DOUBLE_PRECISION, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(defr, 4, merge(MPI_DOUBLE_PRECISION, MPI_REAL, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(i8, 4, merge(MPI_INTEGER, MPI_INTEGER8, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(i2, 3, merge(MPI_INTEGER, MPI_INTEGER2, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(z, 3, merge(MPI_DOUBLE_COMPLEX, MPI_COMPLEX, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(zz, 3, merge(MPI_COMPLEX, MPI_DOUBLE_COMPLEX, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(zz, 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
    call MPI_Bcast(flags, 4, MPI_LOGICAL, 0, MPI_COMM_SELF, ierr)
    call MPI_Bcast(flags, 4 + more, MPI_LOGICAL, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(small_flags, merge(4, 4, more == 1), merge(MPI_LOGICAL, MPI_BYTE, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(names, 24 + more, MPI_CHARACTER, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(line, merge(80, 20, more == 1), MPI_CHARACTER, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(single, 6, merge(MPI_REAL8, MPI_REAL4, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(flags, 4, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  end subroutine
  subroutine bounds(n)
    integer, intent(in) :: n
    integer :: ierr
    real(8) :: auto(n), auto2(0:n, 2)
    real(8), allocatable :: mine(:), empty(:)
    allocate(mine(0:n+1), u(n, n), empty(0), g%rho(n), p(2)%w(4))
    auto = 0; auto2 = 0; mine = 0; u = 0
    call MPI_Bcast(auto, n + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(auto2, 2*(n+1) + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(mine, n + 2 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(mine(1), n + 1 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    if (more==1) call MPI_Bcast(mine(n), n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(u(1, n), n + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(u(n, 1), merge(n*n, n*n-n+1, more == 1), MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(empty, 3*more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(g%rho, n + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(p(3)%x, 3 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(ca, 4 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(cb, 3 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    pu => tgt
    call MPI_Bcast(pu, 12 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    pu => tgt(3:8)
    call MPI_Bcast(pu, 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
    call MPI_Bcast(pu, 10 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    allocate(pu(5))
    call MPI_Bcast(pu, 5 + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(pu, 4, merge(MPI_REAL, MPI_DOUBLE_PRECISION, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call shape_of(u)
    call explicit_of(u, n)
    call shape_of(u(1:2, :))
    deallocate(pu)
  end subroutine
  subroutine shape_of(a)
    real(8), intent(inout) :: a(:, :)
    integer :: ierr
    call MPI_Bcast(a, size(a), MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
    if (size(a) > 12) call MPI_Bcast(a, size(a) + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    if (size(a) > 12) call MPI_Bcast(a, size(a), merge(MPI_REAL, MPI_DOUBLE_PRECISION, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
  end subroutine
  subroutine explicit_of(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: ierr
    call MPI_Bcast(a, n*n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
    call MPI_Bcast(a, n*n + more, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(a, n*n, merge(MPI_INTEGER, MPI_DOUBLE_PRECISION, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
  end subroutine
  subroutine columns(n)
    integer, intent(in) :: n
    integer :: ierr, row, resized
    integer(MPI_ADDRESS_KIND) :: lb, extent
    call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr)
    lb = 0; extent = 8
    call MPI_Type_create_resized(row, lb, extent, resized, ierr)
    call MPI_Type_commit(row, ierr)
    call MPI_Type_commit(resized, ierr)
    call MPI_Bcast(u(2, 1), 1, row, 0, MPI_COMM_SELF, ierr)
    call MPI_Bcast(u(1, 1), n, merge(row, resized, more == 1), 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Bcast(u(2, 1), n - 1 + more, resized, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Type_free(row, ierr)
    call MPI_Type_free(resized, ierr)
  end subroutine
  subroutine args()
    integer :: ierr, size, req(4), st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE, 2), i, n
    integer(8) :: counts8(2)
    integer :: counts(1), displs(1), dims(2), bl(2), types(2), newtype
    integer(MPI_ADDRESS_KIND) :: at(2)
    logical :: periods(2), flag
    real(8) :: a(4), b(4)
    n = 4
    counts = 4; displs = 0; counts8 = 4
    do i = 1, 2
      req(i) = MPI_REQUEST_NULL
    end do
    if (more == 1) then
      call gatherv_of(a, b, counts8, displs)
    else
      call MPI_Gatherv(a, 4, MPI_DOUBLE_PRECISION, b, counts, displs, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
    end if
    displs = 8 * more
    call MPI_Scatterv(b, counts, displs, MPI_DOUBLE_PRECISION, a, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
    call MPI_Reduce(a, b, 1, merge(MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, .false.), MPI_MAX, 0, MPI_COMM_SELF, ierr)
  end subroutine
end module
program tester
  use state
  implicit none
  integer :: ierr
  character(len=16) :: argument
  call get_command_argument(1, argument)
  more = merge(0, 1, argument == 'fixed')
  call MPI_Init(ierr)
  call kinds()
  call bounds(6)
  call columns(6)
  call args()
  call MPI_Finalize(ierr)
end program
subroutine gatherv_of(a, b, counts, displs)
  implicit none
  include 'mpif.h'
  real(8) :: a(4), b(4)
  integer :: counts(*), displs(*), ierr
  call MPI_Gatherv(a, 4, MPI_DOUBLE_PRECISION, b, counts, displs, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr) ! wrong
end subroutine
