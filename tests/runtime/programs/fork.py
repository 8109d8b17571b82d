"""Forked children: run one of the checks below by name."""

import os
import sys

import cudnn_cffi as cudnn


def in_child(work):
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            text = work()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    text = os.fdopen(reader).read()
    assert os.waitpid(pid, 0)[1] == 0, "the child did not end as it should"
    return text


desc = cudnn.TensorDescriptor()


def a_child_calls_as_long_as_there_was_no_handle() -> None:
    def work():
        mine = cudnn.TensorDescriptor()
        mine.set_4d(cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT, 1, 2, 3, 4)
        return str(mine.get_4d().w)

    print(in_child(work))


def a_child_of_a_process_with_handles_is_told() -> None:
    """Without a GPU there is no handle; that one was made is all that the check goes by."""
    from cudnn_cffi import _call

    _call.made_handle(1)

    def work():
        global desc
        del desc  # its finalizer must be quiet
        return str(cudnn.cudnnGetVersion())

    print(in_child(work))
    print(cudnn.cudnnGetVersion() > 0)


def handles_are_counted_once_whoever_made_them() -> None:
    """The overlay's handles do not take the place of those that were made under the C name."""
    from cudnn_cffi import _call, handles

    _call.made_handle(1)
    assert cudnn.Handle is handles.Handle, cudnn.Handle
    print(in_child(lambda: str(cudnn.cudnnGetVersion())))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
