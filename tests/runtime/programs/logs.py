"""cuDNN's log: run one of the checks below by name; each prints JSON."""

import json
import logging
import sys
import threading
from typing import Any

import cudnn_cffi as cudnn

x = cudnn.TensorDescriptor()


def fail():
    try:
        x.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, -1, 1, 1, 1)
    except cudnn.CudnnError:
        pass


class Keep(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


kept = Keep()
logging.getLogger("cudnn").addHandler(kept)


def a_message_comes_in_parts() -> None:
    with cudnn.log("ERROR"):
        fail()
    [record] = kept.records
    m = record.cudnn
    print(
        json.dumps(
            [
                record.levelname,
                record.name,
                record.funcName,
                str(m.severity.name),
                m.function,
                m.text.splitlines()[-1].strip(),
                m.status.name,
                str(m.time.tzinfo),
                m.device,
                m.version == cudnn.cudnnGetVersion(),
                str(m) == record.getMessage(),
            ]
        )
    )


def the_level_chooses_what_cudnn_writes() -> None:
    counts = []
    for level in ("ERROR", "INFO"):
        with cudnn.log(level):
            fail()
        counts.append([r.levelname for r in kept.records])
        kept.records.clear()
    print(json.dumps(counts))


def a_severity_is_a_level_too() -> None:
    with cudnn.log(cudnn.Severity.ERROR):
        fail()
    print(json.dumps([r.levelname for r in kept.records]))


def another_level_is_refused() -> None:
    try:
        with cudnn.log("loud"):
            pass
    except cudnn.CudnnError as error:
        print(json.dumps([type(error).__name__, error.message]))


def what_was_set_before_is_set_again_after_the_outermost_block() -> None:
    told = []
    cudnn.cudnnSetCallback(
        cudnn.SeverityMask.ERROR_EN, 77, lambda *message: told.append(message[1])
    )
    before = cudnn.cudnnGetCallback()
    with cudnn.log("ERROR"):
        with cudnn.log("INFO", "other"):
            fail()
        same = cudnn.cudnnGetCallback() == before
        fail()
    fail()
    print(
        json.dumps(
            [
                same,
                cudnn.cudnnGetCallback() == before,
                told,
                len(kept.records),
                logging.getLogger("cudnn").level,
                logging.getLogger("other").level,
            ]
        )
    )


def a_callback_set_inside_the_block_stays() -> None:
    told = []
    with cudnn.log("ERROR"):
        cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, lambda *m: told.append(m[3]))
    fail()
    print(json.dumps([len(told), "cudnnSetTensor4dDescriptor" in told[0]]))


def a_callable_gets_severity_user_data_struct_and_text() -> None:
    got = []
    cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, 12345, lambda *message: got.append(message))
    fail()
    [(severity, udata, debug, text)] = got
    print(
        json.dumps(
            [
                severity == cudnn.CUDNN_SEV_ERROR,
                udata,
                debug.cudnnStatus.name,
                debug.tid == threading.get_native_id(),
                text.splitlines()[0],
            ]
        )
    )


def what_a_callback_raises_is_reported_and_the_call_goes_on() -> None:
    reported = []
    sys.unraisablehook = lambda args: reported.append(
        [args.exc_type.__name__, f"{args.err_msg} {args.object!r}"]
    )

    def broken(*message):
        raise LookupError("broken")

    cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, broken)
    try:
        x.set_4d(0, 0, -1, 1, 1, 1)
    except cudnn.CudnnError as error:
        print(json.dumps([type(error).__name__, reported]))


def a_callback_may_call_cudnn_without_hearing_of_it() -> None:
    heard = []

    def nosy(severity, udata, debug, text):
        heard.append(x.get_4d().n)
        fail()

    x.set_4d(0, 0, 5, 1, 1, 1)
    cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, nosy)
    fail()
    print(json.dumps(heard))


def a_callable_lives_as_long_as_it_may_be_called() -> None:
    import gc

    told = []
    cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, lambda *m: told.append(1))
    kept_address = cudnn.cudnnGetCallback().fptr
    cudnn.cudnnSetCallback(0, None, None)
    gc.collect()
    cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, kept_address)
    fail()
    print(json.dumps(told))


def a_c_function_of_ctypes_or_cffi_is_taken_as_it_is() -> None:
    import ctypes

    import cffi

    told = []
    c_type = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
    by_ctypes = c_type(lambda *m: told.append("ctypes"))
    ffi = cffi.FFI()
    by_cffi = ffi.callback("void(int, void *, void *, char *)", lambda *m: told.append("cffi"))
    for function in (by_ctypes, by_cffi):
        cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, function)
        fail()
    cudnn.cudnnSetCallback(0, None, None)
    print(json.dumps(told))


def messages_of_all_threads_come() -> None:
    def work():
        for _ in range(50):
            fail()

    threads = [threading.Thread(target=work) for _ in range(8)]
    with cudnn.log("ERROR"):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(json.dumps([len(kept.records), len({r.cudnn.thread for r in kept.records}) > 1]))


def blocks_may_overlap_on_several_threads() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other():
        with cudnn.log("ERROR", "other"):
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with cudnn.log("ERROR"):
        thread.start()
        inside.wait()
    fail()  # only the other block is left
    here = len(kept.records)
    leave.set()
    thread.join()
    told = len(kept.records)
    fail()
    print(json.dumps([here, len(kept.records) - told]))


def what_was_silent_is_silent_again(code: str) -> None:
    fail()
    exec(code, globals())
    fail()


def without_a_callback_cudnn_prints_where_that_was_asked_for() -> None:
    cudnn.cudnnSetCallback(2, None, None)
    fail()


def a_logger_that_is_none_is_refused_and_changes_nothing() -> None:
    refused = []
    nothing: Any = None
    for wrong in (None, 5, object(), logging.LoggerAdapter(nothing, {})):
        try:
            with cudnn.log("ERROR", wrong):
                pass
        except cudnn.CudnnError as error:
            refused.append([type(error).__name__, "LoggerAdapter" in error.message])
    with cudnn.log("ERROR"):
        fail()
    print(json.dumps([refused, len(kept.records)]))


def a_logger_adapter_adds_what_it_adds() -> None:
    class Numbered(logging.LoggerAdapter[logging.Logger]):
        def process(self, text, options):
            return f"[{(self.extra or {})['number']}] {text}", options

    inner = logging.LoggerAdapter(logging.getLogger("cudnn"), {"host": "here"})
    with cudnn.log("ERROR", Numbered(inner, {"number": 7})) as given:
        fail()
    [record] = kept.records
    print(
        json.dumps(
            [
                type(given).__name__,
                record.getMessage().partition(" ")[0],
                record.host,
                record.cudnn.function,
            ]
        )
    )


def a_filter_that_raises_keeps_no_other_logger_from_hearing() -> None:
    reported = []
    sys.unraisablehook = lambda args: reported.append(args.exc_type.__name__)

    def broken(record):
        raise LookupError("broken")

    logging.getLogger("broken").addFilter(broken)
    with cudnn.log("ERROR", "broken"), cudnn.log("ERROR"):
        fail()
    print(json.dumps([reported, len(kept.records)]))


def equal_callables_are_two_callbacks() -> None:
    import dataclasses

    told = []

    @dataclasses.dataclass(frozen=True)
    class Equal:
        def __call__(self, *message):
            told.append(id(self))

        def method(self, *message):
            pass

    one, other = Equal(), Equal()
    for callback in (one, other):
        cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, callback)
        fail()
    addresses = set()
    for _ in range(3):
        cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, None, one.method)
        addresses.add(cudnn.cudnnGetCallback().fptr)
    print(json.dumps([told == [id(one), id(other)], len(addresses)]))


def the_end_of_the_interpreter_is_quiet() -> None:
    cudnn.cudnnSetCallback(cudnn.SeverityMask.INFO_EN, None, lambda *m: None)
    print(json.dumps("set"))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
