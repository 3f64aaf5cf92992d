; SPDX-License-Identifier: MIT
; source.c, by Clang 14.

define dso_local i64 @sums(i64* nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #0 !dbg !11 {
  call void @llvm.dbg.value(metadata i64* %0, metadata !17, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i64 %1, metadata !18, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i64 0, metadata !19, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i64 0, metadata !20, metadata !DIExpression()), !dbg !23
  %3 = icmp sgt i64 %1, 0, !dbg !24
  br i1 %3, label %6, label %4, !dbg !26

4:                                                ; preds = %6, %2
  %5 = phi i64 [ 0, %2 ], [ %12, %6 ], !dbg !22
  ret i64 %5, !dbg !27

6:                                                ; preds = %2, %6
  %7 = phi i64 [ %13, %6 ], [ 0, %2 ]
  %8 = phi i64 [ %12, %6 ], [ 0, %2 ]
  call void @llvm.dbg.value(metadata i64 %7, metadata !20, metadata !DIExpression()), !dbg !23
  call void @llvm.dbg.value(metadata i64 %8, metadata !19, metadata !DIExpression()), !dbg !22
  %9 = getelementptr inbounds i64, i64* %0, i64 %7, !dbg !28
  %10 = bitcast i64* %9 to i8*, !dbg !28
  call void @__tsan_read8(i8* %10), !dbg !28
  %11 = load i64, i64* %9, align 8, !dbg !28, !tbaa !29
  %12 = add nsw i64 %11, %8, !dbg !33
  call void @llvm.dbg.value(metadata i64 %12, metadata !19, metadata !DIExpression()), !dbg !22
  %13 = add nuw nsw i64 %7, 1, !dbg !34
  call void @llvm.dbg.value(metadata i64 %13, metadata !20, metadata !DIExpression()), !dbg !23
  %14 = icmp eq i64 %13, %1, !dbg !24
  br i1 %14, label %4, label %6, !dbg !26, !llvm.loop !35
}

define dso_local void @scales(double* nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #3 !dbg !38 {
  call void @llvm.dbg.value(metadata double* %0, metadata !45, metadata !DIExpression()), !dbg !53
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
  %19 = phi i64 [ 0, %12 ], [ %25, %18 ]
  call void @llvm.dbg.value(metadata i64 %19, metadata !50, metadata !DIExpression()), !dbg !57
  %20 = add nsw i64 %13, %19, !dbg !63
  %21 = getelementptr inbounds double, double* %0, i64 %20, !dbg !65
  %22 = load double, double* %21, align 8, !dbg !66, !tbaa !67
  %23 = fmul double %22, 2.000000e+00, !dbg !66
  %24 = bitcast double* %21 to i8*, !dbg !66
  call void @__tsan_write8(i8* %24), !dbg !66
  store double %23, double* %21, align 8, !dbg !66, !tbaa !67
  %25 = add nuw nsw i64 %19, 1, !dbg !69
  call void @llvm.dbg.value(metadata i64 %25, metadata !50, metadata !DIExpression()), !dbg !57
  %26 = icmp eq i64 %25, %9, !dbg !70
  br i1 %26, label %15, label %18, !dbg !58, !llvm.loop !71
}

define dso_local void @gathers(double* nocapture noundef writeonly %0, double* nocapture noundef readonly %1, i32* nocapture noundef readonly %2, i32 noundef %3) local_unnamed_addr #3 !dbg !73 {
  call void @llvm.dbg.value(metadata double* %0, metadata !81, metadata !DIExpression()), !dbg !87
  call void @llvm.dbg.value(metadata double* %1, metadata !82, metadata !DIExpression()), !dbg !87
  call void @llvm.dbg.value(metadata i32* %2, metadata !83, metadata !DIExpression()), !dbg !87
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
  %10 = phi i64 [ 0, %6 ], [ %20, %9 ]
  call void @llvm.dbg.value(metadata i64 %10, metadata !85, metadata !DIExpression()), !dbg !88
  %11 = getelementptr inbounds i32, i32* %2, i64 %10, !dbg !93
  %12 = bitcast i32* %11 to i8*, !dbg !93
  call void @__tsan_read4(i8* %12), !dbg !93
  %13 = load i32, i32* %11, align 4, !dbg !93, !tbaa !94
  %14 = sext i32 %13 to i64, !dbg !96
  %15 = getelementptr inbounds double, double* %1, i64 %14, !dbg !96
  %16 = bitcast double* %15 to i8*, !dbg !96
  call void @__tsan_read8(i8* %16), !dbg !96
  %17 = load double, double* %15, align 8, !dbg !96, !tbaa !67
  %18 = getelementptr inbounds double, double* %0, i64 %10, !dbg !97
  %19 = bitcast double* %18 to i8*, !dbg !98
  call void @__tsan_write8(i8* %19), !dbg !98
  store double %17, double* %18, align 8, !dbg !98, !tbaa !67
  %20 = add nuw nsw i64 %10, 1, !dbg !99
  call void @llvm.dbg.value(metadata i64 %20, metadata !85, metadata !DIExpression()), !dbg !88
  %21 = icmp eq i64 %20, %7, !dbg !89
  br i1 %21, label %8, label %9, !dbg !91, !llvm.loop !100
}

define dso_local void @calls(i32* noundef %0, i32 noundef %1) local_unnamed_addr #4 !dbg !102 {
  call void @llvm.dbg.value(metadata i32* %0, metadata !107, metadata !DIExpression()), !dbg !111
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
  %8 = phi i64 [ 0, %4 ], [ %12, %7 ]
  call void @llvm.dbg.value(metadata i64 %8, metadata !109, metadata !DIExpression()), !dbg !112
  %9 = getelementptr inbounds i32, i32* %0, i64 %8, !dbg !117
  %10 = trunc i64 %8 to i32, !dbg !119
  %11 = bitcast i32* %9 to i8*, !dbg !119
  call void @__tsan_write4(i8* %11), !dbg !119
  store i32 %10, i32* %9, align 4, !dbg !119, !tbaa !94
  call void @take(i32* noundef %0) #11, !dbg !120
  %12 = add nuw nsw i64 %8, 1, !dbg !121
  call void @llvm.dbg.value(metadata i64 %12, metadata !109, metadata !DIExpression()), !dbg !112
  %13 = icmp eq i64 %12, %5, !dbg !113
  br i1 %13, label %6, label %7, !dbg !115, !llvm.loop !122
}

define dso_local i32 @gives_local_away(i32 noundef %0) local_unnamed_addr #4 !dbg !128 {
  %2 = alloca [4 x i32], align 16
  call void @llvm.dbg.value(metadata i32 %0, metadata !132, metadata !DIExpression()), !dbg !137
  %3 = bitcast [4 x i32]* %2 to i8*, !dbg !138
  call void @llvm.lifetime.start.p0i8(i64 16, i8* nonnull %3) #11, !dbg !138
  call void @llvm.dbg.declare(metadata [4 x i32]* %2, metadata !133, metadata !DIExpression()), !dbg !139
  %4 = call i8* @memcpy(i8* %3, i8* bitcast ([4 x i32]* @__const.gives_local_away.few to i8*), i64 16), !dbg !139
  %5 = getelementptr inbounds [4 x i32], [4 x i32]* %2, i64 0, i64 0, !dbg !140
  call void @take(i32* noundef nonnull %5) #11, !dbg !141
  %6 = and i32 %0, 3, !dbg !142
  %7 = zext i32 %6 to i64
  %8 = getelementptr inbounds [4 x i32], [4 x i32]* %2, i64 0, i64 %7, !dbg !143
  %9 = load i32, i32* %8, align 4, !dbg !143, !tbaa !94
  call void @llvm.lifetime.end.p0i8(i64 16, i8* nonnull %3) #11, !dbg !144
  ret i32 %9, !dbg !145
}

define dso_local i32 @adds_atomically(i32* nocapture noundef %0) local_unnamed_addr #6 !dbg !146 {
  call void @llvm.dbg.value(metadata i32* %0, metadata !154, metadata !DIExpression()), !dbg !155
  %2 = atomicrmw add i32* %0, i32 1 seq_cst, align 4, !dbg !156
  ret i32 %2, !dbg !157
}

define dso_local x86_fp80 @loads_wide(x86_fp80* nocapture noundef readonly %0) local_unnamed_addr #7 !dbg !158 {
  call void @llvm.dbg.value(metadata x86_fp80* %0, metadata !164, metadata !DIExpression()), !dbg !165
  %2 = load x86_fp80, x86_fp80* %0, align 16, !dbg !166, !tbaa !167
  ret x86_fp80 %2, !dbg !169
}

define dso_local void @copies(i8* nocapture noundef writeonly %0, i8* nocapture noundef readonly %1, i64 noundef %2) local_unnamed_addr #8 !dbg !170 {
  call void @llvm.dbg.value(metadata i8* %0, metadata !178, metadata !DIExpression()), !dbg !181
  call void @llvm.dbg.value(metadata i8* %1, metadata !179, metadata !DIExpression()), !dbg !181
  call void @llvm.dbg.value(metadata i64 %2, metadata !180, metadata !DIExpression()), !dbg !181
  %4 = call i8* @memcpy(i8* %0, i8* %1, i64 %2), !dbg !182
  ret void, !dbg !183
}

define dso_local i32 @loads_by_segment(i32 addrspace(256)* nocapture noundef readonly %0) local_unnamed_addr #7 !dbg !184 {
  call void @llvm.dbg.value(metadata i32 addrspace(256)* %0, metadata !188, metadata !DIExpression()), !dbg !189
  %2 = load i32, i32 addrspace(256)* %0, align 4, !dbg !190, !tbaa !94
  ret i32 %2, !dbg !191
}

define internal void @tsan.module_ctor() #10 {
  call void @__tsan_init()
  ret void
}
