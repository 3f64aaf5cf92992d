; SPDX-License-Identifier: MIT
; source.c, by Clang 16.

define dso_local i64 @sums(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #0 !dbg !11 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !17, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i64 %1, metadata !18, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i64 0, metadata !19, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i64 0, metadata !20, metadata !DIExpression()), !dbg !23
  %3 = icmp sgt i64 %1, 0, !dbg !24
  br i1 %3, label %6, label %4, !dbg !26

4:                                                ; preds = %6, %2
  %5 = phi i64 [ 0, %2 ], [ %11, %6 ], !dbg !22
  ret i64 %5, !dbg !27

6:                                                ; preds = %2, %6
  %7 = phi i64 [ %12, %6 ], [ 0, %2 ]
  %8 = phi i64 [ %11, %6 ], [ 0, %2 ]
  call void @llvm.dbg.value(metadata i64 %7, metadata !20, metadata !DIExpression()), !dbg !23
  call void @llvm.dbg.value(metadata i64 %8, metadata !19, metadata !DIExpression()), !dbg !22
  %9 = getelementptr inbounds i64, ptr %0, i64 %7, !dbg !28
  call void @__tsan_read8(ptr %9), !dbg !28
  %10 = load i64, ptr %9, align 8, !dbg !28, !tbaa !29
  %11 = add nsw i64 %10, %8, !dbg !33
  call void @llvm.dbg.value(metadata i64 %11, metadata !19, metadata !DIExpression()), !dbg !22
  %12 = add nuw nsw i64 %7, 1, !dbg !34
  call void @llvm.dbg.value(metadata i64 %12, metadata !20, metadata !DIExpression()), !dbg !23
  %13 = icmp eq i64 %12, %1, !dbg !24
  br i1 %13, label %4, label %6, !dbg !26, !llvm.loop !35
}

define dso_local void @scales(ptr nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #3 !dbg !38 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !45, metadata !DIExpression()), !dbg !53
  call void @llvm.dbg.value(metadata i32 %1, metadata !46, metadata !DIExpression()), !dbg !53
  call void @llvm.dbg.value(metadata i32 %2, metadata !47, metadata !DIExpression()), !dbg !53
  call void @llvm.dbg.value(metadata i32 0, metadata !48, metadata !DIExpression()), !dbg !54
  %4 = icmp sgt i32 %1, 0, !dbg !55
  br i1 %4, label %5, label %14, !dbg !56

5:                                                ; preds = %3
  %6 = icmp sgt i32 %2, 0
  %7 = sext i32 %2 to i64
  %8 = zext i32 %1 to i64, !dbg !55
  %9 = zext i32 %2 to i64
  br label %10, !dbg !56

10:                                               ; preds = %5, %15
  %11 = phi i64 [ 0, %5 ], [ %16, %15 ]
  call void @llvm.dbg.value(metadata i64 %11, metadata !48, metadata !DIExpression()), !dbg !54
  call void @llvm.dbg.value(metadata i32 0, metadata !50, metadata !DIExpression()), !dbg !57
  br i1 %6, label %12, label %15, !dbg !58

12:                                               ; preds = %10
  %13 = mul nsw i64 %11, %7
  br label %18, !dbg !58

14:                                               ; preds = %15, %3
  ret void, !dbg !59

15:                                               ; preds = %18, %10
  %16 = add nuw nsw i64 %11, 1, !dbg !60
  call void @llvm.dbg.value(metadata i64 %16, metadata !48, metadata !DIExpression()), !dbg !54
  %17 = icmp eq i64 %16, %8, !dbg !55
  br i1 %17, label %14, label %10, !dbg !56, !llvm.loop !61

18:                                               ; preds = %12, %18
  %19 = phi i64 [ 0, %12 ], [ %24, %18 ]
  call void @llvm.dbg.value(metadata i64 %19, metadata !50, metadata !DIExpression()), !dbg !57
  %20 = add nsw i64 %13, %19, !dbg !63
  %21 = getelementptr inbounds double, ptr %0, i64 %20, !dbg !65
  %22 = load double, ptr %21, align 8, !dbg !66, !tbaa !67
  %23 = fmul double %22, 2.000000e+00, !dbg !66
  call void @__tsan_write8(ptr %21), !dbg !66
  store double %23, ptr %21, align 8, !dbg !66, !tbaa !67
  %24 = add nuw nsw i64 %19, 1, !dbg !69
  call void @llvm.dbg.value(metadata i64 %24, metadata !50, metadata !DIExpression()), !dbg !57
  %25 = icmp eq i64 %24, %9, !dbg !70
  br i1 %25, label %15, label %18, !dbg !58, !llvm.loop !71
}

define dso_local void @gathers(ptr nocapture noundef writeonly %0, ptr nocapture noundef readonly %1, ptr nocapture noundef readonly %2, i32 noundef %3) local_unnamed_addr #3 !dbg !73 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !81, metadata !DIExpression()), !dbg !87
  call void @llvm.dbg.value(metadata ptr %1, metadata !82, metadata !DIExpression()), !dbg !87
  call void @llvm.dbg.value(metadata ptr %2, metadata !83, metadata !DIExpression()), !dbg !87
  call void @llvm.dbg.value(metadata i32 %3, metadata !84, metadata !DIExpression()), !dbg !87
  call void @llvm.dbg.value(metadata i32 0, metadata !85, metadata !DIExpression()), !dbg !88
  %5 = icmp sgt i32 %3, 0, !dbg !89
  br i1 %5, label %6, label %8, !dbg !91

6:                                                ; preds = %4
  %7 = zext i32 %3 to i64, !dbg !89
  br label %9, !dbg !91

8:                                                ; preds = %9, %4
  ret void, !dbg !92

9:                                                ; preds = %6, %9
  %10 = phi i64 [ 0, %6 ], [ %17, %9 ]
  call void @llvm.dbg.value(metadata i64 %10, metadata !85, metadata !DIExpression()), !dbg !88
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
  call void @llvm.dbg.value(metadata i64 %17, metadata !85, metadata !DIExpression()), !dbg !88
  %18 = icmp eq i64 %17, %7, !dbg !89
  br i1 %18, label %8, label %9, !dbg !91, !llvm.loop !100
}

define dso_local void @calls(ptr noundef %0, i32 noundef %1) local_unnamed_addr #4 !dbg !102 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !107, metadata !DIExpression()), !dbg !111
  call void @llvm.dbg.value(metadata i32 %1, metadata !108, metadata !DIExpression()), !dbg !111
  call void @llvm.dbg.value(metadata i32 0, metadata !109, metadata !DIExpression()), !dbg !112
  %3 = icmp sgt i32 %1, 0, !dbg !113
  br i1 %3, label %4, label %6, !dbg !115

4:                                                ; preds = %2
  %5 = zext i32 %1 to i64, !dbg !113
  br label %7, !dbg !115

6:                                                ; preds = %7, %2
  ret void, !dbg !116

7:                                                ; preds = %4, %7
  %8 = phi i64 [ 0, %4 ], [ %11, %7 ]
  call void @llvm.dbg.value(metadata i64 %8, metadata !109, metadata !DIExpression()), !dbg !112
  %9 = getelementptr inbounds i32, ptr %0, i64 %8, !dbg !117
  %10 = trunc i64 %8 to i32, !dbg !119
  call void @__tsan_write4(ptr %9), !dbg !119
  store i32 %10, ptr %9, align 4, !dbg !119, !tbaa !94
  call void @take(ptr noundef %0) #11, !dbg !120
  %11 = add nuw nsw i64 %8, 1, !dbg !121
  call void @llvm.dbg.value(metadata i64 %11, metadata !109, metadata !DIExpression()), !dbg !112
  %12 = icmp eq i64 %11, %5, !dbg !113
  br i1 %12, label %6, label %7, !dbg !115, !llvm.loop !122
}

define dso_local i32 @gives_local_away(i32 noundef %0) local_unnamed_addr #4 !dbg !128 {
  %2 = alloca [4 x i32], align 16
  call void @llvm.dbg.value(metadata i32 %0, metadata !132, metadata !DIExpression()), !dbg !137
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #11, !dbg !138
  call void @llvm.dbg.declare(metadata ptr %2, metadata !133, metadata !DIExpression()), !dbg !139
  %3 = call ptr @__tsan_memcpy(ptr %2, ptr @__const.gives_local_away.few, i64 16), !dbg !139
  call void @take(ptr noundef nonnull %2) #11, !dbg !140
  %4 = and i32 %0, 3, !dbg !141
  %5 = zext i32 %4 to i64
  %6 = getelementptr inbounds [4 x i32], ptr %2, i64 0, i64 %5, !dbg !142
  %7 = load i32, ptr %6, align 4, !dbg !142, !tbaa !94
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #11, !dbg !143
  ret i32 %7, !dbg !144
}

define dso_local i32 @adds_atomically(ptr nocapture noundef %0) local_unnamed_addr #6 !dbg !145 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !153, metadata !DIExpression()), !dbg !154
  %2 = atomicrmw add ptr %0, i32 1 seq_cst, align 4, !dbg !155
  ret i32 %2, !dbg !156
}

define dso_local x86_fp80 @loads_wide(ptr nocapture noundef readonly %0) local_unnamed_addr #7 !dbg !157 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !163, metadata !DIExpression()), !dbg !164
  %2 = load x86_fp80, ptr %0, align 16, !dbg !165, !tbaa !166
  ret x86_fp80 %2, !dbg !168
}

define dso_local void @copies(ptr nocapture noundef writeonly %0, ptr nocapture noundef readonly %1, i64 noundef %2) local_unnamed_addr #8 !dbg !169 {
  call void @llvm.dbg.value(metadata ptr %0, metadata !177, metadata !DIExpression()), !dbg !180
  call void @llvm.dbg.value(metadata ptr %1, metadata !178, metadata !DIExpression()), !dbg !180
  call void @llvm.dbg.value(metadata i64 %2, metadata !179, metadata !DIExpression()), !dbg !180
  %4 = call ptr @__tsan_memcpy(ptr %0, ptr %1, i64 %2), !dbg !181
  ret void, !dbg !182
}

define dso_local i32 @loads_by_segment(ptr addrspace(256) nocapture noundef readonly %0) local_unnamed_addr #7 !dbg !183 {
  call void @llvm.dbg.value(metadata ptr addrspace(256) %0, metadata !187, metadata !DIExpression()), !dbg !188
  %2 = load i32, ptr addrspace(256) %0, align 4, !dbg !189, !tbaa !94
  ret i32 %2, !dbg !190
}

define internal void @tsan.module_ctor() #10 {
  call void @__tsan_init()
  ret void
}
