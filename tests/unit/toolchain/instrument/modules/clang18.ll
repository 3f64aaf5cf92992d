; SPDX-License-Identifier: MIT
; source.c, by Clang 18.

define i64 @sums(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #0 !dbg !11 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !17, metadata !DIExpression()), !dbg !22
  tail call void @llvm.dbg.value(metadata i64 %1, metadata !18, metadata !DIExpression()), !dbg !22
  tail call void @llvm.dbg.value(metadata i64 0, metadata !19, metadata !DIExpression()), !dbg !22
  tail call void @llvm.dbg.value(metadata i64 0, metadata !20, metadata !DIExpression()), !dbg !23
  %3 = icmp sgt i64 %1, 0, !dbg !24
  br i1 %3, label %6, label %4, !dbg !26

4:                                                ; preds = %6, %2
  %5 = phi i64 [ 0, %2 ], [ %11, %6 ], !dbg !22
  ret i64 %5, !dbg !27

6:                                                ; preds = %2, %6
  %7 = phi i64 [ %12, %6 ], [ 0, %2 ]
  %8 = phi i64 [ %11, %6 ], [ 0, %2 ]
  tail call void @llvm.dbg.value(metadata i64 %7, metadata !20, metadata !DIExpression()), !dbg !23
  tail call void @llvm.dbg.value(metadata i64 %8, metadata !19, metadata !DIExpression()), !dbg !22
  %9 = getelementptr inbounds i64, ptr %0, i64 %7, !dbg !28
  call void @__tsan_read8(ptr %9), !dbg !28
  %10 = load i64, ptr %9, align 8, !dbg !28, !tbaa !29
  %11 = add nsw i64 %10, %8, !dbg !33
  tail call void @llvm.dbg.value(metadata i64 %11, metadata !19, metadata !DIExpression()), !dbg !22
  %12 = add nuw nsw i64 %7, 1, !dbg !34
  tail call void @llvm.dbg.value(metadata i64 %12, metadata !20, metadata !DIExpression()), !dbg !23
  %13 = icmp eq i64 %12, %1, !dbg !24
  br i1 %13, label %4, label %6, !dbg !26, !llvm.loop !35
}

define void @scales(ptr nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #2 !dbg !38 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !45, metadata !DIExpression()), !dbg !53
  tail call void @llvm.dbg.value(metadata i32 %1, metadata !46, metadata !DIExpression()), !dbg !53
  tail call void @llvm.dbg.value(metadata i32 %2, metadata !47, metadata !DIExpression()), !dbg !53
  tail call void @llvm.dbg.value(metadata i32 0, metadata !48, metadata !DIExpression()), !dbg !54
  %4 = icmp sgt i32 %1, 0, !dbg !55
  br i1 %4, label %5, label %15, !dbg !56

5:                                                ; preds = %3
  %6 = icmp sgt i32 %2, 0
  %7 = sext i32 %2 to i64
  %8 = zext nneg i32 %1 to i64, !dbg !55
  %9 = zext nneg i32 %2 to i64
  br label %10, !dbg !56

10:                                               ; preds = %5, %16
  %11 = phi i64 [ 0, %5 ], [ %17, %16 ]
  tail call void @llvm.dbg.value(metadata i64 %11, metadata !48, metadata !DIExpression()), !dbg !54
  tail call void @llvm.dbg.value(metadata i32 0, metadata !50, metadata !DIExpression()), !dbg !57
  br i1 %6, label %12, label %16, !dbg !58

12:                                               ; preds = %10
  %13 = mul nuw nsw i64 %11, %7
  %14 = getelementptr double, ptr %0, i64 %13
  br label %19, !dbg !58

15:                                               ; preds = %16, %3
  ret void, !dbg !59

16:                                               ; preds = %19, %10
  %17 = add nuw nsw i64 %11, 1, !dbg !60
  tail call void @llvm.dbg.value(metadata i64 %17, metadata !48, metadata !DIExpression()), !dbg !54
  %18 = icmp eq i64 %17, %8, !dbg !55
  br i1 %18, label %15, label %10, !dbg !56, !llvm.loop !61

19:                                               ; preds = %12, %19
  %20 = phi i64 [ 0, %12 ], [ %24, %19 ]
  tail call void @llvm.dbg.value(metadata i64 %20, metadata !50, metadata !DIExpression()), !dbg !57
  %21 = getelementptr double, ptr %14, i64 %20, !dbg !63
  %22 = load double, ptr %21, align 8, !dbg !65, !tbaa !66
  %23 = fmul double %22, 2.000000e+00, !dbg !65
  call void @__tsan_write8(ptr %21), !dbg !65
  store double %23, ptr %21, align 8, !dbg !65, !tbaa !66
  %24 = add nuw nsw i64 %20, 1, !dbg !68
  tail call void @llvm.dbg.value(metadata i64 %24, metadata !50, metadata !DIExpression()), !dbg !57
  %25 = icmp eq i64 %24, %9, !dbg !69
  br i1 %25, label %16, label %19, !dbg !58, !llvm.loop !70
}

define void @gathers(ptr nocapture noundef writeonly %0, ptr nocapture noundef readonly %1, ptr nocapture noundef readonly %2, i32 noundef %3) local_unnamed_addr #2 !dbg !72 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !80, metadata !DIExpression()), !dbg !86
  tail call void @llvm.dbg.value(metadata ptr %1, metadata !81, metadata !DIExpression()), !dbg !86
  tail call void @llvm.dbg.value(metadata ptr %2, metadata !82, metadata !DIExpression()), !dbg !86
  tail call void @llvm.dbg.value(metadata i32 %3, metadata !83, metadata !DIExpression()), !dbg !86
  tail call void @llvm.dbg.value(metadata i32 0, metadata !84, metadata !DIExpression()), !dbg !87
  %5 = icmp sgt i32 %3, 0, !dbg !88
  br i1 %5, label %6, label %8, !dbg !90

6:                                                ; preds = %4
  %7 = zext nneg i32 %3 to i64, !dbg !88
  br label %9, !dbg !90

8:                                                ; preds = %9, %4
  ret void, !dbg !91

9:                                                ; preds = %6, %9
  %10 = phi i64 [ 0, %6 ], [ %17, %9 ]
  tail call void @llvm.dbg.value(metadata i64 %10, metadata !84, metadata !DIExpression()), !dbg !87
  %11 = getelementptr inbounds i32, ptr %2, i64 %10, !dbg !92
  call void @__tsan_read4(ptr %11), !dbg !92
  %12 = load i32, ptr %11, align 4, !dbg !92, !tbaa !93
  %13 = sext i32 %12 to i64, !dbg !95
  %14 = getelementptr inbounds double, ptr %1, i64 %13, !dbg !95
  call void @__tsan_read8(ptr %14), !dbg !95
  %15 = load double, ptr %14, align 8, !dbg !95, !tbaa !66
  %16 = getelementptr inbounds double, ptr %0, i64 %10, !dbg !96
  call void @__tsan_write8(ptr %16), !dbg !97
  store double %15, ptr %16, align 8, !dbg !97, !tbaa !66
  %17 = add nuw nsw i64 %10, 1, !dbg !98
  tail call void @llvm.dbg.value(metadata i64 %17, metadata !84, metadata !DIExpression()), !dbg !87
  %18 = icmp eq i64 %17, %7, !dbg !88
  br i1 %18, label %8, label %9, !dbg !90, !llvm.loop !99
}

define void @calls(ptr noundef %0, i32 noundef %1) local_unnamed_addr #3 !dbg !101 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !106, metadata !DIExpression()), !dbg !110
  tail call void @llvm.dbg.value(metadata i32 %1, metadata !107, metadata !DIExpression()), !dbg !110
  tail call void @llvm.dbg.value(metadata i32 0, metadata !108, metadata !DIExpression()), !dbg !111
  %3 = icmp sgt i32 %1, 0, !dbg !112
  br i1 %3, label %4, label %6, !dbg !114

4:                                                ; preds = %2
  %5 = zext nneg i32 %1 to i64, !dbg !112
  br label %7, !dbg !114

6:                                                ; preds = %7, %2
  ret void, !dbg !115

7:                                                ; preds = %4, %7
  %8 = phi i64 [ 0, %4 ], [ %11, %7 ]
  tail call void @llvm.dbg.value(metadata i64 %8, metadata !108, metadata !DIExpression()), !dbg !111
  %9 = getelementptr inbounds i32, ptr %0, i64 %8, !dbg !116
  %10 = trunc i64 %8 to i32, !dbg !118
  call void @__tsan_write4(ptr %9), !dbg !118
  store i32 %10, ptr %9, align 4, !dbg !118, !tbaa !93
  call void @take(ptr noundef %0) #11, !dbg !119
  %11 = add nuw nsw i64 %8, 1, !dbg !120
  tail call void @llvm.dbg.value(metadata i64 %11, metadata !108, metadata !DIExpression()), !dbg !111
  %12 = icmp eq i64 %11, %5, !dbg !112
  br i1 %12, label %6, label %7, !dbg !114, !llvm.loop !121
}

define i32 @gives_local_away(i32 noundef %0) local_unnamed_addr #3 !dbg !126 {
  %2 = alloca [4 x i32], align 16, !DIAssignID !135
  call void @llvm.dbg.assign(metadata i1 undef, metadata !131, metadata !DIExpression(), metadata !135, metadata ptr %2, metadata !DIExpression()), !dbg !136
  tail call void @llvm.dbg.value(metadata i32 %0, metadata !130, metadata !DIExpression()), !dbg !136
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #11, !dbg !137
  %3 = call ptr @__tsan_memcpy(ptr %2, ptr @__const.gives_local_away.few, i64 16), !dbg !138
  call void @llvm.dbg.assign(metadata i1 undef, metadata !131, metadata !DIExpression(), metadata !139, metadata ptr %2, metadata !DIExpression()), !dbg !136
  call void @take(ptr noundef nonnull %2) #11, !dbg !140
  %4 = and i32 %0, 3, !dbg !141
  %5 = zext nneg i32 %4 to i64
  %6 = getelementptr inbounds [4 x i32], ptr %2, i64 0, i64 %5, !dbg !142
  %7 = load i32, ptr %6, align 4, !dbg !142, !tbaa !93
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #11, !dbg !143
  ret i32 %7, !dbg !144
}

define i32 @adds_atomically(ptr nocapture noundef %0) local_unnamed_addr #5 !dbg !145 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !153, metadata !DIExpression()), !dbg !154
  %2 = atomicrmw add ptr %0, i32 1 seq_cst, align 4, !dbg !155
  ret i32 %2, !dbg !156
}

define x86_fp80 @loads_wide(ptr nocapture noundef readonly %0) local_unnamed_addr #6 !dbg !157 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !163, metadata !DIExpression()), !dbg !164
  %2 = load x86_fp80, ptr %0, align 16, !dbg !165, !tbaa !166
  ret x86_fp80 %2, !dbg !168
}

define void @copies(ptr nocapture noundef writeonly %0, ptr nocapture noundef readonly %1, i64 noundef %2) local_unnamed_addr #7 !dbg !169 {
  tail call void @llvm.dbg.value(metadata ptr %0, metadata !177, metadata !DIExpression()), !dbg !180
  tail call void @llvm.dbg.value(metadata ptr %1, metadata !178, metadata !DIExpression()), !dbg !180
  tail call void @llvm.dbg.value(metadata i64 %2, metadata !179, metadata !DIExpression()), !dbg !180
  %4 = call ptr @__tsan_memcpy(ptr %0, ptr %1, i64 %2), !dbg !181
  ret void, !dbg !182
}

define i32 @loads_by_segment(ptr addrspace(256) nocapture noundef readonly %0) local_unnamed_addr #6 !dbg !183 {
  tail call void @llvm.dbg.value(metadata ptr addrspace(256) %0, metadata !187, metadata !DIExpression()), !dbg !188
  %2 = load i32, ptr addrspace(256) %0, align 4, !dbg !189, !tbaa !93
  ret i32 %2, !dbg !190
}

define internal void @tsan.module_ctor() #10 {
  call void @__tsan_init()
  ret void
}
