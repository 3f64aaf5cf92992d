; SPDX-License-Identifier: MIT
; source.c, by Clang 19.

define dso_local i64 @sums(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #0 !dbg !12 {
    #dbg_value(ptr %0, !18, !DIExpression(), !23)
    #dbg_value(i64 %1, !19, !DIExpression(), !23)
    #dbg_value(i64 0, !20, !DIExpression(), !23)
    #dbg_value(i64 0, !21, !DIExpression(), !24)
  %3 = icmp sgt i64 %1, 0, !dbg !25
  br i1 %3, label %6, label %4, !dbg !27

4:                                                ; preds = %6, %2
  %5 = phi i64 [ 0, %2 ], [ %11, %6 ], !dbg !23
  ret i64 %5, !dbg !28

6:                                                ; preds = %2, %6
  %7 = phi i64 [ %12, %6 ], [ 0, %2 ]
  %8 = phi i64 [ %11, %6 ], [ 0, %2 ]
    #dbg_value(i64 %7, !21, !DIExpression(), !24)
    #dbg_value(i64 %8, !20, !DIExpression(), !23)
  %9 = getelementptr inbounds i64, ptr %0, i64 %7, !dbg !29
  call void @__tsan_read8(ptr %9), !dbg !29
  %10 = load i64, ptr %9, align 8, !dbg !29, !tbaa !30
  %11 = add nsw i64 %10, %8, !dbg !34
    #dbg_value(i64 %11, !20, !DIExpression(), !23)
  %12 = add nuw nsw i64 %7, 1, !dbg !35
    #dbg_value(i64 %12, !21, !DIExpression(), !24)
  %13 = icmp eq i64 %12, %1, !dbg !25
  br i1 %13, label %4, label %6, !dbg !27, !llvm.loop !36
}

define dso_local void @scales(ptr nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #2 !dbg !39 {
    #dbg_value(ptr %0, !46, !DIExpression(), !54)
    #dbg_value(i32 %1, !47, !DIExpression(), !54)
    #dbg_value(i32 %2, !48, !DIExpression(), !54)
    #dbg_value(i32 0, !49, !DIExpression(), !55)
  %4 = icmp sgt i32 %1, 0, !dbg !56
  br i1 %4, label %5, label %15, !dbg !57

5:                                                ; preds = %3
  %6 = icmp sgt i32 %2, 0
  %7 = sext i32 %2 to i64
  %8 = zext nneg i32 %1 to i64, !dbg !56
  %9 = zext nneg i32 %2 to i64
  br label %10, !dbg !57

10:                                               ; preds = %5, %16
  %11 = phi i64 [ 0, %5 ], [ %17, %16 ]
    #dbg_value(i64 %11, !49, !DIExpression(), !55)
    #dbg_value(i32 0, !51, !DIExpression(), !58)
  br i1 %6, label %12, label %16, !dbg !59

12:                                               ; preds = %10
  %13 = mul nuw nsw i64 %11, %7
  %14 = getelementptr double, ptr %0, i64 %13
  br label %19, !dbg !59

15:                                               ; preds = %16, %3
  ret void, !dbg !60

16:                                               ; preds = %19, %10
  %17 = add nuw nsw i64 %11, 1, !dbg !61
    #dbg_value(i64 %17, !49, !DIExpression(), !55)
  %18 = icmp eq i64 %17, %8, !dbg !56
  br i1 %18, label %15, label %10, !dbg !57, !llvm.loop !62

19:                                               ; preds = %12, %19
  %20 = phi i64 [ 0, %12 ], [ %24, %19 ]
    #dbg_value(i64 %20, !51, !DIExpression(), !58)
  %21 = getelementptr double, ptr %14, i64 %20, !dbg !64
  %22 = load double, ptr %21, align 8, !dbg !66, !tbaa !67
  %23 = fmul double %22, 2.000000e+00, !dbg !66
  call void @__tsan_write8(ptr %21), !dbg !66
  store double %23, ptr %21, align 8, !dbg !66, !tbaa !67
  %24 = add nuw nsw i64 %20, 1, !dbg !69
    #dbg_value(i64 %24, !51, !DIExpression(), !58)
  %25 = icmp eq i64 %24, %9, !dbg !70
  br i1 %25, label %16, label %19, !dbg !59, !llvm.loop !71
}

define dso_local void @gathers(ptr nocapture noundef writeonly %0, ptr nocapture noundef readonly %1, ptr nocapture noundef readonly %2, i32 noundef %3) local_unnamed_addr #2 !dbg !73 {
    #dbg_value(ptr %0, !81, !DIExpression(), !87)
    #dbg_value(ptr %1, !82, !DIExpression(), !87)
    #dbg_value(ptr %2, !83, !DIExpression(), !87)
    #dbg_value(i32 %3, !84, !DIExpression(), !87)
    #dbg_value(i32 0, !85, !DIExpression(), !88)
  %5 = icmp sgt i32 %3, 0, !dbg !89
  br i1 %5, label %6, label %8, !dbg !91

6:                                                ; preds = %4
  %7 = zext nneg i32 %3 to i64, !dbg !89
  br label %9, !dbg !91

8:                                                ; preds = %9, %4
  ret void, !dbg !92

9:                                                ; preds = %6, %9
  %10 = phi i64 [ 0, %6 ], [ %17, %9 ]
    #dbg_value(i64 %10, !85, !DIExpression(), !88)
  %11 = getelementptr inbounds i32, ptr %2, i64 %10, !dbg !93
  call void @__tsan_read4(ptr %11), !dbg !93
  %12 = load i32, ptr %11, align 4, !dbg !93, !tbaa !94
  %13 = sext i32 %12 to i64, !dbg !96
  %14 = getelementptr inbounds double, ptr %1, i64 %13, !dbg !96
  call void @__tsan_read8(ptr %14), !dbg !96
  %15 = load double, ptr %14, align 8, !dbg !96, !tbaa !67
  %16 = getelementptr inbounds double, ptr %0, i64 %10, !dbg !97
  call void @__tsan_write8(ptr %16), !dbg !98
  store double %15, ptr %16, align 8, !dbg !98, !tbaa !67
  %17 = add nuw nsw i64 %10, 1, !dbg !99
    #dbg_value(i64 %17, !85, !DIExpression(), !88)
  %18 = icmp eq i64 %17, %7, !dbg !89
  br i1 %18, label %8, label %9, !dbg !91, !llvm.loop !100
}

define dso_local void @calls(ptr noundef %0, i32 noundef %1) local_unnamed_addr #3 !dbg !102 {
    #dbg_value(ptr %0, !107, !DIExpression(), !111)
    #dbg_value(i32 %1, !108, !DIExpression(), !111)
    #dbg_value(i32 0, !109, !DIExpression(), !112)
  %3 = icmp sgt i32 %1, 0, !dbg !113
  br i1 %3, label %4, label %6, !dbg !115

4:                                                ; preds = %2
  %5 = zext nneg i32 %1 to i64, !dbg !113
  br label %7, !dbg !115

6:                                                ; preds = %7, %2
  ret void, !dbg !116

7:                                                ; preds = %4, %7
  %8 = phi i64 [ 0, %4 ], [ %11, %7 ]
    #dbg_value(i64 %8, !109, !DIExpression(), !112)
  %9 = getelementptr inbounds i32, ptr %0, i64 %8, !dbg !117
  %10 = trunc nuw nsw i64 %8 to i32, !dbg !119
  call void @__tsan_write4(ptr %9), !dbg !119
  store i32 %10, ptr %9, align 4, !dbg !119, !tbaa !94
  call void @take(ptr noundef %0) #9, !dbg !120
  %11 = add nuw nsw i64 %8, 1, !dbg !121
    #dbg_value(i64 %11, !109, !DIExpression(), !112)
  %12 = icmp eq i64 %11, %5, !dbg !113
  br i1 %12, label %6, label %7, !dbg !115, !llvm.loop !122
}

define dso_local i32 @gives_local_away(i32 noundef %0) local_unnamed_addr #3 !dbg !127 {
  %2 = alloca [4 x i32], align 16, !DIAssignID !136
    #dbg_assign(i1 undef, !132, !DIExpression(), !136, ptr %2, !DIExpression(), !137)
    #dbg_value(i32 %0, !131, !DIExpression(), !137)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #9, !dbg !138
  %3 = call ptr @__tsan_memcpy(ptr %2, ptr @__const.gives_local_away.few, i64 16), !dbg !139
    #dbg_assign(i1 undef, !132, !DIExpression(), !140, ptr %2, !DIExpression(), !137)
  call void @take(ptr noundef nonnull %2) #9, !dbg !141
  %4 = and i32 %0, 3, !dbg !142
  %5 = zext nneg i32 %4 to i64, !dbg !143
  %6 = getelementptr inbounds [4 x i32], ptr %2, i64 0, i64 %5, !dbg !143
  %7 = load i32, ptr %6, align 4, !dbg !143, !tbaa !94
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #9, !dbg !144
  ret i32 %7, !dbg !145
}

define dso_local i32 @adds_atomically(ptr nocapture noundef %0) local_unnamed_addr #5 !dbg !146 {
    #dbg_value(ptr %0, !154, !DIExpression(), !155)
  %2 = atomicrmw add ptr %0, i32 1 seq_cst, align 4, !dbg !156
  ret i32 %2, !dbg !157
}

define dso_local x86_fp80 @loads_wide(ptr nocapture noundef readonly %0) local_unnamed_addr #6 !dbg !158 {
    #dbg_value(ptr %0, !164, !DIExpression(), !165)
  %2 = load x86_fp80, ptr %0, align 16, !dbg !166, !tbaa !167
  ret x86_fp80 %2, !dbg !169
}

define dso_local void @copies(ptr nocapture noundef writeonly %0, ptr nocapture noundef readonly %1, i64 noundef %2) local_unnamed_addr #7 !dbg !170 {
    #dbg_value(ptr %0, !178, !DIExpression(), !181)
    #dbg_value(ptr %1, !179, !DIExpression(), !181)
    #dbg_value(i64 %2, !180, !DIExpression(), !181)
  %4 = call ptr @__tsan_memcpy(ptr %0, ptr %1, i64 %2), !dbg !182
  ret void, !dbg !183
}

define dso_local i32 @loads_by_segment(ptr addrspace(256) nocapture noundef readonly %0) local_unnamed_addr #6 !dbg !184 {
    #dbg_value(ptr addrspace(256) %0, !188, !DIExpression(), !189)
  %2 = load i32, ptr addrspace(256) %0, align 4, !dbg !190, !tbaa !94
  ret i32 %2, !dbg !191
}

define internal void @tsan.module_ctor() #8 {
  call void @__tsan_init()
  ret void
}
