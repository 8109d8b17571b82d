/* Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:102bc8a3a50c2d54e319b9f2ac6a8898 */
#include "function.h"
#include "plan.h"
#include "shim.h"
#include "node.h"
#include "shortcut.h"

const int function_count = 294;

void *functions[294];

static const char *cudnn_cffi_layout(void)
{
    return "7e1373586799170f";
}

static int cudnnActivationBackward(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, double a9, uintptr_t a10, uintptr_t a11)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[0];
    union factor f2;
    union factor f9;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a10) return NULL_ARGUMENT(10);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f9, a9, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, &f9, (void *)a10, (void *)a11);
}

static int cudnnActivationForward(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, double a5, uintptr_t a6, uintptr_t a7)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[1];
    union factor f2;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, &f5, (void *)a6, (void *)a7);
}

static int cudnnAddTensor(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, double a4, uintptr_t a5, uintptr_t a6)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[2];
    union factor f1;
    union factor f4;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a5) return NULL_ARGUMENT(5);
    int is_double = data_type_of(functions[186], a2) == 1;
    scale(&f1, a1, is_double);
    scale(&f4, a4, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, &f4, (void *)a5, (void *)a6);
}

static int cudnnAdvInferVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[3];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnAdvTrainVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[4];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnAdvVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[5];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnB2BCausalConv1dBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, int a11, int a12, int a13, int a14, int a15, int a16, int a17)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, int, int, int, int, int, int, int);
    F f = (F)functions[6];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, a12, a13, a14, a15, a16, a17);
}

static int cudnnB2BCausalConv1dForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, int a8, int a9, int a10, int a11, int a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, int, int, int, int, int);
    F f = (F)functions[7];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, a8, a9, a10, a11, a12);
}

static int cudnnBackendCreateDescriptor(int a0, uintptr_t results)
{
    typedef int (*F)(int, void *);
    F f = (F)functions[8];
    int64_t *out = (int64_t *)results;
    void *o1 = 0;
    if (!f) return NOT_BOUND;
    int status = f(a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnBackendDestroyDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[9];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnBackendExecute(uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[10];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, (void *)a1, (void *)a2);
}

static int cudnnBackendFinalize(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[11];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnBackendGetAttribute(uintptr_t a0, int a1, int a2, int64_t a3, void *a5, uintptr_t results)
{
    typedef int (*F)(void *, int, int, int64_t, void *, void *);
    F f = (F)functions[12];
    int64_t *out = (int64_t *)results;
    int64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, a2, a3, &o4, a5);
    out[0] = (int64_t)o4;
    return status;
}

static int cudnnBackendInitialize(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[13];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnBackendPopulateCudaGraph(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[14];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3);
}

static int cudnnBackendSetAttribute(uintptr_t a0, int a1, int a2, int64_t a3, void *a4)
{
    typedef int (*F)(void *, int, int, int64_t, void *);
    F f = (F)functions[15];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnBackendUpdateCudaGraph(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[16];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3);
}

static int cudnnBatchNormalizationBackward(uintptr_t a0, int a1, double a2, double a3, double a4, double a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, double a16, uintptr_t a17, uintptr_t a18)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, double, void *, void *);
    F f = (F)functions[17];
    union factor f2;
    union factor f3;
    union factor f4;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a10) return NULL_ARGUMENT(10);
    if (!a12) return NULL_ARGUMENT(12);
    int is_double = data_type_of(functions[186], a6) == 1;
    scale(&f2, a2, is_double);
    scale(&f3, a3, is_double);
    scale(&f4, a4, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, a1, &f2, &f3, &f4, &f5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, a16, (void *)a17, (void *)a18);
}

static int cudnnBatchNormalizationBackwardEx(uintptr_t a0, int a1, int a2, double a3, double a4, double a5, double a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, double a22, uintptr_t a23, uintptr_t a24, uintptr_t a25, uintptr_t a26, uint64_t a27, uintptr_t a28, uint64_t a29)
{
    typedef int (*F)(void *, int, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, double, void *, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[18];
    union factor f3;
    union factor f4;
    union factor f5;
    union factor f6;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a11) return NULL_ARGUMENT(11);
    if (!a15) return NULL_ARGUMENT(15);
    if (!a17) return NULL_ARGUMENT(17);
    int is_double = data_type_of(functions[186], a7) == 1;
    scale(&f3, a3, is_double);
    scale(&f4, a4, is_double);
    scale(&f5, a5, is_double);
    scale(&f6, a6, is_double);
    return f((void *)a0, a1, a2, &f3, &f4, &f5, &f6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, a22, (void *)a23, (void *)a24, (void *)a25, (void *)a26, a27, (void *)a28, a29);
}

static int cudnnBatchNormalizationForwardInference(uintptr_t a0, int a1, double a2, double a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, double a13)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, double);
    F f = (F)functions[19];
    union factor f2;
    union factor f3;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f2, a2, is_double);
    scale(&f3, a3, is_double);
    return f((void *)a0, a1, &f2, &f3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, a13);
}

static int cudnnBatchNormalizationForwardTraining(uintptr_t a0, int a1, double a2, double a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, double a11, uintptr_t a12, uintptr_t a13, double a14, uintptr_t a15, uintptr_t a16)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, double, void *, void *, double, void *, void *);
    F f = (F)functions[20];
    union factor f2;
    union factor f3;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f2, a2, is_double);
    scale(&f3, a3, is_double);
    return f((void *)a0, a1, &f2, &f3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, a14, (void *)a15, (void *)a16);
}

static int cudnnBatchNormalizationForwardTrainingEx(uintptr_t a0, int a1, int a2, double a3, double a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, double a14, uintptr_t a15, uintptr_t a16, double a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uint64_t a22, uintptr_t a23, uint64_t a24)
{
    typedef int (*F)(void *, int, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, double, void *, void *, double, void *, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[21];
    union factor f3;
    union factor f4;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a9) return NULL_ARGUMENT(9);
    if (!a11) return NULL_ARGUMENT(11);
    int is_double = data_type_of(functions[186], a5) == 1;
    scale(&f3, a3, is_double);
    scale(&f4, a4, is_double);
    return f((void *)a0, a1, a2, &f3, &f4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, a14, (void *)a15, (void *)a16, a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, a22, (void *)a23, a24);
}

static int cudnnBuildRNNDynamic(uintptr_t a0, uintptr_t a1, int a2)
{
    typedef int (*F)(void *, void *, int);
    F f = (F)functions[22];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2);
}

static int cudnnCTCLoss(uintptr_t a0, uintptr_t a1, uintptr_t a2, void *a3, void *a4, void *a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, int a9, uintptr_t a10, uintptr_t a11, uint64_t a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, int, void *, void *, uint64_t);
    F f = (F)functions[23];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a10) return NULL_ARGUMENT(10);
    return f((void *)a0, (void *)a1, (void *)a2, a3, a4, a5, (void *)a6, (void *)a7, (void *)a8, a9, (void *)a10, (void *)a11, a12);
}

static int cudnnCTCLoss_v8(uintptr_t a0, int a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uint64_t a11, uintptr_t a12)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *);
    F f = (F)functions[24];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    return f((void *)a0, a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12);
}

static int cudnnCausalConv1dBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, int a8, int a9, int a10, int a11, int a12, int a13, int a14)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, int, int, int, int, int, int, int);
    F f = (F)functions[25];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, a8, a9, a10, a11, a12, a13, a14);
}

static int cudnnCausalConv1dForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, int a6, int a7, int a8, int a9, int a10)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, int, int, int, int, int);
    F f = (F)functions[26];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, a6, a7, a8, a9, a10);
}

static int cudnnCausalConv1dNwhBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, int a8, int a9, int a10, int a11, int a12, int a13, int a14)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, int, int, int, int, int, int, int);
    F f = (F)functions[27];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, a8, a9, a10, a11, a12, a13, a14);
}

static int cudnnCausalConv1dNwhForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, int a6, int a7, int a8, int a9, int a10)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, int, int, int, int, int);
    F f = (F)functions[28];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, a6, a7, a8, a9, a10);
}

static int cudnnCnnInferVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[29];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnCnnTrainVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[30];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnCnnVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[31];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnConvolutionBackwardBias(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, double a4, uintptr_t a5, uintptr_t a6)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[32];
    union factor f1;
    union factor f4;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a5) return NULL_ARGUMENT(5);
    int is_double = data_type_of(functions[186], a2) == 1;
    scale(&f1, a1, is_double);
    scale(&f4, a4, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, &f4, (void *)a5, (void *)a6);
}

static int cudnnConvolutionBackwardData(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, uintptr_t a8, uint64_t a9, double a10, uintptr_t a11, uintptr_t a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, void *, uint64_t, void *, void *, void *);
    F f = (F)functions[33];
    union factor f1;
    union factor f10;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a11) return NULL_ARGUMENT(11);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f1, a1, is_double);
    scale(&f10, a10, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, (void *)a8, a9, &f10, (void *)a11, (void *)a12);
}

static int cudnnConvolutionBackwardFilter(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, uintptr_t a8, uint64_t a9, double a10, uintptr_t a11, uintptr_t a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, void *, uint64_t, void *, void *, void *);
    F f = (F)functions[34];
    union factor f1;
    union factor f10;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a11) return NULL_ARGUMENT(11);
    int is_double = data_type_of(functions[186], a2) == 1;
    scale(&f1, a1, is_double);
    scale(&f10, a10, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, (void *)a8, a9, &f10, (void *)a11, (void *)a12);
}

static int cudnnConvolutionBiasActivationForward(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, uintptr_t a8, uint64_t a9, double a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, void *, uint64_t, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[35];
    union factor f1;
    union factor f10;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a11) return NULL_ARGUMENT(11);
    if (!a13) return NULL_ARGUMENT(13);
    if (!a15) return NULL_ARGUMENT(15);
    if (!a16) return NULL_ARGUMENT(16);
    int is_double = data_type_of(functions[186], a2) == 1;
    scale(&f1, a1, is_double);
    scale(&f10, a10, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, (void *)a8, a9, &f10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17);
}

static int cudnnConvolutionForward(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, uintptr_t a8, uint64_t a9, double a10, uintptr_t a11, uintptr_t a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, void *, uint64_t, void *, void *, void *);
    F f = (F)functions[36];
    union factor f1;
    union factor f10;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a11) return NULL_ARGUMENT(11);
    int is_double = data_type_of(functions[186], a2) == 1;
    scale(&f1, a1, is_double);
    scale(&f10, a10, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, (void *)a8, a9, &f10, (void *)a11, (void *)a12);
}

static int cudnnCopyAlgorithmDescriptor(uintptr_t a0, uintptr_t a1)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[37];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1);
}

static int cudnnCreate(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[38];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateActivationDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[39];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateAlgorithmDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[40];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateAlgorithmPerformance(void *a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[41];
    if (!f) return NOT_BOUND;
    return f(a0, a1);
}

static int cudnnCreateAttnDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[42];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateCTCLossDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[43];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateConvolutionDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[44];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateDropoutDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[45];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateFilterDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[46];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateFusedOpsConstParamPack(int a1, uintptr_t results)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[47];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0, a1);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateFusedOpsPlan(int a1, uintptr_t results)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[48];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0, a1);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateFusedOpsVariantParamPack(int a1, uintptr_t results)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[49];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0, a1);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateLRNDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[50];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateOpTensorDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[51];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreatePersistentRNNPlan(uintptr_t a0, int a1, int a2, uintptr_t results)
{
    typedef int (*F)(void *, int, int, void *);
    F f = (F)functions[52];
    int64_t *out = (int64_t *)results;
    void *o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, a2, &o3);
    out[0] = (int64_t)o3;
    return status;
}

static int cudnnCreatePoolingDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[53];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateRNNDataDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[54];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateRNNDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[55];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateReduceTensorDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[56];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateSeqDataDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[57];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateSpatialTransformerDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[58];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateTensorDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[59];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnCreateTensorTransformDescriptor(uintptr_t results)
{
    typedef int (*F)(void *);
    F f = (F)functions[60];
    int64_t *out = (int64_t *)results;
    void *o0 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0);
    out[0] = (int64_t)o0;
    return status;
}

static int cudnnDeriveBNTensorDescriptor(uintptr_t a0, uintptr_t a1, int a2)
{
    typedef int (*F)(void *, void *, int);
    F f = (F)functions[61];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2);
}

static int cudnnDeriveNormTensorDescriptor(uintptr_t a0, uintptr_t a1, uintptr_t a2, int a3, int a4)
{
    typedef int (*F)(void *, void *, void *, int, int);
    F f = (F)functions[62];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, (void *)a1, (void *)a2, a3, a4);
}

static int cudnnDestroy(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[63];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyActivationDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[64];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyAlgorithmDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[65];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyAlgorithmPerformance(void *a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[66];
    if (!f) return NOT_BOUND;
    return f(a0, a1);
}

static int cudnnDestroyAttnDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[67];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyCTCLossDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[68];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyConvolutionDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[69];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyDropoutDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[70];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyFilterDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[71];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyFusedOpsConstParamPack(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[72];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyFusedOpsPlan(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[73];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyFusedOpsVariantParamPack(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[74];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyLRNDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[75];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyOpTensorDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[76];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyPersistentRNNPlan(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[77];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyPoolingDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[78];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyRNNDataDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[79];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyRNNDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[80];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyReduceTensorDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[81];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroySeqDataDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[82];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroySpatialTransformerDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[83];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyTensorDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[84];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDestroyTensorTransformDescriptor(uintptr_t a0)
{
    typedef int (*F)(void *);
    F f = (F)functions[85];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0);
}

static int cudnnDivisiveNormalizationBackward(uintptr_t a0, uintptr_t a1, int a2, double a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, double a10, uintptr_t a11, uintptr_t a12, uintptr_t a13)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[86];
    union factor f3;
    union factor f10;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a11) return NULL_ARGUMENT(11);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f3, a3, is_double);
    scale(&f10, a10, is_double);
    return f((void *)a0, (void *)a1, a2, &f3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, &f10, (void *)a11, (void *)a12, (void *)a13);
}

static int cudnnDivisiveNormalizationForward(uintptr_t a0, uintptr_t a1, int a2, double a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, double a9, uintptr_t a10, uintptr_t a11)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[87];
    union factor f3;
    union factor f9;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a10) return NULL_ARGUMENT(10);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f3, a3, is_double);
    scale(&f9, a9, is_double);
    return f((void *)a0, (void *)a1, a2, &f3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, &f9, (void *)a10, (void *)a11);
}

static int cudnnDropoutBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uint64_t a7)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, uint64_t);
    F f = (F)functions[88];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7);
}

static int cudnnDropoutForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uint64_t a7)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, uint64_t);
    F f = (F)functions[89];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7);
}

static int cudnnDropoutGetReserveSpaceSize(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[90];
    int64_t *out = (int64_t *)results;
    uint64_t o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnDropoutGetStatesSize(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[91];
    int64_t *out = (int64_t *)results;
    uint64_t o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnFFTCausalConv1dBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, int a6, int a7, int a8, int a9, int a10)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, int, int, int, int, int);
    F f = (F)functions[92];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, a6, a7, a8, a9, a10);
}

static int cudnnFFTCausalConv1dForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, int a4, int a5, int a6, int a7, int a8)
{
    typedef int (*F)(void *, void *, void *, void *, int, int, int, int, int);
    F f = (F)functions[93];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, a4, a5, a6, a7, a8);
}

static int cudnnFindConvolutionBackwardDataAlgorithm(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[94];
    int64_t *out = (int64_t *)results;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnFindConvolutionBackwardDataAlgorithmEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, int a8, void *a10, uintptr_t a11, uint64_t a12, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, int, void *, void *, void *, uint64_t);
    F f = (F)functions[95];
    int64_t *out = (int64_t *)results;
    int o9 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a6) return NULL_ARGUMENT(6);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, a8, &o9, a10, (void *)a11, a12);
    out[0] = (int64_t)o9;
    return status;
}

static int cudnnFindConvolutionBackwardFilterAlgorithm(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[96];
    int64_t *out = (int64_t *)results;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnFindConvolutionBackwardFilterAlgorithmEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, int a8, void *a10, uintptr_t a11, uint64_t a12, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, int, void *, void *, void *, uint64_t);
    F f = (F)functions[97];
    int64_t *out = (int64_t *)results;
    int o9 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a6) return NULL_ARGUMENT(6);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, a8, &o9, a10, (void *)a11, a12);
    out[0] = (int64_t)o9;
    return status;
}

static int cudnnFindConvolutionForwardAlgorithm(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[98];
    int64_t *out = (int64_t *)results;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnFindConvolutionForwardAlgorithmEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, int a8, void *a10, uintptr_t a11, uint64_t a12, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, int, void *, void *, void *, uint64_t);
    F f = (F)functions[99];
    int64_t *out = (int64_t *)results;
    int o9 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a6) return NULL_ARGUMENT(6);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, a8, &o9, a10, (void *)a11, a12);
    out[0] = (int64_t)o9;
    return status;
}

static int cudnnFindRNNBackwardDataAlgorithmEx(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, void *a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, void *a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, float a23, int a24, void *a26, uintptr_t a27, uint64_t a28, uintptr_t a29, uint64_t a30, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, float, int, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[100];
    int64_t *out = (int64_t *)results;
    int o25 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a11) return NULL_ARGUMENT(11);
    int status = f((void *)a0, (void *)a1, a2, a3, (void *)a4, a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, a23, a24, &o25, a26, (void *)a27, a28, (void *)a29, a30);
    out[0] = (int64_t)o25;
    return status;
}

static int cudnnFindRNNBackwardWeightsAlgorithmEx(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, void *a7, uintptr_t a8, float a9, int a10, void *a12, uintptr_t a13, uint64_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uint64_t a18, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, float, int, void *, void *, void *, uint64_t, void *, void *, void *, uint64_t);
    F f = (F)functions[101];
    int64_t *out = (int64_t *)results;
    int o11 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a15) return NULL_ARGUMENT(15);
    int status = f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, a7, (void *)a8, a9, a10, &o11, a12, (void *)a13, a14, (void *)a15, (void *)a16, (void *)a17, a18);
    out[0] = (int64_t)o11;
    return status;
}

static int cudnnFindRNNForwardInferenceAlgorithmEx(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, void *a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, float a17, int a18, void *a20, uintptr_t a21, uint64_t a22, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, float, int, void *, void *, void *, uint64_t);
    F f = (F)functions[102];
    int64_t *out = (int64_t *)results;
    int o19 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a9) return NULL_ARGUMENT(9);
    int status = f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, a17, a18, &o19, a20, (void *)a21, a22);
    out[0] = (int64_t)o19;
    return status;
}

static int cudnnFindRNNForwardTrainingAlgorithmEx(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, void *a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, float a17, int a18, void *a20, uintptr_t a21, uint64_t a22, uintptr_t a23, uint64_t a24, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, float, int, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[103];
    int64_t *out = (int64_t *)results;
    int o19 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a9) return NULL_ARGUMENT(9);
    int status = f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, a17, a18, &o19, a20, (void *)a21, a22, (void *)a23, a24);
    out[0] = (int64_t)o19;
    return status;
}

static int cudnnFusedOpsExecute(uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[104];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, (void *)a1, (void *)a2);
}

static int cudnnGetActivationDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[105];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    double o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = from_double(o3);
    return status;
}

static int cudnnGetActivationDescriptorSwishBeta(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[106];
    int64_t *out = (int64_t *)results;
    double o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = from_double(o1);
    return status;
}

static int cudnnGetAlgorithmDescriptor(uintptr_t a0, void *a1)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[107];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnGetAlgorithmPerformance(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[108];
    int64_t *out = (int64_t *)results;
    void *o1 = 0;
    int o2 = 0;
    float o3 = 0;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = from_double(o3);
    out[3] = (int64_t)o4;
    return status;
}

static int cudnnGetAlgorithmSpaceSize(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[109];
    int64_t *out = (int64_t *)results;
    uint64_t o2 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2);
    out[0] = (int64_t)o2;
    return status;
}

static int cudnnGetAttnDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[110];
    int64_t *out = (int64_t *)results;
    unsigned int o1 = 0;
    int o2 = 0;
    double o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    void *o7 = 0;
    void *o8 = 0;
    int o9 = 0;
    int o10 = 0;
    int o11 = 0;
    int o12 = 0;
    int o13 = 0;
    int o14 = 0;
    int o15 = 0;
    int o16 = 0;
    int o17 = 0;
    int o18 = 0;
    int o19 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, &o6, &o7, &o8, &o9, &o10, &o11, &o12, &o13, &o14, &o15, &o16, &o17, &o18, &o19);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = from_double(o3);
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    out[5] = (int64_t)o6;
    out[6] = (int64_t)o7;
    out[7] = (int64_t)o8;
    out[8] = (int64_t)o9;
    out[9] = (int64_t)o10;
    out[10] = (int64_t)o11;
    out[11] = (int64_t)o12;
    out[12] = (int64_t)o13;
    out[13] = (int64_t)o14;
    out[14] = (int64_t)o15;
    out[15] = (int64_t)o16;
    out[16] = (int64_t)o17;
    out[17] = (int64_t)o18;
    out[18] = (int64_t)o19;
    return status;
}

static int cudnnGetBatchNormalizationBackwardExWorkspaceSize(uintptr_t a0, int a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t results)
{
    typedef int (*F)(void *, int, int, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[111];
    int64_t *out = (int64_t *)results;
    uint64_t o10 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a8) return NULL_ARGUMENT(8);
    int status = f((void *)a0, a1, a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, &o10);
    out[0] = (int64_t)o10;
    return status;
}

static int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(uintptr_t a0, int a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t results)
{
    typedef int (*F)(void *, int, int, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[112];
    int64_t *out = (int64_t *)results;
    uint64_t o8 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a6) return NULL_ARGUMENT(6);
    int status = f((void *)a0, a1, a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, &o8);
    out[0] = (int64_t)o8;
    return status;
}

static int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(uintptr_t a0, int a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t results)
{
    typedef int (*F)(void *, int, int, void *, void *, void *);
    F f = (F)functions[113];
    int64_t *out = (int64_t *)results;
    uint64_t o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, a1, a2, (void *)a3, (void *)a4, &o5);
    out[0] = (int64_t)o5;
    return status;
}

static int cudnnGetCTCLossDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[114];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetCTCLossDescriptorEx(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[115];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    return status;
}

static int cudnnGetCTCLossDescriptor_v8(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[116];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    return status;
}

static int cudnnGetCTCLossDescriptor_v9(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[117];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    return status;
}

static int cudnnGetCTCLossWorkspaceSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, void *a3, void *a4, void *a5, int a6, uintptr_t a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[118];
    int64_t *out = (int64_t *)results;
    uint64_t o8 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a7) return NULL_ARGUMENT(7);
    int status = f((void *)a0, (void *)a1, (void *)a2, a3, a4, a5, a6, (void *)a7, &o8);
    out[0] = (int64_t)o8;
    return status;
}

static int cudnnGetCTCLossWorkspaceSize_v8(uintptr_t a0, int a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t results)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *);
    F f = (F)functions[119];
    int64_t *out = (int64_t *)results;
    uint64_t o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    int status = f((void *)a0, a1, (void *)a2, (void *)a3, (void *)a4, &o5);
    out[0] = (int64_t)o5;
    return status;
}

static int cudnnGetCallback(uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[120];
    int64_t *out = (int64_t *)results;
    unsigned int o0 = 0;
    void *o1 = 0;
    void *o2 = 0;
    if (!f) return NOT_BOUND;
    int status = f(&o0, &o1, &o2);
    out[0] = (int64_t)o0;
    out[1] = (int64_t)o1;
    out[2] = (int64_t)o2;
    return status;
}

static int cudnnGetConvolution2dDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[121];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    int o7 = 0;
    int o8 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, &o6, &o7, &o8);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    out[5] = (int64_t)o6;
    out[6] = (int64_t)o7;
    out[7] = (int64_t)o8;
    return status;
}

static int cudnnGetConvolution2dForwardOutputDim(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[122];
    int64_t *out = (int64_t *)results;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    int status = f((void *)a0, (void *)a1, (void *)a2, &o3, &o4, &o5, &o6);
    out[0] = (int64_t)o3;
    out[1] = (int64_t)o4;
    out[2] = (int64_t)o5;
    out[3] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionBackwardDataAlgorithmMaxCount(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[123];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetConvolutionBackwardDataAlgorithm_v7(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[124];
    int64_t *out = (int64_t *)results;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionBackwardDataWorkspaceSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *);
    F f = (F)functions[125];
    int64_t *out = (int64_t *)results;
    uint64_t o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[126];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetConvolutionBackwardFilterAlgorithm_v7(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[127];
    int64_t *out = (int64_t *)results;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionBackwardFilterWorkspaceSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *);
    F f = (F)functions[128];
    int64_t *out = (int64_t *)results;
    uint64_t o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionForwardAlgorithmMaxCount(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[129];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetConvolutionForwardAlgorithm_v7(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[130];
    int64_t *out = (int64_t *)results;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionForwardWorkspaceSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *);
    F f = (F)functions[131];
    int64_t *out = (int64_t *)results;
    uint64_t o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, &o6);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetConvolutionGroupCount(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[132];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetConvolutionMathType(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[133];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetConvolutionNdDescriptor(uintptr_t a0, int a1, void *a3, void *a4, void *a5, uintptr_t results)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[134];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o6 = 0;
    int o7 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, &o2, a3, a4, a5, &o6, &o7);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o6;
    out[2] = (int64_t)o7;
    return status;
}

static int cudnnGetConvolutionNdForwardOutputDim(uintptr_t a0, uintptr_t a1, uintptr_t a2, int a3, void *a4)
{
    typedef int (*F)(void *, void *, void *, int, void *);
    F f = (F)functions[135];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, (void *)a1, (void *)a2, a3, a4);
}

static int cudnnGetConvolutionReorderType(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[136];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetCudartVersion(uintptr_t results)
{
    typedef uint64_t (*F)(void);
    F f = (F)functions[137];
    int64_t *out = (int64_t *)results;
    if (!f) return NOT_BOUND;
    out[0] = (int64_t)f();
    return 0;
}

static int cudnnGetDropoutDescriptor(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[138];
    int64_t *out = (int64_t *)results;
    float o2 = 0;
    void *o3 = 0;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2, &o3, &o4);
    out[0] = from_double(o2);
    out[1] = (int64_t)o3;
    out[2] = (int64_t)o4;
    return status;
}

static int cudnnGetErrorString(int a0, uintptr_t results)
{
    typedef const char * (*F)(int);
    F f = (F)functions[139];
    int64_t *out = (int64_t *)results;
    if (!f) return NOT_BOUND;
    out[0] = (int64_t)f(a0);
    return 0;
}

static int cudnnGetExecutionPlanWorkspaceSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[140];
    int64_t *out = (int64_t *)results;
    uint64_t o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    int status = f((void *)a0, (void *)a1, (void *)a2, &o3);
    out[0] = (int64_t)o3;
    return status;
}

static int cudnnGetFilter4dDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[141];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, &o6);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    out[5] = (int64_t)o6;
    return status;
}

static int cudnnGetFilterNdDescriptor(uintptr_t a0, int a1, void *a5, uintptr_t results)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *);
    F f = (F)functions[142];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, &o2, &o3, &o4, a5);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    out[2] = (int64_t)o4;
    return status;
}

static int cudnnGetFilterSizeInBytes(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[143];
    int64_t *out = (int64_t *)results;
    uint64_t o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetFoldedConvBackwardDataDescriptors(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, int a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13)
{
    typedef int (*F)(void *, void *, void *, void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[144];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a9) return NULL_ARGUMENT(9);
    if (!a10) return NULL_ARGUMENT(10);
    if (!a11) return NULL_ARGUMENT(11);
    if (!a12) return NULL_ARGUMENT(12);
    if (!a13) return NULL_ARGUMENT(13);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13);
}

static int cudnnGetFusedOpsConstParamPackAttribute(uintptr_t a0, int a1, uintptr_t a2, uintptr_t results)
{
    typedef int (*F)(void *, int, void *, void *);
    F f = (F)functions[145];
    int64_t *out = (int64_t *)results;
    int o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    int status = f((void *)a0, a1, (void *)a2, &o3);
    out[0] = (int64_t)o3;
    return status;
}

static int cudnnGetFusedOpsVariantParamPackAttribute(uintptr_t a0, int a1, uintptr_t a2)
{
    typedef int (*F)(void *, int, void *);
    F f = (F)functions[146];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, a1, (void *)a2);
}

static int cudnnGetLRNDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[147];
    int64_t *out = (int64_t *)results;
    unsigned int o1 = 0;
    double o2 = 0;
    double o3 = 0;
    double o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4);
    out[0] = (int64_t)o1;
    out[1] = from_double(o2);
    out[2] = from_double(o3);
    out[3] = from_double(o4);
    return status;
}

static int cudnnGetLastErrorString(void *a0, uint64_t a1)
{
    typedef void (*F)(void *, uint64_t);
    F f = (F)functions[148];
    if (!f) return NOT_BOUND;
    f(a0, a1);
    return 0;
}

static int cudnnGetMaxDeviceVersion(uintptr_t results)
{
    typedef uint64_t (*F)(void);
    F f = (F)functions[149];
    int64_t *out = (int64_t *)results;
    if (!f) return NOT_BOUND;
    out[0] = (int64_t)f();
    return 0;
}

static int cudnnGetMultiHeadAttnBuffers(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[150];
    int64_t *out = (int64_t *)results;
    uint64_t o2 = 0;
    uint64_t o3 = 0;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2, &o3, &o4);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    out[2] = (int64_t)o4;
    return status;
}

static int cudnnGetMultiHeadAttnWeights(uintptr_t a0, uintptr_t a1, int a2, uint64_t a3, uintptr_t a4, uintptr_t a5, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, uint64_t, void *, void *, void *);
    F f = (F)functions[151];
    int64_t *out = (int64_t *)results;
    void *o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a5) return NULL_ARGUMENT(5);
    int status = f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, &o6);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetNormalizationBackwardWorkspaceSize(uintptr_t a0, int a1, int a2, int a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, int a13, uintptr_t results)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, int);
    F f = (F)functions[152];
    int64_t *out = (int64_t *)results;
    uint64_t o12 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a9) return NULL_ARGUMENT(9);
    if (!a11) return NULL_ARGUMENT(11);
    int status = f((void *)a0, a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, &o12, a13);
    out[0] = (int64_t)o12;
    return status;
}

static int cudnnGetNormalizationForwardTrainingWorkspaceSize(uintptr_t a0, int a1, int a2, int a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, int a11, uintptr_t results)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *, void *, void *, void *, void *, int);
    F f = (F)functions[153];
    int64_t *out = (int64_t *)results;
    uint64_t o10 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a9) return NULL_ARGUMENT(9);
    int status = f((void *)a0, a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, &o10, a11);
    out[0] = (int64_t)o10;
    return status;
}

static int cudnnGetNormalizationTrainingReserveSpaceSize(uintptr_t a0, int a1, int a2, int a3, uintptr_t a4, uintptr_t a5, int a7, uintptr_t results)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *, int);
    F f = (F)functions[154];
    int64_t *out = (int64_t *)results;
    uint64_t o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a5) return NULL_ARGUMENT(5);
    int status = f((void *)a0, a1, a2, a3, (void *)a4, (void *)a5, &o6, a7);
    out[0] = (int64_t)o6;
    return status;
}

static int cudnnGetOpTensorDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[155];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    return status;
}

static int cudnnGetPooling2dDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[156];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    int o7 = 0;
    int o8 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, &o6, &o7, &o8);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    out[5] = (int64_t)o6;
    out[6] = (int64_t)o7;
    out[7] = (int64_t)o8;
    return status;
}

static int cudnnGetPooling2dForwardOutputDim(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *);
    F f = (F)functions[157];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2, &o3, &o4, &o5);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    out[2] = (int64_t)o4;
    out[3] = (int64_t)o5;
    return status;
}

static int cudnnGetPoolingNdDescriptor(uintptr_t a0, int a1, void *a5, void *a6, void *a7, uintptr_t results)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[158];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, &o2, &o3, &o4, a5, a6, a7);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    out[2] = (int64_t)o4;
    return status;
}

static int cudnnGetPoolingNdForwardOutputDim(uintptr_t a0, uintptr_t a1, int a2, void *a3)
{
    typedef int (*F)(void *, void *, int, void *);
    F f = (F)functions[159];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, a3);
}

static int cudnnGetProperty(int a0, uintptr_t results)
{
    typedef int (*F)(int, void *);
    F f = (F)functions[160];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    int status = f(a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetRNNBackwardDataAlgorithmMaxCount(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[161];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2);
    out[0] = (int64_t)o2;
    return status;
}

static int cudnnGetRNNBackwardWeightsAlgorithmMaxCount(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[162];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2);
    out[0] = (int64_t)o2;
    return status;
}

static int cudnnGetRNNBiasMode(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[163];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetRNNDataDescriptor(uintptr_t a0, int a6, void *a7, void *a8, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, int, void *, void *);
    F f = (F)functions[164];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, a6, a7, a8);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    return status;
}

static int cudnnGetRNNDescriptor_v6(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[165];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    void *o4 = 0;
    int o5 = 0;
    int o6 = 0;
    int o7 = 0;
    int o8 = 0;
    int o9 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2, &o3, &o4, &o5, &o6, &o7, &o8, &o9);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    out[2] = (int64_t)o4;
    out[3] = (int64_t)o5;
    out[4] = (int64_t)o6;
    out[5] = (int64_t)o7;
    out[6] = (int64_t)o8;
    out[7] = (int64_t)o9;
    return status;
}

static int cudnnGetRNNDescriptor_v8(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[166];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    int o7 = 0;
    int o8 = 0;
    int o9 = 0;
    int o10 = 0;
    int o11 = 0;
    int o12 = 0;
    void *o13 = 0;
    unsigned int o14 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, &o6, &o7, &o8, &o9, &o10, &o11, &o12, &o13, &o14);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    out[5] = (int64_t)o6;
    out[6] = (int64_t)o7;
    out[7] = (int64_t)o8;
    out[8] = (int64_t)o9;
    out[9] = (int64_t)o10;
    out[10] = (int64_t)o11;
    out[11] = (int64_t)o12;
    out[12] = (int64_t)o13;
    out[13] = (int64_t)o14;
    return status;
}

static int cudnnGetRNNForwardInferenceAlgorithmMaxCount(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[167];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2);
    out[0] = (int64_t)o2;
    return status;
}

static int cudnnGetRNNForwardTrainingAlgorithmMaxCount(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[168];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2);
    out[0] = (int64_t)o2;
    return status;
}

static int cudnnGetRNNLinLayerBiasParams(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, int a6, uintptr_t a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, int, void *, void *);
    F f = (F)functions[169];
    int64_t *out = (int64_t *)results;
    void *o8 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a7) return NULL_ARGUMENT(7);
    int status = f((void *)a0, (void *)a1, a2, (void *)a3, (void *)a4, (void *)a5, a6, (void *)a7, &o8);
    out[0] = (int64_t)o8;
    return status;
}

static int cudnnGetRNNLinLayerMatrixParams(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, int a6, uintptr_t a7, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, int, void *, void *);
    F f = (F)functions[170];
    int64_t *out = (int64_t *)results;
    void *o8 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a7) return NULL_ARGUMENT(7);
    int status = f((void *)a0, (void *)a1, a2, (void *)a3, (void *)a4, (void *)a5, a6, (void *)a7, &o8);
    out[0] = (int64_t)o8;
    return status;
}

static int cudnnGetRNNMatrixMathType(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[171];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetRNNPaddingMode(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[172];
    int64_t *out = (int64_t *)results;
    unsigned int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetRNNParamsSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, int a4, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, int);
    F f = (F)functions[173];
    int64_t *out = (int64_t *)results;
    uint64_t o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    int status = f((void *)a0, (void *)a1, (void *)a2, &o3, a4);
    out[0] = (int64_t)o3;
    return status;
}

static int cudnnGetRNNProjectionLayers(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[174];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2, &o3);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    return status;
}

static int cudnnGetRNNTempSpaceSizes(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *);
    F f = (F)functions[175];
    int64_t *out = (int64_t *)results;
    uint64_t o4 = 0;
    uint64_t o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    int status = f((void *)a0, (void *)a1, a2, (void *)a3, &o4, &o5);
    out[0] = (int64_t)o4;
    out[1] = (int64_t)o5;
    return status;
}

static int cudnnGetRNNTrainingReserveSize(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *);
    F f = (F)functions[176];
    int64_t *out = (int64_t *)results;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, a2, a3, &o4);
    out[0] = (int64_t)o4;
    return status;
}

static int cudnnGetRNNWeightParams(uintptr_t a0, uintptr_t a1, int a2, uint64_t a3, uintptr_t a4, int a5, uintptr_t a6, uintptr_t a8, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, uint64_t, void *, int, void *, void *, void *, void *);
    F f = (F)functions[177];
    int64_t *out = (int64_t *)results;
    void *o7 = 0;
    void *o9 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    int status = f((void *)a0, (void *)a1, a2, a3, (void *)a4, a5, (void *)a6, &o7, (void *)a8, &o9);
    out[0] = (int64_t)o7;
    out[1] = (int64_t)o9;
    return status;
}

static int cudnnGetRNNWeightSpaceSize(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[178];
    int64_t *out = (int64_t *)results;
    uint64_t o2 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2);
    out[0] = (int64_t)o2;
    return status;
}

static int cudnnGetRNNWorkspaceSize(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *, void *);
    F f = (F)functions[179];
    int64_t *out = (int64_t *)results;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, a2, a3, &o4);
    out[0] = (int64_t)o4;
    return status;
}

static int cudnnGetReduceTensorDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *);
    F f = (F)functions[180];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    return status;
}

static int cudnnGetReductionIndicesSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[181];
    int64_t *out = (int64_t *)results;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, &o4);
    out[0] = (int64_t)o4;
    return status;
}

static int cudnnGetReductionWorkspaceSize(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[182];
    int64_t *out = (int64_t *)results;
    uint64_t o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a3) return NULL_ARGUMENT(3);
    int status = f((void *)a0, (void *)a1, (void *)a2, (void *)a3, &o4);
    out[0] = (int64_t)o4;
    return status;
}

static int cudnnGetSeqDataDescriptor(uintptr_t a0, int a3, void *a4, void *a5, uint64_t a7, void *a8, void *a9, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, int, void *, void *, void *, uint64_t, void *, void *);
    F f = (F)functions[183];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    uint64_t o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, a3, a4, a5, &o6, a7, a8, a9);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o6;
    return status;
}

static int cudnnGetStream(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[184];
    int64_t *out = (int64_t *)results;
    void *o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetTensor4dDescriptor(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[185];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    int o3 = 0;
    int o4 = 0;
    int o5 = 0;
    int o6 = 0;
    int o7 = 0;
    int o8 = 0;
    int o9 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4, &o5, &o6, &o7, &o8, &o9);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = (int64_t)o3;
    out[3] = (int64_t)o4;
    out[4] = (int64_t)o5;
    out[5] = (int64_t)o6;
    out[6] = (int64_t)o7;
    out[7] = (int64_t)o8;
    out[8] = (int64_t)o9;
    return status;
}

static int cudnnGetTensorNdDescriptor(uintptr_t a0, int a1, void *a4, void *a5, uintptr_t results)
{
    typedef int (*F)(void *, int, void *, void *, void *, void *);
    F f = (F)functions[186];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, &o2, &o3, a4, a5);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    return status;
}

static int cudnnGetTensorSizeInBytes(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[187];
    int64_t *out = (int64_t *)results;
    uint64_t o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnGetTensorTransformDescriptor(uintptr_t a0, unsigned int a1, void *a3, void *a4, void *a5, uintptr_t results)
{
    typedef int (*F)(void *, unsigned int, void *, void *, void *, void *, void *);
    F f = (F)functions[188];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o6 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, a1, &o2, a3, a4, a5, &o6);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o6;
    return status;
}

static int cudnnGetVersion(uintptr_t results)
{
    typedef uint64_t (*F)(void);
    F f = (F)functions[189];
    int64_t *out = (int64_t *)results;
    if (!f) return NOT_BOUND;
    out[0] = (int64_t)f();
    return 0;
}

static int cudnnGnnAggSimpleBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, int a8, int a9, int a10, int a11)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, int, int, int, int);
    F f = (F)functions[190];
    if (!f) return NOT_BOUND;
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, a8, a9, a10, a11);
}

static int cudnnGnnAggSimpleForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, int a7, int a8, int a9, int a10, int a11)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, int, int, int, int, int);
    F f = (F)functions[191];
    if (!f) return NOT_BOUND;
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, a7, a8, a9, a10, a11);
}

static int cudnnGnnMhaGatBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, int a17, int a18, uintptr_t a19, int a20, int a21, int a22)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, int, int, void *, int, int, int);
    F f = (F)functions[192];
    if (!f) return NOT_BOUND;
    if (!a1) return NULL_ARGUMENT(1);
    if (!a19) return NULL_ARGUMENT(19);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, a17, a18, (void *)a19, a20, a21, a22);
}

static int cudnnGnnMhaGatForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, int a9, int a10, uintptr_t a11, int a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, int, int, void *, int);
    F f = (F)functions[193];
    if (!f) return NOT_BOUND;
    if (!a1) return NULL_ARGUMENT(1);
    if (!a11) return NULL_ARGUMENT(11);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, a9, a10, (void *)a11, a12);
}

static int cudnnGnnMhaGatV2Backward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, int a18, uintptr_t a19, int a20, int a21)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, int, void *, int, int);
    F f = (F)functions[194];
    if (!f) return NOT_BOUND;
    if (!a1) return NULL_ARGUMENT(1);
    if (!a19) return NULL_ARGUMENT(19);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, a18, (void *)a19, a20, a21);
}

static int cudnnGnnMhaGatV2Forward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, int a10, uintptr_t a11, int a12)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, int, void *, int);
    F f = (F)functions[195];
    if (!f) return NOT_BOUND;
    if (!a1) return NULL_ARGUMENT(1);
    if (!a11) return NULL_ARGUMENT(11);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, a10, (void *)a11, a12);
}

static int cudnnGraphVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[196];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnIm2Col(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *);
    F f = (F)functions[197];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a4) return NULL_ARGUMENT(4);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5);
}

static int cudnnInitTransformDest(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[198];
    int64_t *out = (int64_t *)results;
    uint64_t o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    int status = f((void *)a0, (void *)a1, (void *)a2, &o3);
    out[0] = (int64_t)o3;
    return status;
}

static int cudnnLRNCrossChannelBackward(uintptr_t a0, uintptr_t a1, int a2, double a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, double a10, uintptr_t a11, uintptr_t a12)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[199];
    union factor f3;
    union factor f10;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a11) return NULL_ARGUMENT(11);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f3, a3, is_double);
    scale(&f10, a10, is_double);
    return f((void *)a0, (void *)a1, a2, &f3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, &f10, (void *)a11, (void *)a12);
}

static int cudnnLRNCrossChannelForward(uintptr_t a0, uintptr_t a1, int a2, double a3, uintptr_t a4, uintptr_t a5, double a6, uintptr_t a7, uintptr_t a8)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[200];
    union factor f3;
    union factor f6;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a7) return NULL_ARGUMENT(7);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f3, a3, is_double);
    scale(&f6, a6, is_double);
    return f((void *)a0, (void *)a1, a2, &f3, (void *)a4, (void *)a5, &f6, (void *)a7, (void *)a8);
}

static int cudnnLongFFTCausalConv1dBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, int a4, int a5, int a6, int a7, int a8, uintptr_t a9, uint64_t a10, uintptr_t a11, uint64_t a12)
{
    typedef int (*F)(void *, void *, void *, void *, int, int, int, int, int, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[201];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, a4, a5, a6, a7, a8, (void *)a9, a10, (void *)a11, a12);
}

static int cudnnLongFFTCausalConv1dForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, int a4, int a5, int a6, int a7, int a8, uintptr_t a9, uint64_t a10, uintptr_t a11, uint64_t a12)
{
    typedef int (*F)(void *, void *, void *, void *, int, int, int, int, int, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[202];
    if (!f) return NOT_BOUND;
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, a4, a5, a6, a7, a8, (void *)a9, a10, (void *)a11, a12);
}

static int cudnnLongFFTCausalConv1dGetBufferSizes(int a0, int a1, int a2, int a3, int a4, uintptr_t results)
{
    typedef int (*F)(int, int, int, int, int, void *, void *);
    F f = (F)functions[203];
    int64_t *out = (int64_t *)results;
    uint64_t o5 = 0;
    uint64_t o6 = 0;
    if (!f) return NOT_BOUND;
    int status = f(a0, a1, a2, a3, a4, &o5, &o6);
    out[0] = (int64_t)o5;
    out[1] = (int64_t)o6;
    return status;
}

static int cudnnMakeFusedOpsPlan(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[204];
    int64_t *out = (int64_t *)results;
    uint64_t o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    int status = f((void *)a0, (void *)a1, (void *)a2, &o3);
    out[0] = (int64_t)o3;
    return status;
}

static int cudnnMultiHeadAttnBackwardData(uintptr_t a0, uintptr_t a1, void *a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uint64_t a17, uintptr_t a18, uint64_t a19, uintptr_t a20, uint64_t a21, uintptr_t a22)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, void *, uint64_t, void *);
    F f = (F)functions[205];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a11) return NULL_ARGUMENT(11);
    if (!a14) return NULL_ARGUMENT(14);
    return f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, a17, (void *)a18, a19, (void *)a20, a21, (void *)a22);
}

static int cudnnMultiHeadAttnBackwardWeights(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uint64_t a11, uintptr_t a12, uintptr_t a13, uint64_t a14, uintptr_t a15, uint64_t a16, uintptr_t a17)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, void *, uint64_t, void *, uint64_t, void *);
    F f = (F)functions[206];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a9) return NULL_ARGUMENT(9);
    return f((void *)a0, (void *)a1, a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, a14, (void *)a15, a16, (void *)a17);
}

static int cudnnMultiHeadAttnForward(uintptr_t a0, uintptr_t a1, int a2, void *a3, void *a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uint64_t a16, uintptr_t a17, uint64_t a18, uintptr_t a19, uint64_t a20, uintptr_t a21)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, void *, uint64_t, void *);
    F f = (F)functions[207];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a10) return NULL_ARGUMENT(10);
    if (!a12) return NULL_ARGUMENT(12);
    if (!a14) return NULL_ARGUMENT(14);
    return f((void *)a0, (void *)a1, a2, a3, a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, a16, (void *)a17, a18, (void *)a19, a20, (void *)a21);
}

static int cudnnNormalizationBackward(uintptr_t a0, int a1, int a2, int a3, double a4, double a5, double a6, double a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, double a23, uintptr_t a24, uintptr_t a25, uintptr_t a26, uintptr_t a27, uintptr_t a28, uint64_t a29, uintptr_t a30, uint64_t a31, int a32)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, double, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, int);
    F f = (F)functions[208];
    union factor f4;
    union factor f5;
    union factor f6;
    union factor f7;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a12) return NULL_ARGUMENT(12);
    if (!a16) return NULL_ARGUMENT(16);
    if (!a18) return NULL_ARGUMENT(18);
    if (!a24) return NULL_ARGUMENT(24);
    int is_double = data_type_of(functions[186], a8) == 1;
    scale(&f4, a4, is_double);
    scale(&f5, a5, is_double);
    scale(&f6, a6, is_double);
    scale(&f7, a7, is_double);
    return f((void *)a0, a1, a2, a3, &f4, &f5, &f6, &f7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, a23, (void *)a24, (void *)a25, (void *)a26, (void *)a27, (void *)a28, a29, (void *)a30, a31, a32);
}

static int cudnnNormalizationForwardInference(uintptr_t a0, int a1, int a2, int a3, double a4, double a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, double a19, int a20)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, double, int);
    F f = (F)functions[209];
    union factor f4;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a11) return NULL_ARGUMENT(11);
    if (!a17) return NULL_ARGUMENT(17);
    int is_double = data_type_of(functions[186], a6) == 1;
    scale(&f4, a4, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, a1, a2, a3, &f4, &f5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, (void *)a18, a19, a20);
}

static int cudnnNormalizationForwardTraining(uintptr_t a0, int a1, int a2, int a3, double a4, double a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, double a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, double a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, uintptr_t a23, uint64_t a24, uintptr_t a25, uint64_t a26, int a27)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *, void *, void *, void *, void *, double, void *, void *, void *, double, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, int);
    F f = (F)functions[210];
    union factor f4;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a12) return NULL_ARGUMENT(12);
    if (!a21) return NULL_ARGUMENT(21);
    int is_double = data_type_of(functions[186], a6) == 1;
    scale(&f4, a4, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, a1, a2, a3, &f4, &f5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, (void *)a14, a15, (void *)a16, (void *)a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, (void *)a23, a24, (void *)a25, a26, a27);
}

static int cudnnOpTensor(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, double a5, uintptr_t a6, uintptr_t a7, double a8, uintptr_t a9, uintptr_t a10)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[211];
    union factor f2;
    union factor f5;
    union factor f8;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a9) return NULL_ARGUMENT(9);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f5, a5, is_double);
    scale(&f8, a8, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, &f5, (void *)a6, (void *)a7, &f8, (void *)a9, (void *)a10);
}

static int cudnnOpsInferVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[212];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnOpsTrainVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[213];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnOpsVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[214];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnPoolingBackward(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, double a9, uintptr_t a10, uintptr_t a11)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[215];
    union factor f2;
    union factor f9;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a5) return NULL_ARGUMENT(5);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a10) return NULL_ARGUMENT(10);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f9, a9, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, &f9, (void *)a10, (void *)a11);
}

static int cudnnPoolingForward(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, double a5, uintptr_t a6, uintptr_t a7)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[216];
    union factor f2;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, &f5, (void *)a6, (void *)a7);
}

static int cudnnQueryRuntimeError(uintptr_t a0, int a2, uintptr_t results)
{
    typedef int (*F)(void *, void *, int, void *);
    F f = (F)functions[217];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, a2, NULL);
    out[0] = (int64_t)o1;
    return status;
}

static int cudnnRNNBackwardData(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, void *a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, void *a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, uintptr_t a23, uint64_t a24, uintptr_t a25, uint64_t a26)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[218];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a11) return NULL_ARGUMENT(11);
    return f((void *)a0, (void *)a1, a2, a3, (void *)a4, a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, (void *)a23, a24, (void *)a25, a26);
}

static int cudnnRNNBackwardDataEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, uintptr_t a23, uintptr_t a24, uintptr_t a25, uintptr_t a26, uint64_t a27, uintptr_t a28, uint64_t a29)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[219];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a12) return NULL_ARGUMENT(12);
    if (!a18) return NULL_ARGUMENT(18);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, (void *)a23, (void *)a24, (void *)a25, (void *)a26, a27, (void *)a28, a29);
}

static int cudnnRNNBackwardData_v8(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uint64_t a16, uintptr_t a17, uint64_t a18, uintptr_t a19, uint64_t a20, uintptr_t a21)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, void *, uint64_t, void *);
    F f = (F)functions[220];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, a16, (void *)a17, a18, (void *)a19, a20, (void *)a21);
}

static int cudnnRNNBackwardWeights(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, void *a7, uintptr_t a8, uintptr_t a9, uint64_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uint64_t a14)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, void *, void *, uint64_t);
    F f = (F)functions[221];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a11) return NULL_ARGUMENT(11);
    return f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, a7, (void *)a8, (void *)a9, a10, (void *)a11, (void *)a12, (void *)a13, a14);
}

static int cudnnRNNBackwardWeightsEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uint64_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uint64_t a13)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, void *, void *, uint64_t);
    F f = (F)functions[222];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a10) return NULL_ARGUMENT(10);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, a9, (void *)a10, (void *)a11, (void *)a12, a13);
}

static int cudnnRNNBackwardWeights_v8(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uint64_t a10, uintptr_t a11, uint64_t a12, uintptr_t a13, uint64_t a14, uintptr_t a15)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, void *, uint64_t, void *);
    F f = (F)functions[223];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a8) return NULL_ARGUMENT(8);
    return f((void *)a0, (void *)a1, a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, a10, (void *)a11, a12, (void *)a13, a14, (void *)a15);
}

static int cudnnRNNForward(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uint64_t a14, uintptr_t a15, uint64_t a16, uintptr_t a17, uint64_t a18, uintptr_t a19)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t, void *, uint64_t, void *);
    F f = (F)functions[224];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    return f((void *)a0, (void *)a1, a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, a14, (void *)a15, a16, (void *)a17, a18, (void *)a19);
}

static int cudnnRNNForwardInference(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, void *a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uint64_t a18)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t);
    F f = (F)functions[225];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a9) return NULL_ARGUMENT(9);
    return f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, a18);
}

static int cudnnRNNForwardInferenceEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, uintptr_t a23, uintptr_t a24, uint64_t a25)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t);
    F f = (F)functions[226];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a10) return NULL_ARGUMENT(10);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, (void *)a23, (void *)a24, a25);
}

static int cudnnRNNForwardTraining(uintptr_t a0, uintptr_t a1, int a2, void *a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, void *a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uint64_t a18, uintptr_t a19, uint64_t a20)
{
    typedef int (*F)(void *, void *, int, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[227];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a9) return NULL_ARGUMENT(9);
    return f((void *)a0, (void *)a1, a2, a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, a18, (void *)a19, a20);
}

static int cudnnRNNForwardTrainingEx(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, uintptr_t a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, uintptr_t a12, uintptr_t a13, uintptr_t a14, uintptr_t a15, uintptr_t a16, uintptr_t a17, uintptr_t a18, uintptr_t a19, uintptr_t a20, uintptr_t a21, uintptr_t a22, uintptr_t a23, uintptr_t a24, uint64_t a25, uintptr_t a26, uint64_t a27)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint64_t, void *, uint64_t);
    F f = (F)functions[228];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a8) return NULL_ARGUMENT(8);
    if (!a10) return NULL_ARGUMENT(10);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, (void *)a8, (void *)a9, (void *)a10, (void *)a11, (void *)a12, (void *)a13, (void *)a14, (void *)a15, (void *)a16, (void *)a17, (void *)a18, (void *)a19, (void *)a20, (void *)a21, (void *)a22, (void *)a23, (void *)a24, a25, (void *)a26, a27);
}

static int cudnnRNNGetClip(uintptr_t a0, uintptr_t a1, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *);
    F f = (F)functions[229];
    int64_t *out = (int64_t *)results;
    int o2 = 0;
    int o3 = 0;
    double o4 = 0;
    double o5 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int status = f((void *)a0, (void *)a1, &o2, &o3, &o4, &o5);
    out[0] = (int64_t)o2;
    out[1] = (int64_t)o3;
    out[2] = from_double(o4);
    out[3] = from_double(o5);
    return status;
}

static int cudnnRNNGetClip_v8(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *, void *);
    F f = (F)functions[230];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    int o2 = 0;
    double o3 = 0;
    double o4 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3, &o4);
    out[0] = (int64_t)o1;
    out[1] = (int64_t)o2;
    out[2] = from_double(o3);
    out[3] = from_double(o4);
    return status;
}

static int cudnnRNNGetClip_v9(uintptr_t a0, uintptr_t results)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[231];
    int64_t *out = (int64_t *)results;
    int o1 = 0;
    double o2 = 0;
    double o3 = 0;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    int status = f((void *)a0, &o1, &o2, &o3);
    out[0] = (int64_t)o1;
    out[1] = from_double(o2);
    out[2] = from_double(o3);
    return status;
}

static int cudnnRNNSetClip(uintptr_t a0, uintptr_t a1, int a2, int a3, double a4, double a5)
{
    typedef int (*F)(void *, void *, int, int, double, double);
    F f = (F)functions[232];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, a3, a4, a5);
}

static int cudnnRNNSetClip_v8(uintptr_t a0, int a1, int a2, double a3, double a4)
{
    typedef int (*F)(void *, int, int, double, double);
    F f = (F)functions[233];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnRNNSetClip_v9(uintptr_t a0, int a1, double a2, double a3)
{
    typedef int (*F)(void *, int, double, double);
    F f = (F)functions[234];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3);
}

static int cudnnReduceTensor(uintptr_t a0, uintptr_t a1, uintptr_t a2, uint64_t a3, uintptr_t a4, uint64_t a5, double a6, uintptr_t a7, uintptr_t a8, double a9, uintptr_t a10, uintptr_t a11)
{
    typedef int (*F)(void *, void *, void *, uint64_t, void *, uint64_t, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[235];
    union factor f6;
    union factor f9;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a7) return NULL_ARGUMENT(7);
    if (!a10) return NULL_ARGUMENT(10);
    int is_double = data_type_of(functions[186], a7) == 1;
    scale(&f6, a6, is_double);
    scale(&f9, a9, is_double);
    return f((void *)a0, (void *)a1, (void *)a2, a3, (void *)a4, a5, &f6, (void *)a7, (void *)a8, &f9, (void *)a10, (void *)a11);
}

static int cudnnReorderFilterAndBias(uintptr_t a0, uintptr_t a1, int a2, uintptr_t a3, uintptr_t a4, int a5, uintptr_t a6, uintptr_t a7)
{
    typedef int (*F)(void *, void *, int, void *, void *, int, void *, void *);
    F f = (F)functions[236];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, (void *)a3, (void *)a4, a5, (void *)a6, (void *)a7);
}

static int cudnnRestoreAlgorithm(uintptr_t a0, uintptr_t a1, uint64_t a2, uintptr_t a3)
{
    typedef int (*F)(void *, void *, uint64_t, void *);
    F f = (F)functions[237];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    return f((void *)a0, (void *)a1, a2, (void *)a3);
}

static int cudnnRestoreDropoutDescriptor(uintptr_t a0, uintptr_t a1, float a2, uintptr_t a3, uint64_t a4, uint64_t a5)
{
    typedef int (*F)(void *, void *, float, void *, uint64_t, uint64_t);
    F f = (F)functions[238];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, (void *)a3, a4, a5);
}

static int cudnnSaveAlgorithm(uintptr_t a0, uintptr_t a1, uintptr_t a2, uint64_t a3)
{
    typedef int (*F)(void *, void *, void *, uint64_t);
    F f = (F)functions[239];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, (void *)a1, (void *)a2, a3);
}

static int cudnnScaleTensor(uintptr_t a0, uintptr_t a1, uintptr_t a2, double a3)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[240];
    union factor f3;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int is_double = data_type_of(functions[186], a1) == 1;
    scale(&f3, a3, is_double);
    return f((void *)a0, (void *)a1, (void *)a2, &f3);
}

static int cudnnSetActivationDescriptor(uintptr_t a0, int a1, int a2, double a3)
{
    typedef int (*F)(void *, int, int, double);
    F f = (F)functions[241];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3);
}

static int cudnnSetActivationDescriptorSwishBeta(uintptr_t a0, double a1)
{
    typedef int (*F)(void *, double);
    F f = (F)functions[242];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetAlgorithmDescriptor(uintptr_t a0, uintptr_t a1)
{
    typedef int (*F)(void *, uint32_t);
    F f = (F)functions[243];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, *(uint32_t *)a1);
}

static int cudnnSetAlgorithmPerformance(uintptr_t a0, uintptr_t a1, int a2, float a3, uint64_t a4)
{
    typedef int (*F)(void *, void *, int, float, uint64_t);
    F f = (F)functions[244];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, a3, a4);
}

static int cudnnSetAttnDescriptor(uintptr_t a0, unsigned int a1, int a2, double a3, int a4, int a5, int a6, uintptr_t a7, uintptr_t a8, int a9, int a10, int a11, int a12, int a13, int a14, int a15, int a16, int a17, int a18, int a19)
{
    typedef int (*F)(void *, unsigned int, int, double, int, int, int, void *, void *, int, int, int, int, int, int, int, int, int, int, int);
    F f = (F)functions[245];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, (void *)a7, (void *)a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19);
}

static int cudnnSetCTCLossDescriptor(uintptr_t a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[246];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetCTCLossDescriptorEx(uintptr_t a0, int a1, int a2, int a3)
{
    typedef int (*F)(void *, int, int, int);
    F f = (F)functions[247];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3);
}

static int cudnnSetCTCLossDescriptor_v8(uintptr_t a0, int a1, int a2, int a3, int a4)
{
    typedef int (*F)(void *, int, int, int, int);
    F f = (F)functions[248];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetCTCLossDescriptor_v9(uintptr_t a0, int a1, int a2, int a3, int a4)
{
    typedef int (*F)(void *, int, int, int, int);
    F f = (F)functions[249];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetCallback(unsigned int a0, uintptr_t a1, uintptr_t a2)
{
    typedef int (*F)(unsigned int, void *, void *);
    F f = (F)functions[250];
    if (!f) return NOT_BOUND;
    return f(a0, (void *)a1, (void *)a2);
}

static int cudnnSetConvolution2dDescriptor(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8)
{
    typedef int (*F)(void *, int, int, int, int, int, int, int, int);
    F f = (F)functions[251];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static int cudnnSetConvolutionGroupCount(uintptr_t a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[252];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetConvolutionMathType(uintptr_t a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[253];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetConvolutionNdDescriptor(uintptr_t a0, int a1, void *a2, void *a3, void *a4, int a5, int a6)
{
    typedef int (*F)(void *, int, void *, void *, void *, int, int);
    F f = (F)functions[254];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6);
}

static int cudnnSetConvolutionReorderType(uintptr_t a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[255];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetDropoutDescriptor(uintptr_t a0, uintptr_t a1, float a2, uintptr_t a3, uint64_t a4, uint64_t a5)
{
    typedef int (*F)(void *, void *, float, void *, uint64_t, uint64_t);
    F f = (F)functions[256];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, (void *)a3, a4, a5);
}

static int cudnnSetFilter4dDescriptor(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, int a6)
{
    typedef int (*F)(void *, int, int, int, int, int, int);
    F f = (F)functions[257];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6);
}

static int cudnnSetFilterNdDescriptor(uintptr_t a0, int a1, int a2, int a3, void *a4)
{
    typedef int (*F)(void *, int, int, int, void *);
    F f = (F)functions[258];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetFusedOpsConstParamPackAttribute(uintptr_t a0, int a1, uintptr_t a2)
{
    typedef int (*F)(void *, int, void *);
    F f = (F)functions[259];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, (void *)a2);
}

static int cudnnSetFusedOpsVariantParamPackAttribute(uintptr_t a0, int a1, uintptr_t a2)
{
    typedef int (*F)(void *, int, void *);
    F f = (F)functions[260];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, (void *)a2);
}

static int cudnnSetLRNDescriptor(uintptr_t a0, unsigned int a1, double a2, double a3, double a4)
{
    typedef int (*F)(void *, unsigned int, double, double, double);
    F f = (F)functions[261];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetOpTensorDescriptor(uintptr_t a0, int a1, int a2, int a3)
{
    typedef int (*F)(void *, int, int, int);
    F f = (F)functions[262];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3);
}

static int cudnnSetPersistentRNNPlan(uintptr_t a0, uintptr_t a1)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[263];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1);
}

static int cudnnSetPooling2dDescriptor(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8)
{
    typedef int (*F)(void *, int, int, int, int, int, int, int, int);
    F f = (F)functions[264];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, a7, a8);
}

static int cudnnSetPoolingNdDescriptor(uintptr_t a0, int a1, int a2, int a3, void *a4, void *a5, void *a6)
{
    typedef int (*F)(void *, int, int, int, void *, void *, void *);
    F f = (F)functions[265];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6);
}

static int cudnnSetRNNAlgorithmDescriptor(uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
    typedef int (*F)(void *, void *, void *);
    F f = (F)functions[266];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a2) return NULL_ARGUMENT(2);
    return f((void *)a0, (void *)a1, (void *)a2);
}

static int cudnnSetRNNBiasMode(uintptr_t a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[267];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetRNNDataDescriptor(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, void *a6, void *a7)
{
    typedef int (*F)(void *, int, int, int, int, int, void *, void *);
    F f = (F)functions[268];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, a7);
}

static int cudnnSetRNNDescriptor_v6(uintptr_t a0, uintptr_t a1, int a2, int a3, uintptr_t a4, int a5, int a6, int a7, int a8, int a9)
{
    typedef int (*F)(void *, void *, int, int, void *, int, int, int, int, int);
    F f = (F)functions[269];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, a3, (void *)a4, a5, a6, a7, a8, a9);
}

static int cudnnSetRNNDescriptor_v8(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9, int a10, int a11, int a12, uintptr_t a13, unsigned int a14)
{
    typedef int (*F)(void *, int, int, int, int, int, int, int, int, int, int, int, int, void *, unsigned int);
    F f = (F)functions[270];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, (void *)a13, a14);
}

static int cudnnSetRNNMatrixMathType(uintptr_t a0, int a1)
{
    typedef int (*F)(void *, int);
    F f = (F)functions[271];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetRNNPaddingMode(uintptr_t a0, unsigned int a1)
{
    typedef int (*F)(void *, unsigned int);
    F f = (F)functions[272];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1);
}

static int cudnnSetRNNProjectionLayers(uintptr_t a0, uintptr_t a1, int a2, int a3)
{
    typedef int (*F)(void *, void *, int, int);
    F f = (F)functions[273];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, a2, a3);
}

static int cudnnSetReduceTensorDescriptor(uintptr_t a0, int a1, int a2, int a3, int a4, int a5)
{
    typedef int (*F)(void *, int, int, int, int, int);
    F f = (F)functions[274];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5);
}

static int cudnnSetSeqDataDescriptor(uintptr_t a0, int a1, int a2, void *a3, void *a4, uint64_t a5, void *a6, void *a7)
{
    typedef int (*F)(void *, int, int, void *, void *, uint64_t, void *, void *);
    F f = (F)functions[275];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, a7);
}

static int cudnnSetSpatialTransformerNdDescriptor(uintptr_t a0, int a1, int a2, int a3, void *a4)
{
    typedef int (*F)(void *, int, int, int, void *);
    F f = (F)functions[276];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetStream(uintptr_t a0, uintptr_t a1)
{
    typedef int (*F)(void *, void *);
    F f = (F)functions[277];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, (void *)a1);
}

static int cudnnSetTensor(uintptr_t a0, uintptr_t a1, uintptr_t a2, double a3)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[278];
    union factor f3;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    int is_double = data_type_of(functions[186], a1) == 1;
    scale(&f3, a3, is_double);
    return f((void *)a0, (void *)a1, (void *)a2, &f3);
}

static int cudnnSetTensor4dDescriptor(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, int a6)
{
    typedef int (*F)(void *, int, int, int, int, int, int);
    F f = (F)functions[279];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6);
}

static int cudnnSetTensor4dDescriptorEx(uintptr_t a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9)
{
    typedef int (*F)(void *, int, int, int, int, int, int, int, int, int);
    F f = (F)functions[280];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
}

static int cudnnSetTensorNdDescriptor(uintptr_t a0, int a1, int a2, void *a3, void *a4)
{
    typedef int (*F)(void *, int, int, void *, void *);
    F f = (F)functions[281];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetTensorNdDescriptorEx(uintptr_t a0, int a1, int a2, int a3, void *a4)
{
    typedef int (*F)(void *, int, int, int, void *);
    F f = (F)functions[282];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4);
}

static int cudnnSetTensorTransformDescriptor(uintptr_t a0, unsigned int a1, int a2, void *a3, void *a4, void *a5, int a6)
{
    typedef int (*F)(void *, unsigned int, int, void *, void *, void *, int);
    F f = (F)functions[283];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    return f((void *)a0, a1, a2, a3, a4, a5, a6);
}

static int cudnnSoftmaxBackward(uintptr_t a0, int a1, int a2, double a3, uintptr_t a4, uintptr_t a5, uintptr_t a6, uintptr_t a7, double a8, uintptr_t a9, uintptr_t a10)
{
    typedef int (*F)(void *, int, int, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[284];
    union factor f3;
    union factor f8;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a9) return NULL_ARGUMENT(9);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f3, a3, is_double);
    scale(&f8, a8, is_double);
    return f((void *)a0, a1, a2, &f3, (void *)a4, (void *)a5, (void *)a6, (void *)a7, &f8, (void *)a9, (void *)a10);
}

static int cudnnSoftmaxForward(uintptr_t a0, int a1, int a2, double a3, uintptr_t a4, uintptr_t a5, double a6, uintptr_t a7, uintptr_t a8)
{
    typedef int (*F)(void *, int, int, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[285];
    union factor f3;
    union factor f6;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a4) return NULL_ARGUMENT(4);
    if (!a7) return NULL_ARGUMENT(7);
    int is_double = data_type_of(functions[186], a4) == 1;
    scale(&f3, a3, is_double);
    scale(&f6, a6, is_double);
    return f((void *)a0, a1, a2, &f3, (void *)a4, (void *)a5, &f6, (void *)a7, (void *)a8);
}

static int cudnnSpatialTfGridGeneratorBackward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[286];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3);
}

static int cudnnSpatialTfGridGeneratorForward(uintptr_t a0, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
    typedef int (*F)(void *, void *, void *, void *);
    F f = (F)functions[287];
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    return f((void *)a0, (void *)a1, (void *)a2, (void *)a3);
}

static int cudnnSpatialTfSamplerBackward(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, double a5, uintptr_t a6, uintptr_t a7, double a8, uintptr_t a9, uintptr_t a10, uintptr_t a11, double a12, uintptr_t a13)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[288];
    union factor f2;
    union factor f5;
    union factor f8;
    union factor f12;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    if (!a9) return NULL_ARGUMENT(9);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f5, a5, is_double);
    scale(&f8, a8, is_double);
    scale(&f12, a12, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, &f5, (void *)a6, (void *)a7, &f8, (void *)a9, (void *)a10, (void *)a11, &f12, (void *)a13);
}

static int cudnnSpatialTfSamplerForward(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, uintptr_t a5, double a6, uintptr_t a7, uintptr_t a8)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[289];
    union factor f2;
    union factor f6;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a7) return NULL_ARGUMENT(7);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f6, a6, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, (void *)a5, &f6, (void *)a7, (void *)a8);
}

static int cudnnSubquadraticOpsVersionCheck(void)
{
    typedef int (*F)(void);
    F f = (F)functions[290];
    if (!f) return NOT_BOUND;
    return f();
}

static int cudnnTransformFilter(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, double a5, uintptr_t a6, uintptr_t a7)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[291];
    union factor f2;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    int is_double = data_type_of(functions[142], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, &f5, (void *)a6, (void *)a7);
}

static int cudnnTransformTensor(uintptr_t a0, double a1, uintptr_t a2, uintptr_t a3, double a4, uintptr_t a5, uintptr_t a6)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[292];
    union factor f1;
    union factor f4;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a2) return NULL_ARGUMENT(2);
    if (!a5) return NULL_ARGUMENT(5);
    int is_double = data_type_of(functions[186], a2) == 1;
    scale(&f1, a1, is_double);
    scale(&f4, a4, is_double);
    return f((void *)a0, &f1, (void *)a2, (void *)a3, &f4, (void *)a5, (void *)a6);
}

static int cudnnTransformTensorEx(uintptr_t a0, uintptr_t a1, double a2, uintptr_t a3, uintptr_t a4, double a5, uintptr_t a6, uintptr_t a7)
{
    typedef int (*F)(void *, void *, void *, void *, void *, void *, void *, void *);
    F f = (F)functions[293];
    union factor f2;
    union factor f5;
    if (!f) return NOT_BOUND;
    if (!a0) return NULL_ARGUMENT(0);
    if (!a1) return NULL_ARGUMENT(1);
    if (!a3) return NULL_ARGUMENT(3);
    if (!a6) return NULL_ARGUMENT(6);
    int is_double = data_type_of(functions[186], a3) == 1;
    scale(&f2, a2, is_double);
    scale(&f5, a5, is_double);
    return f((void *)a0, (void *)a1, &f2, (void *)a3, (void *)a4, &f5, (void *)a6, (void *)a7);
}

static PyObject *py_cudnnActivationBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    double a9;
    uintptr_t a10;
    uintptr_t a11;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_factor(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 5, arguments[5], &a5) || to_object(self, 7, arguments[7], &a7) || to_object(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnActivationBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnActivationForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnActivationForward(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnAddTensor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    double a4;
    uintptr_t a5;
    uintptr_t a6;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 5, arguments[5], &a5)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnAddTensor(a0, a1, a2, a3, a4, a5, a6);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnAdvInferVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnAdvInferVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnAdvTrainVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnAdvTrainVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnAdvVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnAdvVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnB2BCausalConv1dBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    int a11;
    int a12;
    int a13;
    int a14;
    int a15;
    int a16;
    int a17;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_int(arguments[11], &a11) || to_int(arguments[12], &a12) || to_int(arguments[13], &a13) || to_int(arguments[14], &a14) || to_int(arguments[15], &a15) || to_enum(self, 16, arguments[16], &a16) || to_enum(self, 17, arguments[17], &a17)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnB2BCausalConv1dBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnB2BCausalConv1dForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int a11;
    int a12;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_int(arguments[10], &a10) || to_int(arguments[11], &a11) || to_enum(self, 12, arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnB2BCausalConv1dForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBackendCreateDescriptor(struct function *self, PyObject *const *arguments)
{
    int a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendCreateDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnBackendDestroyDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendDestroyDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBackendExecute(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendExecute(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBackendFinalize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendFinalize(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBackendInitialize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendInitialize(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBackendPopulateCudaGraph(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int status;
    PyThreadState *thread;
    if (to_address(arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendPopulateCudaGraph(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBackendUpdateCudaGraph(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int status;
    PyThreadState *thread;
    if (to_address(arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBackendUpdateCudaGraph(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBatchNormalizationBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    double a2;
    double a3;
    double a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    double a16;
    uintptr_t a17;
    uintptr_t a18;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_factor(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 14, arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_double(arguments[16], &a16) || to_memory(self, 17, arguments[17], &a17) || to_memory(self, 18, arguments[18], &a18) || to_object(self, 0, arguments[0], &a0) || to_object(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8) || to_object(self, 10, arguments[10], &a10) || to_object(self, 12, arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBatchNormalizationBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBatchNormalizationBackwardEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    double a3;
    double a4;
    double a5;
    double a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    double a22;
    uintptr_t a23;
    uintptr_t a24;
    uintptr_t a25;
    uintptr_t a26;
    uint64_t a27;
    uintptr_t a28;
    uint64_t a29;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_factor(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 14, arguments[14], &a14) || to_memory(self, 16, arguments[16], &a16) || to_memory(self, 18, arguments[18], &a18) || to_memory(self, 19, arguments[19], &a19) || to_memory(self, 20, arguments[20], &a20) || to_memory(self, 21, arguments[21], &a21) || to_double(arguments[22], &a22) || to_memory(self, 23, arguments[23], &a23) || to_memory(self, 24, arguments[24], &a24) || to_memory(self, 26, arguments[26], &a26) || to_uint64(arguments[27], &a27) || to_memory(self, 28, arguments[28], &a28) || to_uint64(arguments[29], &a29) || to_object(self, 0, arguments[0], &a0) || to_object(self, 7, arguments[7], &a7) || to_object_or_null(self, 9, arguments[9], &a9) || to_object(self, 11, arguments[11], &a11) || to_object_or_null(self, 13, arguments[13], &a13) || to_object(self, 15, arguments[15], &a15) || to_object(self, 17, arguments[17], &a17) || to_object_or_null(self, 25, arguments[25], &a25)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBatchNormalizationBackwardEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBatchNormalizationForwardInference(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    double a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    double a13;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_factor(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_double(arguments[13], &a13) || to_object(self, 0, arguments[0], &a0) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBatchNormalizationForwardInference(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBatchNormalizationForwardTraining(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    double a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    double a11;
    uintptr_t a12;
    uintptr_t a13;
    double a14;
    uintptr_t a15;
    uintptr_t a16;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_factor(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_double(arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_double(arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 16, arguments[16], &a16) || to_object(self, 0, arguments[0], &a0) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBatchNormalizationForwardTraining(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBatchNormalizationForwardTrainingEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    double a3;
    double a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    double a14;
    uintptr_t a15;
    uintptr_t a16;
    double a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    uint64_t a22;
    uintptr_t a23;
    uint64_t a24;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_double(arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 16, arguments[16], &a16) || to_double(arguments[17], &a17) || to_memory(self, 18, arguments[18], &a18) || to_memory(self, 19, arguments[19], &a19) || to_memory(self, 21, arguments[21], &a21) || to_uint64(arguments[22], &a22) || to_memory(self, 23, arguments[23], &a23) || to_uint64(arguments[24], &a24) || to_object(self, 0, arguments[0], &a0) || to_object(self, 5, arguments[5], &a5) || to_object_or_null(self, 7, arguments[7], &a7) || to_object(self, 9, arguments[9], &a9) || to_object(self, 11, arguments[11], &a11) || to_object_or_null(self, 20, arguments[20], &a20)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBatchNormalizationForwardTrainingEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnBuildRNNDynamic(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    int status;
    PyThreadState *thread;
    if (to_int(arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnBuildRNNDynamic(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCTCLoss_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uint64_t a11;
    uintptr_t a12;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_uint64(arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3) || to_object_or_null(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCTCLoss_v8(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCausalConv1dBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    int a8;
    int a9;
    int a10;
    int a11;
    int a12;
    int a13;
    int a14;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_int(arguments[10], &a10) || to_int(arguments[11], &a11) || to_enum(self, 12, arguments[12], &a12) || to_enum(self, 13, arguments[13], &a13) || to_enum(self, 14, arguments[14], &a14)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCausalConv1dBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCausalConv1dForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_enum(self, 9, arguments[9], &a9) || to_enum(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCausalConv1dForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCausalConv1dNwhBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    int a8;
    int a9;
    int a10;
    int a11;
    int a12;
    int a13;
    int a14;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_int(arguments[10], &a10) || to_int(arguments[11], &a11) || to_enum(self, 12, arguments[12], &a12) || to_enum(self, 13, arguments[13], &a13) || to_enum(self, 14, arguments[14], &a14)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCausalConv1dNwhBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCausalConv1dNwhForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_enum(self, 9, arguments[9], &a9) || to_enum(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCausalConv1dNwhForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCnnInferVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCnnInferVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCnnTrainVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCnnTrainVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCnnVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCnnVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnConvolutionBackwardBias(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    double a4;
    uintptr_t a5;
    uintptr_t a6;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 5, arguments[5], &a5)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnConvolutionBackwardBias(a0, a1, a2, a3, a4, a5, a6);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnConvolutionBackwardData(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    uintptr_t a8;
    uint64_t a9;
    double a10;
    uintptr_t a11;
    uintptr_t a12;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_enum(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_uint64(arguments[9], &a9) || to_factor(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnConvolutionBackwardData(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnConvolutionBackwardFilter(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    uintptr_t a8;
    uint64_t a9;
    double a10;
    uintptr_t a11;
    uintptr_t a12;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_enum(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_uint64(arguments[9], &a9) || to_factor(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnConvolutionBackwardFilter(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnConvolutionBiasActivationForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    uintptr_t a8;
    uint64_t a9;
    double a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_enum(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_uint64(arguments[9], &a9) || to_factor(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 14, arguments[14], &a14) || to_memory(self, 17, arguments[17], &a17) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 11, arguments[11], &a11) || to_object(self, 13, arguments[13], &a13) || to_object(self, 15, arguments[15], &a15) || to_object(self, 16, arguments[16], &a16)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnConvolutionBiasActivationForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnConvolutionForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    uintptr_t a8;
    uint64_t a9;
    double a10;
    uintptr_t a11;
    uintptr_t a12;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_enum(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_uint64(arguments[9], &a9) || to_factor(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnConvolutionForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCopyAlgorithmDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCopyAlgorithmDescriptor(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnCreateActivationDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateActivationDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateAlgorithmDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateAlgorithmDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateAttnDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateAttnDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateCTCLossDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateCTCLossDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateConvolutionDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateConvolutionDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateDropoutDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateDropoutDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateFilterDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateFilterDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateFusedOpsConstParamPack(struct function *self, PyObject *const *arguments)
{
    int a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 0, arguments[0], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCreateFusedOpsConstParamPack(a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateFusedOpsPlan(struct function *self, PyObject *const *arguments)
{
    int a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 0, arguments[0], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCreateFusedOpsPlan(a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateFusedOpsVariantParamPack(struct function *self, PyObject *const *arguments)
{
    int a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 0, arguments[0], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCreateFusedOpsVariantParamPack(a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateLRNDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateLRNDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateOpTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateOpTensorDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreatePersistentRNNPlan(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_int(arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnCreatePersistentRNNPlan(a0, a1, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreatePoolingDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreatePoolingDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateRNNDataDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateRNNDataDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateRNNDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateRNNDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateReduceTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateReduceTensorDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateSeqDataDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateSeqDataDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateSpatialTransformerDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateSpatialTransformerDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateTensorDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnCreateTensorTransformDescriptor(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnCreateTensorTransformDescriptor((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnDeriveBNTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDeriveBNTensorDescriptor(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDeriveNormTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int a3;
    int a4;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 3, arguments[3], &a3) || to_int(arguments[4], &a4) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDeriveNormTensorDescriptor(a0, a1, a2, a3, a4);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroy(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroy(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyActivationDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyActivationDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyAlgorithmDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyAlgorithmDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyAttnDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyAttnDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyCTCLossDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyCTCLossDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyConvolutionDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyConvolutionDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyDropoutDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyDropoutDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyFilterDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyFilterDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyFusedOpsConstParamPack(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyFusedOpsConstParamPack(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyFusedOpsPlan(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyFusedOpsPlan(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyFusedOpsVariantParamPack(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyFusedOpsVariantParamPack(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyLRNDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyLRNDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyOpTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyOpTensorDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyPersistentRNNPlan(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyPersistentRNNPlan(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyPoolingDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyPoolingDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyRNNDataDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyRNNDataDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyRNNDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyRNNDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyReduceTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyReduceTensorDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroySeqDataDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroySeqDataDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroySpatialTransformerDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroySpatialTransformerDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyTensorDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDestroyTensorTransformDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDestroyTensorTransformDescriptor(a0);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDivisiveNormalizationBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    double a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_factor(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 4, arguments[4], &a4) || to_object(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDivisiveNormalizationBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDivisiveNormalizationForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    double a9;
    uintptr_t a10;
    uintptr_t a11;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_factor(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 4, arguments[4], &a4) || to_object(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDivisiveNormalizationForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDropoutBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uint64_t a7;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_uint64(arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDropoutBackward(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDropoutForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uint64_t a7;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_uint64(arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDropoutForward(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnDropoutGetReserveSpaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDropoutGetReserveSpaceSize(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnDropoutGetStatesSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnDropoutGetStatesSize(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnFFTCausalConv1dBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    int a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_enum(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnFFTCausalConv1dBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnFFTCausalConv1dForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_enum(self, 8, arguments[8], &a8)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnFFTCausalConv1dForward(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnFusedOpsExecute(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnFusedOpsExecute(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGetActivationDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[3];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetActivationDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqd", 3);
}

static PyObject *py_cudnnGetActivationDescriptorSwishBeta(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetActivationDescriptorSwishBeta(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "d", 1);
}

static PyObject *py_cudnnGetAlgorithmPerformance(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_address(arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetAlgorithmPerformance(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "QqdQ", 4);
}

static PyObject *py_cudnnGetAlgorithmSpaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetAlgorithmSpaceSize(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetAttnDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[19];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetAttnDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqdqqqQQqqqqqqqqqqq", 19);
}

static PyObject *py_cudnnGetBatchNormalizationBackwardExWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object(self, 3, arguments[3], &a3) || to_object_or_null(self, 4, arguments[4], &a4) || to_object(self, 5, arguments[5], &a5) || to_object_or_null(self, 6, arguments[6], &a6) || to_object(self, 7, arguments[7], &a7) || to_object(self, 8, arguments[8], &a8) || to_object_or_null(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetBatchNormalizationBackwardExWorkspaceSize(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object(self, 3, arguments[3], &a3) || to_object_or_null(self, 4, arguments[4], &a4) || to_object(self, 5, arguments[5], &a5) || to_object(self, 6, arguments[6], &a6) || to_object_or_null(self, 7, arguments[7], &a7)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(a0, a1, a2, a3, a4, a5, a6, a7, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetBatchNormalizationTrainingExReserveSpaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object_or_null(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetBatchNormalizationTrainingExReserveSpaceSize(a0, a1, a2, a3, a4, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetCTCLossDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetCTCLossDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetCTCLossDescriptorEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[3];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetCTCLossDescriptorEx(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqq", 3);
}

static PyObject *py_cudnnGetCTCLossDescriptor_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetCTCLossDescriptor_v8(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqq", 4);
}

static PyObject *py_cudnnGetCTCLossDescriptor_v9(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetCTCLossDescriptor_v9(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqq", 4);
}

static PyObject *py_cudnnGetCTCLossWorkspaceSize_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3) || to_object_or_null(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetCTCLossWorkspaceSize_v8(a0, a1, a2, a3, a4, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetCallback(struct function *self, PyObject *const *arguments)
{
    int64_t out[3];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnGetCallback((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qQQ", 3);
}

static PyObject *py_cudnnGetConvolution2dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[8];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolution2dDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqqqqqq", 8);
}

static PyObject *py_cudnnGetConvolution2dForwardOutputDim(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolution2dForwardOutputDim(a0, a1, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqq", 4);
}

static PyObject *py_cudnnGetConvolutionBackwardDataAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionBackwardDataAlgorithmMaxCount(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetConvolutionBackwardDataWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 5, arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionBackwardDataWorkspaceSize(a0, a1, a2, a3, a4, a5, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetConvolutionBackwardFilterWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 5, arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionBackwardFilterWorkspaceSize(a0, a1, a2, a3, a4, a5, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetConvolutionForwardAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionForwardAlgorithmMaxCount(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetConvolutionForwardWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 5, arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionForwardWorkspaceSize(a0, a1, a2, a3, a4, a5, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetConvolutionGroupCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionGroupCount(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetConvolutionMathType(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionMathType(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetConvolutionReorderType(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetConvolutionReorderType(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetCudartVersion(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnGetCudartVersion((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetDropoutDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[3];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetDropoutDescriptor(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "dQQ", 3);
}

static PyObject *py_cudnnGetExecutionPlanWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetExecutionPlanWorkspaceSize(a0, a1, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetFilter4dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[6];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetFilter4dDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqqqq", 6);
}

static PyObject *py_cudnnGetFilterSizeInBytes(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetFilterSizeInBytes(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetFoldedConvBackwardDataDescriptors(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 5, arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 7, arguments[7], &a7) || to_object(self, 8, arguments[8], &a8) || to_object(self, 9, arguments[9], &a9) || to_object(self, 10, arguments[10], &a10) || to_object(self, 11, arguments[11], &a11) || to_object(self, 12, arguments[12], &a12) || to_object(self, 13, arguments[13], &a13)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetFoldedConvBackwardDataDescriptors(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGetFusedOpsConstParamPackAttribute(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    uintptr_t a2;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_address(arguments[2], &a2) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetFusedOpsConstParamPackAttribute(a0, a1, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetFusedOpsVariantParamPackAttribute(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_address(arguments[2], &a2) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetFusedOpsVariantParamPackAttribute(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGetLRNDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetLRNDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qddd", 4);
}

static PyObject *py_cudnnGetMaxDeviceVersion(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnGetMaxDeviceVersion((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetMultiHeadAttnBuffers(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[3];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetMultiHeadAttnBuffers(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "QQQ", 3);
}

static PyObject *py_cudnnGetMultiHeadAttnWeights(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uint64_t a3;
    uintptr_t a4;
    uintptr_t a5;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_uint64(arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 5, arguments[5], &a5)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetMultiHeadAttnWeights(a0, a1, a2, a3, a4, a5, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetNormalizationBackwardWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    int a13;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_int(arguments[12], &a13) || to_object(self, 0, arguments[0], &a0) || to_object(self, 4, arguments[4], &a4) || to_object_or_null(self, 5, arguments[5], &a5) || to_object(self, 6, arguments[6], &a6) || to_object_or_null(self, 7, arguments[7], &a7) || to_object(self, 8, arguments[8], &a8) || to_object(self, 9, arguments[9], &a9) || to_object_or_null(self, 10, arguments[10], &a10) || to_object(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetNormalizationBackwardWorkspaceSize(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a13, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetNormalizationForwardTrainingWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    int a11;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_int(arguments[10], &a11) || to_object(self, 0, arguments[0], &a0) || to_object(self, 4, arguments[4], &a4) || to_object_or_null(self, 5, arguments[5], &a5) || to_object(self, 6, arguments[6], &a6) || to_object(self, 7, arguments[7], &a7) || to_object_or_null(self, 8, arguments[8], &a8) || to_object(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetNormalizationForwardTrainingWorkspaceSize(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a11, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetNormalizationTrainingReserveSpaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    uintptr_t a4;
    uintptr_t a5;
    int a7;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_int(arguments[6], &a7) || to_object(self, 0, arguments[0], &a0) || to_object_or_null(self, 4, arguments[4], &a4) || to_object(self, 5, arguments[5], &a5)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetNormalizationTrainingReserveSpaceSize(a0, a1, a2, a3, a4, a5, a7, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetOpTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[3];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetOpTensorDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqq", 3);
}

static PyObject *py_cudnnGetPooling2dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[8];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetPooling2dDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqqqqqq", 8);
}

static PyObject *py_cudnnGetPooling2dForwardOutputDim(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetPooling2dForwardOutputDim(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqq", 4);
}

static PyObject *py_cudnnGetProperty(struct function *self, PyObject *const *arguments)
{
    int a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetProperty(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNBackwardDataAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNBackwardDataAlgorithmMaxCount(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNBackwardWeightsAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNBackwardWeightsAlgorithmMaxCount(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNBiasMode(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNBiasMode(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNDescriptor_v6(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[8];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNDescriptor_v6(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqQqqqqq", 8);
}

static PyObject *py_cudnnGetRNNDescriptor_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[14];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNDescriptor_v8(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqqqqqqqqqqQq", 14);
}

static PyObject *py_cudnnGetRNNForwardInferenceAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNForwardInferenceAlgorithmMaxCount(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNForwardTrainingAlgorithmMaxCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNForwardTrainingAlgorithmMaxCount(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNLinLayerBiasParams(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    int a6;
    uintptr_t a7;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_int(arguments[2], &a2) || to_memory(self, 5, arguments[5], &a5) || to_int(arguments[6], &a6) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4) || to_object(self, 7, arguments[7], &a7)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNLinLayerBiasParams(a0, a1, a2, a3, a4, a5, a6, a7, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetRNNLinLayerMatrixParams(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    int a6;
    uintptr_t a7;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_int(arguments[2], &a2) || to_memory(self, 5, arguments[5], &a5) || to_int(arguments[6], &a6) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4) || to_object(self, 7, arguments[7], &a7)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNLinLayerMatrixParams(a0, a1, a2, a3, a4, a5, a6, a7, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetRNNMatrixMathType(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNMatrixMathType(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNPaddingMode(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNPaddingMode(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnGetRNNParamsSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int a4;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 3, arguments[3], &a4) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNParamsSize(a0, a1, a2, a4, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetRNNProjectionLayers(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[2];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNProjectionLayers(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qq", 2);
}

static PyObject *py_cudnnGetRNNTempSpaceSizes(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    int64_t out[2];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNTempSpaceSizes(a0, a1, a2, a3, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "QQ", 2);
}

static PyObject *py_cudnnGetRNNWeightParams(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uint64_t a3;
    uintptr_t a4;
    int a5;
    uintptr_t a6;
    uintptr_t a8;
    int64_t out[2];
    int status;
    PyThreadState *thread;
    if (to_int(arguments[2], &a2) || to_uint64(arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_int(arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 6, arguments[6], &a6) || to_object(self, 7, arguments[7], &a8)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNWeightParams(a0, a1, a2, a3, a4, a5, a6, a8, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "QQ", 2);
}

static PyObject *py_cudnnGetRNNWeightSpaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetRNNWeightSpaceSize(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetReduceTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[5];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetReduceTensorDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqqq", 5);
}

static PyObject *py_cudnnGetReductionIndicesSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetReductionIndicesSize(a0, a1, a2, a3, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetReductionWorkspaceSize(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 3, arguments[3], &a3)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetReductionWorkspaceSize(a0, a1, a2, a3, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetStream(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetStream(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetTensor4dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[9];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetTensor4dDescriptor(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqqqqqqqq", 9);
}

static PyObject *py_cudnnGetTensorSizeInBytes(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGetTensorSizeInBytes(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGetVersion(struct function *self, PyObject *const *arguments)
{
    int64_t out[1];
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnGetVersion((uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnGnnAggSimpleBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int a11;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_address(arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_enum(self, 10, arguments[10], &a10) || to_enum(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGnnAggSimpleBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGnnAggSimpleForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int a11;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_address(arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_enum(self, 10, arguments[10], &a10) || to_enum(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGnnAggSimpleForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGnnMhaGatBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    int a17;
    int a18;
    uintptr_t a19;
    int a20;
    int a21;
    int a22;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_address(arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 14, arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 16, arguments[16], &a16) || to_int(arguments[17], &a17) || to_int(arguments[18], &a18) || to_address(arguments[19], &a19) || to_enum(self, 20, arguments[20], &a20) || to_enum(self, 21, arguments[21], &a21) || to_enum(self, 22, arguments[22], &a22)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGnnMhaGatBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGnnMhaGatForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    int a9;
    int a10;
    uintptr_t a11;
    int a12;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_address(arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_int(arguments[9], &a9) || to_int(arguments[10], &a10) || to_address(arguments[11], &a11) || to_enum(self, 12, arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGnnMhaGatForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGnnMhaGatV2Backward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    int a18;
    uintptr_t a19;
    int a20;
    int a21;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_address(arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 14, arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 16, arguments[16], &a16) || to_memory(self, 17, arguments[17], &a17) || to_int(arguments[18], &a18) || to_address(arguments[19], &a19) || to_enum(self, 20, arguments[20], &a20) || to_enum(self, 21, arguments[21], &a21)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGnnMhaGatV2Backward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGnnMhaGatV2Forward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    int a10;
    uintptr_t a11;
    int a12;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_address(arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_int(arguments[10], &a10) || to_address(arguments[11], &a11) || to_enum(self, 12, arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnGnnMhaGatV2Forward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnGraphVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnGraphVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnIm2Col(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_memory(self, 5, arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnIm2Col(a0, a1, a2, a3, a4, a5);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnInitTransformDest(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnInitTransformDest(a0, a1, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnLRNCrossChannelBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    double a10;
    uintptr_t a11;
    uintptr_t a12;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_factor(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8) || to_object(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnLRNCrossChannelBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnLRNCrossChannelForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    double a6;
    uintptr_t a7;
    uintptr_t a8;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_factor(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 4, arguments[4], &a4) || to_object(self, 7, arguments[7], &a7)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnLRNCrossChannelForward(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnLongFFTCausalConv1dBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    uintptr_t a9;
    uint64_t a10;
    uintptr_t a11;
    uint64_t a12;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_enum(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_uint64(arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_uint64(arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnLongFFTCausalConv1dBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnLongFFTCausalConv1dForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    uintptr_t a9;
    uint64_t a10;
    uintptr_t a11;
    uint64_t a12;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 0, arguments[0], &a0) || to_memory(self, 1, arguments[1], &a1) || to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_enum(self, 8, arguments[8], &a8) || to_memory(self, 9, arguments[9], &a9) || to_uint64(arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_uint64(arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnLongFFTCausalConv1dForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnLongFFTCausalConv1dGetBufferSizes(struct function *self, PyObject *const *arguments)
{
    int a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int64_t out[2];
    int status;
    PyThreadState *thread;
    if (to_int(arguments[0], &a0) || to_int(arguments[1], &a1) || to_int(arguments[2], &a2) || to_int(arguments[3], &a3) || to_enum(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnLongFFTCausalConv1dGetBufferSizes(a0, a1, a2, a3, a4, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "QQ", 2);
}

static PyObject *py_cudnnMakeFusedOpsPlan(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnMakeFusedOpsPlan(a0, a1, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "Q", 1);
}

static PyObject *py_cudnnMultiHeadAttnBackwardWeights(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uint64_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uint64_t a14;
    uintptr_t a15;
    uint64_t a16;
    uintptr_t a17;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_uint64(arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_uint64(arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_uint64(arguments[16], &a16) || to_memory(self, 17, arguments[17], &a17) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 5, arguments[5], &a5) || to_object(self, 7, arguments[7], &a7) || to_object(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnMultiHeadAttnBackwardWeights(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnNormalizationBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    double a4;
    double a5;
    double a6;
    double a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    uintptr_t a22;
    double a23;
    uintptr_t a24;
    uintptr_t a25;
    uintptr_t a26;
    uintptr_t a27;
    uintptr_t a28;
    uint64_t a29;
    uintptr_t a30;
    uint64_t a31;
    int a32;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_factor(self, 6, arguments[6], &a6) || to_factor(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 17, arguments[17], &a17) || to_memory(self, 19, arguments[19], &a19) || to_memory(self, 20, arguments[20], &a20) || to_memory(self, 21, arguments[21], &a21) || to_memory(self, 22, arguments[22], &a22) || to_double(arguments[23], &a23) || to_memory(self, 25, arguments[25], &a25) || to_memory(self, 26, arguments[26], &a26) || to_memory(self, 28, arguments[28], &a28) || to_uint64(arguments[29], &a29) || to_memory(self, 30, arguments[30], &a30) || to_uint64(arguments[31], &a31) || to_int(arguments[32], &a32) || to_object(self, 0, arguments[0], &a0) || to_object(self, 8, arguments[8], &a8) || to_object_or_null(self, 10, arguments[10], &a10) || to_object(self, 12, arguments[12], &a12) || to_object_or_null(self, 14, arguments[14], &a14) || to_object(self, 16, arguments[16], &a16) || to_object(self, 18, arguments[18], &a18) || to_object(self, 24, arguments[24], &a24) || to_object_or_null(self, 27, arguments[27], &a27)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnNormalizationBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnNormalizationForwardInference(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    double a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    double a19;
    int a20;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 18, arguments[18], &a18) || to_double(arguments[19], &a19) || to_int(arguments[20], &a20) || to_object(self, 0, arguments[0], &a0) || to_object(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8) || to_object(self, 11, arguments[11], &a11) || to_object_or_null(self, 14, arguments[14], &a14) || to_object_or_null(self, 16, arguments[16], &a16) || to_object(self, 17, arguments[17], &a17)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnNormalizationForwardInference(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnNormalizationForwardTraining(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    double a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    double a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    double a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    uintptr_t a22;
    uintptr_t a23;
    uint64_t a24;
    uintptr_t a25;
    uint64_t a26;
    int a27;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_double(arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 14, arguments[14], &a14) || to_double(arguments[15], &a15) || to_memory(self, 16, arguments[16], &a16) || to_memory(self, 17, arguments[17], &a17) || to_memory(self, 20, arguments[20], &a20) || to_memory(self, 22, arguments[22], &a22) || to_memory(self, 23, arguments[23], &a23) || to_uint64(arguments[24], &a24) || to_memory(self, 25, arguments[25], &a25) || to_uint64(arguments[26], &a26) || to_int(arguments[27], &a27) || to_object(self, 0, arguments[0], &a0) || to_object(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8) || to_object(self, 12, arguments[12], &a12) || to_object_or_null(self, 18, arguments[18], &a18) || to_object_or_null(self, 19, arguments[19], &a19) || to_object(self, 21, arguments[21], &a21)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnNormalizationForwardTraining(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnOpTensor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    double a8;
    uintptr_t a9;
    uintptr_t a10;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_factor(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6) || to_object(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnOpTensor(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnOpsInferVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnOpsInferVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnOpsTrainVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnOpsTrainVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnOpsVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnOpsVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnPoolingBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    double a9;
    uintptr_t a10;
    uintptr_t a11;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_factor(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 5, arguments[5], &a5) || to_object(self, 7, arguments[7], &a7) || to_object(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnPoolingBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnPoolingForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnPoolingForward(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnQueryRuntimeError(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a2;
    int64_t out[1];
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a2) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnQueryRuntimeError(a0, a2, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "q", 1);
}

static PyObject *py_cudnnRNNBackwardDataEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    uintptr_t a22;
    uintptr_t a23;
    uintptr_t a24;
    uintptr_t a25;
    uintptr_t a26;
    uint64_t a27;
    uintptr_t a28;
    uint64_t a29;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 17, arguments[17], &a17) || to_memory(self, 19, arguments[19], &a19) || to_memory(self, 21, arguments[21], &a21) || to_memory(self, 23, arguments[23], &a23) || to_memory(self, 25, arguments[25], &a25) || to_memory(self, 26, arguments[26], &a26) || to_uint64(arguments[27], &a27) || to_memory(self, 28, arguments[28], &a28) || to_uint64(arguments[29], &a29) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object(self, 4, arguments[4], &a4) || to_object_or_null(self, 6, arguments[6], &a6) || to_object_or_null(self, 8, arguments[8], &a8) || to_object_or_null(self, 10, arguments[10], &a10) || to_object(self, 12, arguments[12], &a12) || to_object_or_null(self, 14, arguments[14], &a14) || to_object_or_null(self, 16, arguments[16], &a16) || to_object(self, 18, arguments[18], &a18) || to_object_or_null(self, 20, arguments[20], &a20) || to_object_or_null(self, 22, arguments[22], &a22) || to_object_or_null(self, 24, arguments[24], &a24)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNBackwardDataEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNBackwardData_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uint64_t a16;
    uintptr_t a17;
    uint64_t a18;
    uintptr_t a19;
    uint64_t a20;
    uintptr_t a21;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 14, arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_uint64(arguments[16], &a16) || to_memory(self, 17, arguments[17], &a17) || to_uint64(arguments[18], &a18) || to_memory(self, 19, arguments[19], &a19) || to_uint64(arguments[20], &a20) || to_memory(self, 21, arguments[21], &a21) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6) || to_object_or_null(self, 8, arguments[8], &a8) || to_object_or_null(self, 12, arguments[12], &a12)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNBackwardData_v8(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNBackwardWeightsEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uint64_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uint64_t a13;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 8, arguments[8], &a8) || to_uint64(arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 12, arguments[12], &a12) || to_uint64(arguments[13], &a13) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object_or_null(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNBackwardWeightsEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNBackwardWeights_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uint64_t a10;
    uintptr_t a11;
    uint64_t a12;
    uintptr_t a13;
    uint64_t a14;
    uintptr_t a15;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_uint64(arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_uint64(arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_uint64(arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 4, arguments[4], &a4) || to_object_or_null(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNBackwardWeights_v8(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uint64_t a14;
    uintptr_t a15;
    uint64_t a16;
    uintptr_t a17;
    uint64_t a18;
    uintptr_t a19;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_uint64(arguments[14], &a14) || to_memory(self, 15, arguments[15], &a15) || to_uint64(arguments[16], &a16) || to_memory(self, 17, arguments[17], &a17) || to_uint64(arguments[18], &a18) || to_memory(self, 19, arguments[19], &a19) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object_or_null(self, 8, arguments[8], &a8) || to_object_or_null(self, 11, arguments[11], &a11)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNForward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNForwardInferenceEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    uintptr_t a22;
    uintptr_t a23;
    uintptr_t a24;
    uint64_t a25;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 17, arguments[17], &a17) || to_memory(self, 19, arguments[19], &a19) || to_memory(self, 21, arguments[21], &a21) || to_memory(self, 23, arguments[23], &a23) || to_memory(self, 24, arguments[24], &a24) || to_uint64(arguments[25], &a25) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object_or_null(self, 4, arguments[4], &a4) || to_object_or_null(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8) || to_object(self, 10, arguments[10], &a10) || to_object_or_null(self, 12, arguments[12], &a12) || to_object_or_null(self, 14, arguments[14], &a14) || to_object_or_null(self, 16, arguments[16], &a16) || to_object_or_null(self, 18, arguments[18], &a18) || to_object_or_null(self, 20, arguments[20], &a20) || to_object_or_null(self, 22, arguments[22], &a22)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNForwardInferenceEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNForwardTrainingEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    uintptr_t a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    uintptr_t a12;
    uintptr_t a13;
    uintptr_t a14;
    uintptr_t a15;
    uintptr_t a16;
    uintptr_t a17;
    uintptr_t a18;
    uintptr_t a19;
    uintptr_t a20;
    uintptr_t a21;
    uintptr_t a22;
    uintptr_t a23;
    uintptr_t a24;
    uint64_t a25;
    uintptr_t a26;
    uint64_t a27;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_memory(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_memory(self, 13, arguments[13], &a13) || to_memory(self, 15, arguments[15], &a15) || to_memory(self, 17, arguments[17], &a17) || to_memory(self, 19, arguments[19], &a19) || to_memory(self, 21, arguments[21], &a21) || to_memory(self, 23, arguments[23], &a23) || to_memory(self, 24, arguments[24], &a24) || to_uint64(arguments[25], &a25) || to_memory(self, 26, arguments[26], &a26) || to_uint64(arguments[27], &a27) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2) || to_object_or_null(self, 4, arguments[4], &a4) || to_object_or_null(self, 6, arguments[6], &a6) || to_object(self, 8, arguments[8], &a8) || to_object(self, 10, arguments[10], &a10) || to_object_or_null(self, 12, arguments[12], &a12) || to_object_or_null(self, 14, arguments[14], &a14) || to_object_or_null(self, 16, arguments[16], &a16) || to_object_or_null(self, 18, arguments[18], &a18) || to_object_or_null(self, 20, arguments[20], &a20) || to_object_or_null(self, 22, arguments[22], &a22)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNForwardTrainingEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNGetClip(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNGetClip(a0, a1, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqdd", 4);
}

static PyObject *py_cudnnRNNGetClip_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[4];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNGetClip_v8(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qqdd", 4);
}

static PyObject *py_cudnnRNNGetClip_v9(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int64_t out[3];
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNGetClip_v9(a0, (uintptr_t)out);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    return result(self, out, "qdd", 3);
}

static PyObject *py_cudnnRNNSetClip(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    int a3;
    double a4;
    double a5;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_double(arguments[4], &a4) || to_double(arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNSetClip(a0, a1, a2, a3, a4, a5);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNSetClip_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    double a3;
    double a4;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_double(arguments[3], &a3) || to_double(arguments[4], &a4) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNSetClip_v8(a0, a1, a2, a3, a4);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRNNSetClip_v9(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    double a2;
    double a3;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_double(arguments[2], &a2) || to_double(arguments[3], &a3) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRNNSetClip_v9(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnReduceTensor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uint64_t a3;
    uintptr_t a4;
    uint64_t a5;
    double a6;
    uintptr_t a7;
    uintptr_t a8;
    double a9;
    uintptr_t a10;
    uintptr_t a11;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_uint64(arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_uint64(arguments[5], &a5) || to_factor(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_factor(self, 9, arguments[9], &a9) || to_memory(self, 11, arguments[11], &a11) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 7, arguments[7], &a7) || to_object(self, 10, arguments[10], &a10)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnReduceTensor(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnReorderFilterAndBias(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    uintptr_t a3;
    uintptr_t a4;
    int a5;
    uintptr_t a6;
    uintptr_t a7;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_memory(self, 4, arguments[4], &a4) || to_int(arguments[5], &a5) || to_memory(self, 6, arguments[6], &a6) || to_memory(self, 7, arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnReorderFilterAndBias(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRestoreAlgorithm(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uint64_t a2;
    uintptr_t a3;
    int status;
    PyThreadState *thread;
    if (to_address(arguments[1], &a1) || to_uint64(arguments[2], &a2) || to_object(self, 0, arguments[0], &a0) || to_object(self, 3, arguments[3], &a3)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRestoreAlgorithm(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnRestoreDropoutDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    float a2;
    uintptr_t a3;
    uint64_t a4;
    uint64_t a5;
    int status;
    PyThreadState *thread;
    if (to_float(arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_uint64(arguments[4], &a4) || to_uint64(arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnRestoreDropoutDescriptor(a0, a1, a2, a3, a4, a5);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSaveAlgorithm(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uint64_t a3;
    int status;
    PyThreadState *thread;
    if (to_address(arguments[2], &a2) || to_uint64(arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSaveAlgorithm(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnScaleTensor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    double a3;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnScaleTensor(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetActivationDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    double a3;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_double(arguments[3], &a3) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetActivationDescriptor(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetActivationDescriptorSwishBeta(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    int status;
    PyThreadState *thread;
    if (to_double(arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetActivationDescriptorSwishBeta(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetAlgorithmPerformance(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    float a3;
    uint64_t a4;
    int status;
    PyThreadState *thread;
    if (to_address(arguments[0], &a0) || to_enum(self, 2, arguments[2], &a2) || to_float(arguments[3], &a3) || to_uint64(arguments[4], &a4) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetAlgorithmPerformance(a0, a1, a2, a3, a4);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetAttnDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    unsigned int a1;
    int a2;
    double a3;
    int a4;
    int a5;
    int a6;
    uintptr_t a7;
    uintptr_t a8;
    int a9;
    int a10;
    int a11;
    int a12;
    int a13;
    int a14;
    int a15;
    int a16;
    int a17;
    int a18;
    int a19;
    int status;
    PyThreadState *thread;
    if (to_unsigned(arguments[1], &a1) || to_int(arguments[2], &a2) || to_double(arguments[3], &a3) || to_enum(self, 4, arguments[4], &a4) || to_enum(self, 5, arguments[5], &a5) || to_enum(self, 6, arguments[6], &a6) || to_int(arguments[9], &a9) || to_int(arguments[10], &a10) || to_int(arguments[11], &a11) || to_int(arguments[12], &a12) || to_int(arguments[13], &a13) || to_int(arguments[14], &a14) || to_int(arguments[15], &a15) || to_int(arguments[16], &a16) || to_int(arguments[17], &a17) || to_int(arguments[18], &a18) || to_int(arguments[19], &a19) || to_object(self, 0, arguments[0], &a0) || to_object_or_null(self, 7, arguments[7], &a7) || to_object_or_null(self, 8, arguments[8], &a8)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetAttnDescriptor(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetCTCLossDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetCTCLossDescriptor(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetCTCLossDescriptorEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetCTCLossDescriptorEx(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetCTCLossDescriptor_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_int(arguments[4], &a4) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetCTCLossDescriptor_v8(a0, a1, a2, a3, a4);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetCTCLossDescriptor_v9(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_int(arguments[4], &a4) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetCTCLossDescriptor_v9(a0, a1, a2, a3, a4);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetCallback(struct function *self, PyObject *const *arguments)
{
    unsigned int a0;
    uintptr_t a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_unsigned(arguments[0], &a0) || to_address(arguments[1], &a1) || to_address(arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetCallback(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetConvolution2dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int status;
    PyThreadState *thread;
    if (to_int(arguments[1], &a1) || to_int(arguments[2], &a2) || to_int(arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_enum(self, 7, arguments[7], &a7) || to_enum(self, 8, arguments[8], &a8) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetConvolution2dDescriptor(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetConvolutionGroupCount(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int status;
    PyThreadState *thread;
    if (to_int(arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetConvolutionGroupCount(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetConvolutionMathType(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetConvolutionMathType(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetConvolutionReorderType(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetConvolutionReorderType(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetDropoutDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    float a2;
    uintptr_t a3;
    uint64_t a4;
    uint64_t a5;
    int status;
    PyThreadState *thread;
    if (to_float(arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_uint64(arguments[4], &a4) || to_uint64(arguments[5], &a5) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetDropoutDescriptor(a0, a1, a2, a3, a4, a5);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetFilter4dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int a6;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_int(arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetFilter4dDescriptor(a0, a1, a2, a3, a4, a5, a6);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetFusedOpsConstParamPackAttribute(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_address(arguments[2], &a2) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetFusedOpsConstParamPackAttribute(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetFusedOpsVariantParamPackAttribute(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_address(arguments[2], &a2) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetFusedOpsVariantParamPackAttribute(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetLRNDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    unsigned int a1;
    double a2;
    double a3;
    double a4;
    int status;
    PyThreadState *thread;
    if (to_unsigned(arguments[1], &a1) || to_double(arguments[2], &a2) || to_double(arguments[3], &a3) || to_double(arguments[4], &a4) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetLRNDescriptor(a0, a1, a2, a3, a4);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetOpTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetOpTensorDescriptor(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetPersistentRNNPlan(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetPersistentRNNPlan(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetPooling2dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_int(arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetPooling2dDescriptor(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNAlgorithmDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    int status;
    PyThreadState *thread;
    if (to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 2, arguments[2], &a2)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNAlgorithmDescriptor(a0, a1, a2);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNBiasMode(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNBiasMode(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNDescriptor_v6(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    int a3;
    uintptr_t a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int a9;
    int status;
    PyThreadState *thread;
    if (to_int(arguments[2], &a2) || to_int(arguments[3], &a3) || to_enum(self, 5, arguments[5], &a5) || to_enum(self, 6, arguments[6], &a6) || to_enum(self, 7, arguments[7], &a7) || to_enum(self, 8, arguments[8], &a8) || to_enum(self, 9, arguments[9], &a9) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object_or_null(self, 4, arguments[4], &a4)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNDescriptor_v6(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNDescriptor_v8(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int a9;
    int a10;
    int a11;
    int a12;
    uintptr_t a13;
    unsigned int a14;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_enum(self, 4, arguments[4], &a4) || to_enum(self, 5, arguments[5], &a5) || to_enum(self, 6, arguments[6], &a6) || to_enum(self, 7, arguments[7], &a7) || to_enum(self, 8, arguments[8], &a8) || to_int(arguments[9], &a9) || to_int(arguments[10], &a10) || to_int(arguments[11], &a11) || to_int(arguments[12], &a12) || to_unsigned(arguments[14], &a14) || to_object(self, 0, arguments[0], &a0) || to_object_or_null(self, 13, arguments[13], &a13)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNDescriptor_v8(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNMatrixMathType(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNMatrixMathType(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNPaddingMode(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    unsigned int a1;
    int status;
    PyThreadState *thread;
    if (to_unsigned(arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNPaddingMode(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetRNNProjectionLayers(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int a2;
    int a3;
    int status;
    PyThreadState *thread;
    if (to_int(arguments[2], &a2) || to_int(arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetRNNProjectionLayers(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetReduceTensorDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_enum(self, 3, arguments[3], &a3) || to_enum(self, 4, arguments[4], &a4) || to_enum(self, 5, arguments[5], &a5) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetReduceTensorDescriptor(a0, a1, a2, a3, a4, a5);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetStream(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    int status;
    PyThreadState *thread;
    if (to_pointer(self, 1, arguments[1], &a1) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetStream(a0, a1);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetTensor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    double a3;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetTensor(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetTensor4dDescriptor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int a6;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_int(arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetTensor4dDescriptor(a0, a1, a2, a3, a4, a5, a6);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSetTensor4dDescriptorEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    int a3;
    int a4;
    int a5;
    int a6;
    int a7;
    int a8;
    int a9;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_int(arguments[2], &a2) || to_int(arguments[3], &a3) || to_int(arguments[4], &a4) || to_int(arguments[5], &a5) || to_int(arguments[6], &a6) || to_int(arguments[7], &a7) || to_int(arguments[8], &a8) || to_int(arguments[9], &a9) || to_object(self, 0, arguments[0], &a0)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSetTensor4dDescriptorEx(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSoftmaxBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    uintptr_t a6;
    uintptr_t a7;
    double a8;
    uintptr_t a9;
    uintptr_t a10;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_factor(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_object(self, 0, arguments[0], &a0) || to_object(self, 4, arguments[4], &a4) || to_object(self, 6, arguments[6], &a6) || to_object(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSoftmaxBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSoftmaxForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    int a1;
    int a2;
    double a3;
    uintptr_t a4;
    uintptr_t a5;
    double a6;
    uintptr_t a7;
    uintptr_t a8;
    int status;
    PyThreadState *thread;
    if (to_enum(self, 1, arguments[1], &a1) || to_enum(self, 2, arguments[2], &a2) || to_factor(self, 3, arguments[3], &a3) || to_memory(self, 5, arguments[5], &a5) || to_factor(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_object(self, 0, arguments[0], &a0) || to_object(self, 4, arguments[4], &a4) || to_object(self, 7, arguments[7], &a7)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSoftmaxForward(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSpatialTfGridGeneratorBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSpatialTfGridGeneratorBackward(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSpatialTfGridGeneratorForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    uintptr_t a2;
    uintptr_t a3;
    int status;
    PyThreadState *thread;
    if (to_memory(self, 2, arguments[2], &a2) || to_memory(self, 3, arguments[3], &a3) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSpatialTfGridGeneratorForward(a0, a1, a2, a3);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSpatialTfSamplerBackward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    double a8;
    uintptr_t a9;
    uintptr_t a10;
    uintptr_t a11;
    double a12;
    uintptr_t a13;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_factor(self, 8, arguments[8], &a8) || to_memory(self, 10, arguments[10], &a10) || to_memory(self, 11, arguments[11], &a11) || to_factor(self, 12, arguments[12], &a12) || to_memory(self, 13, arguments[13], &a13) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6) || to_object(self, 9, arguments[9], &a9)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSpatialTfSamplerBackward(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSpatialTfSamplerForward(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    uintptr_t a5;
    double a6;
    uintptr_t a7;
    uintptr_t a8;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_memory(self, 5, arguments[5], &a5) || to_factor(self, 6, arguments[6], &a6) || to_memory(self, 8, arguments[8], &a8) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 7, arguments[7], &a7)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnSpatialTfSamplerForward(a0, a1, a2, a3, a4, a5, a6, a7, a8);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnSubquadraticOpsVersionCheck(struct function *self, PyObject *const *arguments)
{
    int status;
    PyThreadState *thread;
    thread = PyEval_SaveThread();
    status = cudnnSubquadraticOpsVersionCheck();
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnTransformFilter(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnTransformFilter(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnTransformTensor(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    double a1;
    uintptr_t a2;
    uintptr_t a3;
    double a4;
    uintptr_t a5;
    uintptr_t a6;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 1, arguments[1], &a1) || to_memory(self, 3, arguments[3], &a3) || to_factor(self, 4, arguments[4], &a4) || to_memory(self, 6, arguments[6], &a6) || to_object(self, 0, arguments[0], &a0) || to_object(self, 2, arguments[2], &a2) || to_object(self, 5, arguments[5], &a5)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnTransformTensor(a0, a1, a2, a3, a4, a5, a6);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static PyObject *py_cudnnTransformTensorEx(struct function *self, PyObject *const *arguments)
{
    uintptr_t a0;
    uintptr_t a1;
    double a2;
    uintptr_t a3;
    uintptr_t a4;
    double a5;
    uintptr_t a6;
    uintptr_t a7;
    int status;
    PyThreadState *thread;
    if (to_factor(self, 2, arguments[2], &a2) || to_memory(self, 4, arguments[4], &a4) || to_factor(self, 5, arguments[5], &a5) || to_memory(self, 7, arguments[7], &a7) || to_object(self, 0, arguments[0], &a0) || to_object(self, 1, arguments[1], &a1) || to_object(self, 3, arguments[3], &a3) || to_object(self, 6, arguments[6], &a6)) return wrong(self, arguments);
    thread = PyEval_SaveThread();
    status = cudnnTransformTensorEx(a0, a1, a2, a3, a4, a5, a6, a7);
    PyEval_RestoreThread(thread);
    if (status) return refused(self, arguments, status);
    Py_RETURN_NONE;
}

static int packed_cudnnActivationBackward(const uint64_t *words)
{
    return cudnnActivationBackward((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], to_real(words[9]), (uintptr_t)words[10], (uintptr_t)words[11]);
}

static int packed_cudnnActivationForward(const uint64_t *words)
{
    return cudnnActivationForward((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7]);
}

static int packed_cudnnAddTensor(const uint64_t *words)
{
    return cudnnAddTensor((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], to_real(words[4]), (uintptr_t)words[5], (uintptr_t)words[6]);
}

static int packed_cudnnBackendExecute(const uint64_t *words)
{
    return cudnnBackendExecute((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2]);
}

static int packed_cudnnBackendPopulateCudaGraph(const uint64_t *words)
{
    return cudnnBackendPopulateCudaGraph((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3]);
}

static int packed_cudnnBackendUpdateCudaGraph(const uint64_t *words)
{
    return cudnnBackendUpdateCudaGraph((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3]);
}

static int packed_cudnnBatchNormalizationBackward(const uint64_t *words)
{
    return cudnnBatchNormalizationBackward((uintptr_t)words[0], (int)words[1], to_real(words[2]), to_real(words[3]), to_real(words[4]), to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], to_real(words[16]), (uintptr_t)words[17], (uintptr_t)words[18]);
}

static int packed_cudnnBatchNormalizationBackwardEx(const uint64_t *words)
{
    return cudnnBatchNormalizationBackwardEx((uintptr_t)words[0], (int)words[1], (int)words[2], to_real(words[3]), to_real(words[4]), to_real(words[5]), to_real(words[6]), (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uintptr_t)words[16], (uintptr_t)words[17], (uintptr_t)words[18], (uintptr_t)words[19], (uintptr_t)words[20], (uintptr_t)words[21], to_real(words[22]), (uintptr_t)words[23], (uintptr_t)words[24], (uintptr_t)words[25], (uintptr_t)words[26], (uint64_t)words[27], (uintptr_t)words[28], (uint64_t)words[29]);
}

static int packed_cudnnBatchNormalizationForwardInference(const uint64_t *words)
{
    return cudnnBatchNormalizationForwardInference((uintptr_t)words[0], (int)words[1], to_real(words[2]), to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], to_real(words[13]));
}

static int packed_cudnnBatchNormalizationForwardTraining(const uint64_t *words)
{
    return cudnnBatchNormalizationForwardTraining((uintptr_t)words[0], (int)words[1], to_real(words[2]), to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], to_real(words[11]), (uintptr_t)words[12], (uintptr_t)words[13], to_real(words[14]), (uintptr_t)words[15], (uintptr_t)words[16]);
}

static int packed_cudnnBatchNormalizationForwardTrainingEx(const uint64_t *words)
{
    return cudnnBatchNormalizationForwardTrainingEx((uintptr_t)words[0], (int)words[1], (int)words[2], to_real(words[3]), to_real(words[4]), (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], to_real(words[14]), (uintptr_t)words[15], (uintptr_t)words[16], to_real(words[17]), (uintptr_t)words[18], (uintptr_t)words[19], (uintptr_t)words[20], (uintptr_t)words[21], (uint64_t)words[22], (uintptr_t)words[23], (uint64_t)words[24]);
}

static int packed_cudnnBuildRNNDynamic(const uint64_t *words)
{
    return cudnnBuildRNNDynamic((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2]);
}

static int packed_cudnnCTCLoss_v8(const uint64_t *words)
{
    return cudnnCTCLoss_v8((uintptr_t)words[0], (int)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uint64_t)words[11], (uintptr_t)words[12]);
}

static int packed_cudnnConvolutionBackwardBias(const uint64_t *words)
{
    return cudnnConvolutionBackwardBias((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], to_real(words[4]), (uintptr_t)words[5], (uintptr_t)words[6]);
}

static int packed_cudnnConvolutionBackwardData(const uint64_t *words)
{
    return cudnnConvolutionBackwardData((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (int)words[7], (uintptr_t)words[8], (uint64_t)words[9], to_real(words[10]), (uintptr_t)words[11], (uintptr_t)words[12]);
}

static int packed_cudnnConvolutionBackwardFilter(const uint64_t *words)
{
    return cudnnConvolutionBackwardFilter((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (int)words[7], (uintptr_t)words[8], (uint64_t)words[9], to_real(words[10]), (uintptr_t)words[11], (uintptr_t)words[12]);
}

static int packed_cudnnConvolutionBiasActivationForward(const uint64_t *words)
{
    return cudnnConvolutionBiasActivationForward((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (int)words[7], (uintptr_t)words[8], (uint64_t)words[9], to_real(words[10]), (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uintptr_t)words[16], (uintptr_t)words[17]);
}

static int packed_cudnnConvolutionForward(const uint64_t *words)
{
    return cudnnConvolutionForward((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (int)words[7], (uintptr_t)words[8], (uint64_t)words[9], to_real(words[10]), (uintptr_t)words[11], (uintptr_t)words[12]);
}

static int packed_cudnnDestroy(const uint64_t *words)
{
    return cudnnDestroy((uintptr_t)words[0]);
}

static int packed_cudnnDivisiveNormalizationBackward(const uint64_t *words)
{
    return cudnnDivisiveNormalizationBackward((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], to_real(words[10]), (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13]);
}

static int packed_cudnnDivisiveNormalizationForward(const uint64_t *words)
{
    return cudnnDivisiveNormalizationForward((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], to_real(words[9]), (uintptr_t)words[10], (uintptr_t)words[11]);
}

static int packed_cudnnDropoutBackward(const uint64_t *words)
{
    return cudnnDropoutBackward((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uint64_t)words[7]);
}

static int packed_cudnnDropoutForward(const uint64_t *words)
{
    return cudnnDropoutForward((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uint64_t)words[7]);
}

static int packed_cudnnFusedOpsExecute(const uint64_t *words)
{
    return cudnnFusedOpsExecute((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2]);
}

static int packed_cudnnIm2Col(const uint64_t *words)
{
    return cudnnIm2Col((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5]);
}

static int packed_cudnnLRNCrossChannelBackward(const uint64_t *words)
{
    return cudnnLRNCrossChannelBackward((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], to_real(words[10]), (uintptr_t)words[11], (uintptr_t)words[12]);
}

static int packed_cudnnLRNCrossChannelForward(const uint64_t *words)
{
    return cudnnLRNCrossChannelForward((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], to_real(words[6]), (uintptr_t)words[7], (uintptr_t)words[8]);
}

static int packed_cudnnMultiHeadAttnBackwardWeights(const uint64_t *words)
{
    return cudnnMultiHeadAttnBackwardWeights((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uint64_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uint64_t)words[14], (uintptr_t)words[15], (uint64_t)words[16], (uintptr_t)words[17]);
}

static int packed_cudnnNormalizationForwardInference(const uint64_t *words)
{
    return cudnnNormalizationForwardInference((uintptr_t)words[0], (int)words[1], (int)words[2], (int)words[3], to_real(words[4]), to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uintptr_t)words[16], (uintptr_t)words[17], (uintptr_t)words[18], to_real(words[19]), (int)words[20]);
}

static int packed_cudnnNormalizationForwardTraining(const uint64_t *words)
{
    return cudnnNormalizationForwardTraining((uintptr_t)words[0], (int)words[1], (int)words[2], (int)words[3], to_real(words[4]), to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], to_real(words[11]), (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], to_real(words[15]), (uintptr_t)words[16], (uintptr_t)words[17], (uintptr_t)words[18], (uintptr_t)words[19], (uintptr_t)words[20], (uintptr_t)words[21], (uintptr_t)words[22], (uintptr_t)words[23], (uint64_t)words[24], (uintptr_t)words[25], (uint64_t)words[26], (int)words[27]);
}

static int packed_cudnnOpTensor(const uint64_t *words)
{
    return cudnnOpTensor((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7], to_real(words[8]), (uintptr_t)words[9], (uintptr_t)words[10]);
}

static int packed_cudnnPoolingBackward(const uint64_t *words)
{
    return cudnnPoolingBackward((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], to_real(words[9]), (uintptr_t)words[10], (uintptr_t)words[11]);
}

static int packed_cudnnPoolingForward(const uint64_t *words)
{
    return cudnnPoolingForward((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7]);
}

static int packed_cudnnRNNBackwardDataEx(const uint64_t *words)
{
    return cudnnRNNBackwardDataEx((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uintptr_t)words[16], (uintptr_t)words[17], (uintptr_t)words[18], (uintptr_t)words[19], (uintptr_t)words[20], (uintptr_t)words[21], (uintptr_t)words[22], (uintptr_t)words[23], (uintptr_t)words[24], (uintptr_t)words[25], (uintptr_t)words[26], (uint64_t)words[27], (uintptr_t)words[28], (uint64_t)words[29]);
}

static int packed_cudnnRNNBackwardData_v8(const uint64_t *words)
{
    return cudnnRNNBackwardData_v8((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uint64_t)words[16], (uintptr_t)words[17], (uint64_t)words[18], (uintptr_t)words[19], (uint64_t)words[20], (uintptr_t)words[21]);
}

static int packed_cudnnRNNBackwardWeightsEx(const uint64_t *words)
{
    return cudnnRNNBackwardWeightsEx((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uint64_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uint64_t)words[13]);
}

static int packed_cudnnRNNBackwardWeights_v8(const uint64_t *words)
{
    return cudnnRNNBackwardWeights_v8((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uint64_t)words[10], (uintptr_t)words[11], (uint64_t)words[12], (uintptr_t)words[13], (uint64_t)words[14], (uintptr_t)words[15]);
}

static int packed_cudnnRNNForward(const uint64_t *words)
{
    return cudnnRNNForward((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uint64_t)words[14], (uintptr_t)words[15], (uint64_t)words[16], (uintptr_t)words[17], (uint64_t)words[18], (uintptr_t)words[19]);
}

static int packed_cudnnRNNForwardInferenceEx(const uint64_t *words)
{
    return cudnnRNNForwardInferenceEx((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uintptr_t)words[16], (uintptr_t)words[17], (uintptr_t)words[18], (uintptr_t)words[19], (uintptr_t)words[20], (uintptr_t)words[21], (uintptr_t)words[22], (uintptr_t)words[23], (uintptr_t)words[24], (uint64_t)words[25]);
}

static int packed_cudnnRNNForwardTrainingEx(const uint64_t *words)
{
    return cudnnRNNForwardTrainingEx((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], (uintptr_t)words[8], (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], (uintptr_t)words[12], (uintptr_t)words[13], (uintptr_t)words[14], (uintptr_t)words[15], (uintptr_t)words[16], (uintptr_t)words[17], (uintptr_t)words[18], (uintptr_t)words[19], (uintptr_t)words[20], (uintptr_t)words[21], (uintptr_t)words[22], (uintptr_t)words[23], (uintptr_t)words[24], (uint64_t)words[25], (uintptr_t)words[26], (uint64_t)words[27]);
}

static int packed_cudnnRNNSetClip(const uint64_t *words)
{
    return cudnnRNNSetClip((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (int)words[3], to_real(words[4]), to_real(words[5]));
}

static int packed_cudnnReduceTensor(const uint64_t *words)
{
    return cudnnReduceTensor((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uint64_t)words[3], (uintptr_t)words[4], (uint64_t)words[5], to_real(words[6]), (uintptr_t)words[7], (uintptr_t)words[8], to_real(words[9]), (uintptr_t)words[10], (uintptr_t)words[11]);
}

static int packed_cudnnReorderFilterAndBias(const uint64_t *words)
{
    return cudnnReorderFilterAndBias((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (uintptr_t)words[3], (uintptr_t)words[4], (int)words[5], (uintptr_t)words[6], (uintptr_t)words[7]);
}

static int packed_cudnnRestoreAlgorithm(const uint64_t *words)
{
    return cudnnRestoreAlgorithm((uintptr_t)words[0], (uintptr_t)words[1], (uint64_t)words[2], (uintptr_t)words[3]);
}

static int packed_cudnnSaveAlgorithm(const uint64_t *words)
{
    return cudnnSaveAlgorithm((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uint64_t)words[3]);
}

static int packed_cudnnScaleTensor(const uint64_t *words)
{
    return cudnnScaleTensor((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], to_real(words[3]));
}

static int packed_cudnnSetRNNAlgorithmDescriptor(const uint64_t *words)
{
    return cudnnSetRNNAlgorithmDescriptor((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2]);
}

static int packed_cudnnSetRNNDescriptor_v6(const uint64_t *words)
{
    return cudnnSetRNNDescriptor_v6((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (int)words[3], (uintptr_t)words[4], (int)words[5], (int)words[6], (int)words[7], (int)words[8], (int)words[9]);
}

static int packed_cudnnSetRNNProjectionLayers(const uint64_t *words)
{
    return cudnnSetRNNProjectionLayers((uintptr_t)words[0], (uintptr_t)words[1], (int)words[2], (int)words[3]);
}

static int packed_cudnnSetStream(const uint64_t *words)
{
    return cudnnSetStream((uintptr_t)words[0], (uintptr_t)words[1]);
}

static int packed_cudnnSetTensor(const uint64_t *words)
{
    return cudnnSetTensor((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], to_real(words[3]));
}

static int packed_cudnnSoftmaxBackward(const uint64_t *words)
{
    return cudnnSoftmaxBackward((uintptr_t)words[0], (int)words[1], (int)words[2], to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], (uintptr_t)words[6], (uintptr_t)words[7], to_real(words[8]), (uintptr_t)words[9], (uintptr_t)words[10]);
}

static int packed_cudnnSoftmaxForward(const uint64_t *words)
{
    return cudnnSoftmaxForward((uintptr_t)words[0], (int)words[1], (int)words[2], to_real(words[3]), (uintptr_t)words[4], (uintptr_t)words[5], to_real(words[6]), (uintptr_t)words[7], (uintptr_t)words[8]);
}

static int packed_cudnnSpatialTfGridGeneratorBackward(const uint64_t *words)
{
    return cudnnSpatialTfGridGeneratorBackward((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3]);
}

static int packed_cudnnSpatialTfGridGeneratorForward(const uint64_t *words)
{
    return cudnnSpatialTfGridGeneratorForward((uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], (uintptr_t)words[3]);
}

static int packed_cudnnSpatialTfSamplerBackward(const uint64_t *words)
{
    return cudnnSpatialTfSamplerBackward((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7], to_real(words[8]), (uintptr_t)words[9], (uintptr_t)words[10], (uintptr_t)words[11], to_real(words[12]), (uintptr_t)words[13]);
}

static int packed_cudnnSpatialTfSamplerForward(const uint64_t *words)
{
    return cudnnSpatialTfSamplerForward((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], (uintptr_t)words[5], to_real(words[6]), (uintptr_t)words[7], (uintptr_t)words[8]);
}

static int packed_cudnnTransformFilter(const uint64_t *words)
{
    return cudnnTransformFilter((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7]);
}

static int packed_cudnnTransformTensor(const uint64_t *words)
{
    return cudnnTransformTensor((uintptr_t)words[0], to_real(words[1]), (uintptr_t)words[2], (uintptr_t)words[3], to_real(words[4]), (uintptr_t)words[5], (uintptr_t)words[6]);
}

static int packed_cudnnTransformTensorEx(const uint64_t *words)
{
    return cudnnTransformTensorEx((uintptr_t)words[0], (uintptr_t)words[1], to_real(words[2]), (uintptr_t)words[3], (uintptr_t)words[4], to_real(words[5]), (uintptr_t)words[6], (uintptr_t)words[7]);
}

const struct entry entries[] = {
{12, 0, py_cudnnActivationBackward, packed_cudnnActivationBackward},
{8, 0, py_cudnnActivationForward, packed_cudnnActivationForward},
{7, 0, py_cudnnAddTensor, packed_cudnnAddTensor},
{0, 0, py_cudnnAdvInferVersionCheck, NULL},
{0, 0, py_cudnnAdvTrainVersionCheck, NULL},
{0, 0, py_cudnnAdvVersionCheck, NULL},
{18, 0, py_cudnnB2BCausalConv1dBackward, NULL},
{13, 0, py_cudnnB2BCausalConv1dForward, NULL},
{1, 1, py_cudnnBackendCreateDescriptor, NULL},
{1, 0, py_cudnnBackendDestroyDescriptor, NULL},
{3, 0, py_cudnnBackendExecute, packed_cudnnBackendExecute},
{1, 0, py_cudnnBackendFinalize, NULL},
{0, 0, NULL, NULL},
{1, 0, py_cudnnBackendInitialize, NULL},
{4, 0, py_cudnnBackendPopulateCudaGraph, packed_cudnnBackendPopulateCudaGraph},
{0, 0, NULL, NULL},
{4, 0, py_cudnnBackendUpdateCudaGraph, packed_cudnnBackendUpdateCudaGraph},
{19, 0, py_cudnnBatchNormalizationBackward, packed_cudnnBatchNormalizationBackward},
{30, 0, py_cudnnBatchNormalizationBackwardEx, packed_cudnnBatchNormalizationBackwardEx},
{14, 0, py_cudnnBatchNormalizationForwardInference, packed_cudnnBatchNormalizationForwardInference},
{17, 0, py_cudnnBatchNormalizationForwardTraining, packed_cudnnBatchNormalizationForwardTraining},
{25, 0, py_cudnnBatchNormalizationForwardTrainingEx, packed_cudnnBatchNormalizationForwardTrainingEx},
{3, 0, py_cudnnBuildRNNDynamic, packed_cudnnBuildRNNDynamic},
{0, 0, NULL, NULL},
{13, 0, py_cudnnCTCLoss_v8, packed_cudnnCTCLoss_v8},
{15, 0, py_cudnnCausalConv1dBackward, NULL},
{11, 0, py_cudnnCausalConv1dForward, NULL},
{15, 0, py_cudnnCausalConv1dNwhBackward, NULL},
{11, 0, py_cudnnCausalConv1dNwhForward, NULL},
{0, 0, py_cudnnCnnInferVersionCheck, NULL},
{0, 0, py_cudnnCnnTrainVersionCheck, NULL},
{0, 0, py_cudnnCnnVersionCheck, NULL},
{7, 0, py_cudnnConvolutionBackwardBias, packed_cudnnConvolutionBackwardBias},
{13, 0, py_cudnnConvolutionBackwardData, packed_cudnnConvolutionBackwardData},
{13, 0, py_cudnnConvolutionBackwardFilter, packed_cudnnConvolutionBackwardFilter},
{18, 0, py_cudnnConvolutionBiasActivationForward, packed_cudnnConvolutionBiasActivationForward},
{13, 0, py_cudnnConvolutionForward, packed_cudnnConvolutionForward},
{2, 0, py_cudnnCopyAlgorithmDescriptor, NULL},
{0, 0, NULL, NULL},
{0, 1, py_cudnnCreateActivationDescriptor, NULL},
{0, 1, py_cudnnCreateAlgorithmDescriptor, NULL},
{0, 0, NULL, NULL},
{0, 1, py_cudnnCreateAttnDescriptor, NULL},
{0, 1, py_cudnnCreateCTCLossDescriptor, NULL},
{0, 1, py_cudnnCreateConvolutionDescriptor, NULL},
{0, 1, py_cudnnCreateDropoutDescriptor, NULL},
{0, 1, py_cudnnCreateFilterDescriptor, NULL},
{1, 1, py_cudnnCreateFusedOpsConstParamPack, NULL},
{1, 1, py_cudnnCreateFusedOpsPlan, NULL},
{1, 1, py_cudnnCreateFusedOpsVariantParamPack, NULL},
{0, 1, py_cudnnCreateLRNDescriptor, NULL},
{0, 1, py_cudnnCreateOpTensorDescriptor, NULL},
{3, 1, py_cudnnCreatePersistentRNNPlan, NULL},
{0, 1, py_cudnnCreatePoolingDescriptor, NULL},
{0, 1, py_cudnnCreateRNNDataDescriptor, NULL},
{0, 1, py_cudnnCreateRNNDescriptor, NULL},
{0, 1, py_cudnnCreateReduceTensorDescriptor, NULL},
{0, 1, py_cudnnCreateSeqDataDescriptor, NULL},
{0, 1, py_cudnnCreateSpatialTransformerDescriptor, NULL},
{0, 1, py_cudnnCreateTensorDescriptor, NULL},
{0, 1, py_cudnnCreateTensorTransformDescriptor, NULL},
{3, 0, py_cudnnDeriveBNTensorDescriptor, NULL},
{5, 0, py_cudnnDeriveNormTensorDescriptor, NULL},
{1, 0, py_cudnnDestroy, packed_cudnnDestroy},
{1, 0, py_cudnnDestroyActivationDescriptor, NULL},
{1, 0, py_cudnnDestroyAlgorithmDescriptor, NULL},
{0, 0, NULL, NULL},
{1, 0, py_cudnnDestroyAttnDescriptor, NULL},
{1, 0, py_cudnnDestroyCTCLossDescriptor, NULL},
{1, 0, py_cudnnDestroyConvolutionDescriptor, NULL},
{1, 0, py_cudnnDestroyDropoutDescriptor, NULL},
{1, 0, py_cudnnDestroyFilterDescriptor, NULL},
{1, 0, py_cudnnDestroyFusedOpsConstParamPack, NULL},
{1, 0, py_cudnnDestroyFusedOpsPlan, NULL},
{1, 0, py_cudnnDestroyFusedOpsVariantParamPack, NULL},
{1, 0, py_cudnnDestroyLRNDescriptor, NULL},
{1, 0, py_cudnnDestroyOpTensorDescriptor, NULL},
{1, 0, py_cudnnDestroyPersistentRNNPlan, NULL},
{1, 0, py_cudnnDestroyPoolingDescriptor, NULL},
{1, 0, py_cudnnDestroyRNNDataDescriptor, NULL},
{1, 0, py_cudnnDestroyRNNDescriptor, NULL},
{1, 0, py_cudnnDestroyReduceTensorDescriptor, NULL},
{1, 0, py_cudnnDestroySeqDataDescriptor, NULL},
{1, 0, py_cudnnDestroySpatialTransformerDescriptor, NULL},
{1, 0, py_cudnnDestroyTensorDescriptor, NULL},
{1, 0, py_cudnnDestroyTensorTransformDescriptor, NULL},
{14, 0, py_cudnnDivisiveNormalizationBackward, packed_cudnnDivisiveNormalizationBackward},
{12, 0, py_cudnnDivisiveNormalizationForward, packed_cudnnDivisiveNormalizationForward},
{8, 0, py_cudnnDropoutBackward, packed_cudnnDropoutBackward},
{8, 0, py_cudnnDropoutForward, packed_cudnnDropoutForward},
{1, 1, py_cudnnDropoutGetReserveSpaceSize, NULL},
{1, 1, py_cudnnDropoutGetStatesSize, NULL},
{11, 0, py_cudnnFFTCausalConv1dBackward, NULL},
{9, 0, py_cudnnFFTCausalConv1dForward, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{3, 0, py_cudnnFusedOpsExecute, packed_cudnnFusedOpsExecute},
{1, 3, py_cudnnGetActivationDescriptor, NULL},
{1, 1, py_cudnnGetActivationDescriptorSwishBeta, NULL},
{0, 0, NULL, NULL},
{1, 4, py_cudnnGetAlgorithmPerformance, NULL},
{2, 1, py_cudnnGetAlgorithmSpaceSize, NULL},
{1, 19, py_cudnnGetAttnDescriptor, NULL},
{10, 1, py_cudnnGetBatchNormalizationBackwardExWorkspaceSize, NULL},
{8, 1, py_cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, NULL},
{5, 1, py_cudnnGetBatchNormalizationTrainingExReserveSpaceSize, NULL},
{1, 1, py_cudnnGetCTCLossDescriptor, NULL},
{1, 3, py_cudnnGetCTCLossDescriptorEx, NULL},
{1, 4, py_cudnnGetCTCLossDescriptor_v8, NULL},
{1, 4, py_cudnnGetCTCLossDescriptor_v9, NULL},
{0, 0, NULL, NULL},
{5, 1, py_cudnnGetCTCLossWorkspaceSize_v8, NULL},
{0, 3, py_cudnnGetCallback, NULL},
{1, 8, py_cudnnGetConvolution2dDescriptor, NULL},
{3, 4, py_cudnnGetConvolution2dForwardOutputDim, NULL},
{1, 1, py_cudnnGetConvolutionBackwardDataAlgorithmMaxCount, NULL},
{0, 0, NULL, NULL},
{6, 1, py_cudnnGetConvolutionBackwardDataWorkspaceSize, NULL},
{1, 1, py_cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, NULL},
{0, 0, NULL, NULL},
{6, 1, py_cudnnGetConvolutionBackwardFilterWorkspaceSize, NULL},
{1, 1, py_cudnnGetConvolutionForwardAlgorithmMaxCount, NULL},
{0, 0, NULL, NULL},
{6, 1, py_cudnnGetConvolutionForwardWorkspaceSize, NULL},
{1, 1, py_cudnnGetConvolutionGroupCount, NULL},
{1, 1, py_cudnnGetConvolutionMathType, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{1, 1, py_cudnnGetConvolutionReorderType, NULL},
{0, 1, py_cudnnGetCudartVersion, NULL},
{2, 3, py_cudnnGetDropoutDescriptor, NULL},
{0, 0, NULL, NULL},
{3, 1, py_cudnnGetExecutionPlanWorkspaceSize, NULL},
{1, 6, py_cudnnGetFilter4dDescriptor, NULL},
{0, 0, NULL, NULL},
{1, 1, py_cudnnGetFilterSizeInBytes, NULL},
{14, 0, py_cudnnGetFoldedConvBackwardDataDescriptors, NULL},
{3, 1, py_cudnnGetFusedOpsConstParamPackAttribute, NULL},
{3, 0, py_cudnnGetFusedOpsVariantParamPackAttribute, NULL},
{1, 4, py_cudnnGetLRNDescriptor, NULL},
{0, 0, NULL, NULL},
{0, 1, py_cudnnGetMaxDeviceVersion, NULL},
{2, 3, py_cudnnGetMultiHeadAttnBuffers, NULL},
{6, 1, py_cudnnGetMultiHeadAttnWeights, NULL},
{13, 1, py_cudnnGetNormalizationBackwardWorkspaceSize, NULL},
{11, 1, py_cudnnGetNormalizationForwardTrainingWorkspaceSize, NULL},
{7, 1, py_cudnnGetNormalizationTrainingReserveSpaceSize, NULL},
{1, 3, py_cudnnGetOpTensorDescriptor, NULL},
{1, 8, py_cudnnGetPooling2dDescriptor, NULL},
{2, 4, py_cudnnGetPooling2dForwardOutputDim, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{1, 1, py_cudnnGetProperty, NULL},
{2, 1, py_cudnnGetRNNBackwardDataAlgorithmMaxCount, NULL},
{2, 1, py_cudnnGetRNNBackwardWeightsAlgorithmMaxCount, NULL},
{1, 1, py_cudnnGetRNNBiasMode, NULL},
{0, 0, NULL, NULL},
{2, 8, py_cudnnGetRNNDescriptor_v6, NULL},
{1, 14, py_cudnnGetRNNDescriptor_v8, NULL},
{2, 1, py_cudnnGetRNNForwardInferenceAlgorithmMaxCount, NULL},
{2, 1, py_cudnnGetRNNForwardTrainingAlgorithmMaxCount, NULL},
{8, 1, py_cudnnGetRNNLinLayerBiasParams, NULL},
{8, 1, py_cudnnGetRNNLinLayerMatrixParams, NULL},
{1, 1, py_cudnnGetRNNMatrixMathType, NULL},
{1, 1, py_cudnnGetRNNPaddingMode, NULL},
{4, 1, py_cudnnGetRNNParamsSize, NULL},
{2, 2, py_cudnnGetRNNProjectionLayers, NULL},
{4, 2, py_cudnnGetRNNTempSpaceSizes, NULL},
{0, 0, NULL, NULL},
{8, 2, py_cudnnGetRNNWeightParams, NULL},
{2, 1, py_cudnnGetRNNWeightSpaceSize, NULL},
{0, 0, NULL, NULL},
{1, 5, py_cudnnGetReduceTensorDescriptor, NULL},
{4, 1, py_cudnnGetReductionIndicesSize, NULL},
{4, 1, py_cudnnGetReductionWorkspaceSize, NULL},
{0, 0, NULL, NULL},
{1, 1, py_cudnnGetStream, NULL},
{1, 9, py_cudnnGetTensor4dDescriptor, NULL},
{0, 0, NULL, NULL},
{1, 1, py_cudnnGetTensorSizeInBytes, NULL},
{0, 0, NULL, NULL},
{0, 1, py_cudnnGetVersion, NULL},
{12, 0, py_cudnnGnnAggSimpleBackward, NULL},
{12, 0, py_cudnnGnnAggSimpleForward, NULL},
{23, 0, py_cudnnGnnMhaGatBackward, NULL},
{13, 0, py_cudnnGnnMhaGatForward, NULL},
{22, 0, py_cudnnGnnMhaGatV2Backward, NULL},
{13, 0, py_cudnnGnnMhaGatV2Forward, NULL},
{0, 0, py_cudnnGraphVersionCheck, NULL},
{6, 0, py_cudnnIm2Col, packed_cudnnIm2Col},
{3, 1, py_cudnnInitTransformDest, NULL},
{13, 0, py_cudnnLRNCrossChannelBackward, packed_cudnnLRNCrossChannelBackward},
{9, 0, py_cudnnLRNCrossChannelForward, packed_cudnnLRNCrossChannelForward},
{13, 0, py_cudnnLongFFTCausalConv1dBackward, NULL},
{13, 0, py_cudnnLongFFTCausalConv1dForward, NULL},
{5, 2, py_cudnnLongFFTCausalConv1dGetBufferSizes, NULL},
{3, 1, py_cudnnMakeFusedOpsPlan, NULL},
{0, 0, NULL, NULL},
{18, 0, py_cudnnMultiHeadAttnBackwardWeights, packed_cudnnMultiHeadAttnBackwardWeights},
{0, 0, NULL, NULL},
{33, 0, py_cudnnNormalizationBackward, NULL},
{21, 0, py_cudnnNormalizationForwardInference, packed_cudnnNormalizationForwardInference},
{28, 0, py_cudnnNormalizationForwardTraining, packed_cudnnNormalizationForwardTraining},
{11, 0, py_cudnnOpTensor, packed_cudnnOpTensor},
{0, 0, py_cudnnOpsInferVersionCheck, NULL},
{0, 0, py_cudnnOpsTrainVersionCheck, NULL},
{0, 0, py_cudnnOpsVersionCheck, NULL},
{12, 0, py_cudnnPoolingBackward, packed_cudnnPoolingBackward},
{8, 0, py_cudnnPoolingForward, packed_cudnnPoolingForward},
{2, 1, py_cudnnQueryRuntimeError, NULL},
{0, 0, NULL, NULL},
{30, 0, py_cudnnRNNBackwardDataEx, packed_cudnnRNNBackwardDataEx},
{22, 0, py_cudnnRNNBackwardData_v8, packed_cudnnRNNBackwardData_v8},
{0, 0, NULL, NULL},
{14, 0, py_cudnnRNNBackwardWeightsEx, packed_cudnnRNNBackwardWeightsEx},
{16, 0, py_cudnnRNNBackwardWeights_v8, packed_cudnnRNNBackwardWeights_v8},
{20, 0, py_cudnnRNNForward, packed_cudnnRNNForward},
{0, 0, NULL, NULL},
{26, 0, py_cudnnRNNForwardInferenceEx, packed_cudnnRNNForwardInferenceEx},
{0, 0, NULL, NULL},
{28, 0, py_cudnnRNNForwardTrainingEx, packed_cudnnRNNForwardTrainingEx},
{2, 4, py_cudnnRNNGetClip, NULL},
{1, 4, py_cudnnRNNGetClip_v8, NULL},
{1, 3, py_cudnnRNNGetClip_v9, NULL},
{6, 0, py_cudnnRNNSetClip, packed_cudnnRNNSetClip},
{5, 0, py_cudnnRNNSetClip_v8, NULL},
{4, 0, py_cudnnRNNSetClip_v9, NULL},
{12, 0, py_cudnnReduceTensor, packed_cudnnReduceTensor},
{8, 0, py_cudnnReorderFilterAndBias, packed_cudnnReorderFilterAndBias},
{4, 0, py_cudnnRestoreAlgorithm, packed_cudnnRestoreAlgorithm},
{6, 0, py_cudnnRestoreDropoutDescriptor, NULL},
{4, 0, py_cudnnSaveAlgorithm, packed_cudnnSaveAlgorithm},
{4, 0, py_cudnnScaleTensor, packed_cudnnScaleTensor},
{4, 0, py_cudnnSetActivationDescriptor, NULL},
{2, 0, py_cudnnSetActivationDescriptorSwishBeta, NULL},
{0, 0, NULL, NULL},
{5, 0, py_cudnnSetAlgorithmPerformance, NULL},
{20, 0, py_cudnnSetAttnDescriptor, NULL},
{2, 0, py_cudnnSetCTCLossDescriptor, NULL},
{4, 0, py_cudnnSetCTCLossDescriptorEx, NULL},
{5, 0, py_cudnnSetCTCLossDescriptor_v8, NULL},
{5, 0, py_cudnnSetCTCLossDescriptor_v9, NULL},
{3, 0, py_cudnnSetCallback, NULL},
{9, 0, py_cudnnSetConvolution2dDescriptor, NULL},
{2, 0, py_cudnnSetConvolutionGroupCount, NULL},
{2, 0, py_cudnnSetConvolutionMathType, NULL},
{0, 0, NULL, NULL},
{2, 0, py_cudnnSetConvolutionReorderType, NULL},
{6, 0, py_cudnnSetDropoutDescriptor, NULL},
{7, 0, py_cudnnSetFilter4dDescriptor, NULL},
{0, 0, NULL, NULL},
{3, 0, py_cudnnSetFusedOpsConstParamPackAttribute, NULL},
{3, 0, py_cudnnSetFusedOpsVariantParamPackAttribute, NULL},
{5, 0, py_cudnnSetLRNDescriptor, NULL},
{4, 0, py_cudnnSetOpTensorDescriptor, NULL},
{2, 0, py_cudnnSetPersistentRNNPlan, NULL},
{9, 0, py_cudnnSetPooling2dDescriptor, NULL},
{0, 0, NULL, NULL},
{3, 0, py_cudnnSetRNNAlgorithmDescriptor, packed_cudnnSetRNNAlgorithmDescriptor},
{2, 0, py_cudnnSetRNNBiasMode, NULL},
{0, 0, NULL, NULL},
{10, 0, py_cudnnSetRNNDescriptor_v6, packed_cudnnSetRNNDescriptor_v6},
{15, 0, py_cudnnSetRNNDescriptor_v8, NULL},
{2, 0, py_cudnnSetRNNMatrixMathType, NULL},
{2, 0, py_cudnnSetRNNPaddingMode, NULL},
{4, 0, py_cudnnSetRNNProjectionLayers, packed_cudnnSetRNNProjectionLayers},
{6, 0, py_cudnnSetReduceTensorDescriptor, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{2, 0, py_cudnnSetStream, packed_cudnnSetStream},
{4, 0, py_cudnnSetTensor, packed_cudnnSetTensor},
{7, 0, py_cudnnSetTensor4dDescriptor, NULL},
{10, 0, py_cudnnSetTensor4dDescriptorEx, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{0, 0, NULL, NULL},
{11, 0, py_cudnnSoftmaxBackward, packed_cudnnSoftmaxBackward},
{9, 0, py_cudnnSoftmaxForward, packed_cudnnSoftmaxForward},
{4, 0, py_cudnnSpatialTfGridGeneratorBackward, packed_cudnnSpatialTfGridGeneratorBackward},
{4, 0, py_cudnnSpatialTfGridGeneratorForward, packed_cudnnSpatialTfGridGeneratorForward},
{14, 0, py_cudnnSpatialTfSamplerBackward, packed_cudnnSpatialTfSamplerBackward},
{9, 0, py_cudnnSpatialTfSamplerForward, packed_cudnnSpatialTfSamplerForward},
{0, 0, py_cudnnSubquadraticOpsVersionCheck, NULL},
{8, 0, py_cudnnTransformFilter, packed_cudnnTransformFilter},
{7, 0, py_cudnnTransformTensor, packed_cudnnTransformTensor},
{8, 0, py_cudnnTransformTensorEx, packed_cudnnTransformTensorEx},
};
