"""Many threads at once: run one of the checks below by name; each prints JSON."""

import json
import os
import sys
import threading

sys.setswitchinterval(1e-5)


def together(work, count=16):
    barrier = threading.Barrier(count)
    answers = []

    def run(i):
        barrier.wait()
        try:
            answers.append(work(i))
        except BaseException as error:
            answers.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def the_first_call_may_come_from_all_threads_at_once() -> None:
    import cudnn_cffi as cudnn

    print(json.dumps(together(lambda i: cudnn.cudnnGetVersion())))


def the_package_may_be_imported_by_all_threads_at_once() -> None:
    def first(i):
        import cudnn_cffi

        return cudnn_cffi.TensorDescriptor().get_4d().n

    print(json.dumps(together(first)))


def all_threads_see_the_same_enum_class_and_members() -> None:
    import cudnn_cffi as cudnn

    names = ["DataType", "cudnnDataType_t", "Status", "BackendAttributeName", "Debug"]
    seen = together(lambda i: [id(getattr(cudnn, name)) for name in names[i % 2 :]][-2:])
    members = together(lambda i: id(cudnn.DataType(12345)))
    print(json.dumps([len({tuple(each) for each in seen}), len(set(members))]))


def results_of_threads_do_not_mix() -> None:
    import cudnn_cffi as cudnn

    def work(i):
        x = cudnn.TensorDescriptor()
        wrong = 0
        for turn in range(300):
            want = (1 + i, 2 + turn, 3 + i, 4)
            x.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, *want)
            got = x.get_4d()
            wrong += tuple(got)[1:5] != want
            wrong += cudnn.cudnnGetTensorSizeInBytes(x) != 4 * want[0] * want[1] * want[2] * want[3]
        return wrong

    print(json.dumps(together(work)))


def each_thread_has_its_own_last_error() -> None:
    import cudnn_cffi as cudnn

    def work(i):
        x = cudnn.TensorDescriptor()
        f = cudnn.FilterDescriptor()
        for _ in range(50):
            try:
                if i % 2:
                    x.set_4d(0, 0, -1, 1, 1, 1)
                else:
                    f.set_4d(0, 0, 1, -1, 1, 1)
            except cudnn.CudnnError as error:
                if error.function != ("cudnnSetTensor4dDescriptor", "cudnnSetFilter4dDescriptor")[
                    not i % 2
                ] or ("n <= 0" in error.text) != bool(i % 2):
                    return str(error)
        return ""

    print(json.dumps(together(work)))


def an_object_is_destroyed_once_even_if_all_threads_close_it() -> None:
    from cudnn_cffi.families import TensorDescriptor

    count = []
    real = TensorDescriptor._destroy

    def destroy(address):
        count.append(address)
        return real(address)

    TensorDescriptor._destroy = staticmethod(destroy)
    for _ in range(50):
        x = TensorDescriptor()
        together(lambda i, x=x: x.close(), 4)
    print(json.dumps([len(count), len(count) == 50]))


def a_fork_without_handles_is_safe() -> None:
    import cudnn_cffi as cudnn

    cudnn.cudnnGetVersion()
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(writer, str(cudnn.TensorDescriptor().get_4d().n).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    print(json.dumps(os.read(reader, 100).decode()))


def other_threads_run_during_a_call() -> None:
    import warnings

    warnings.simplefilter("ignore")
    import cudnn_cffi as cudnn

    print(json.dumps(together(lambda i: cudnn.cudnnGetMaxDeviceVersion(), 4)))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
